"""What a suite's page shows of its tables: each mode by itself, beside what others have published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dyad.report.figures.bars import Bar, bars
from dyad.report.figures.forest import SHARES, STEPS, Axis, Line, around_zero, forest
from dyad.report.markup import Html, join, tag
from dyad.report.sections.part import card, cards, folded, table
from dyad.suites.published import Found, Table, comparable, found
from dyad.tables.rows import Row
from dyad.tables.words import count

from .sheet import (
    ARROWS,
    BEHAVIOURS,
    COLUMNS,
    OVERLAP,
    UNITS,
    Sheet,
    censored,
    columns,
    differences,
    digits,
    everything,
    mean,
    modes,
    of,
    set_name,
    sheets,
    significance,
)

ABOUT = {
    "compat": "Exactly what the authors’ code computes, its known bugs included.",
    "strict": "The corrected definitions. Nothing published was made by them, so nothing stands beside them.",
}
BESIDE = (
    "Filled: this study. Open: published by others, who had another ASR and another judge; its interval is "
    "Wilson’s from k and n where the printed rate is a count over n, and there is none where it is not."
)
AXES = {"share": SHARES, "rating": Axis(0.0, 5.0), "jsd": Axis(0.0, 1.0)}


def results(rows: Sequence[Row], tables: Sequence[Table], suite: str) -> Html:
    """Return a part per mode: the authors' table, whiskers beside published numbers, behaviours, the rest."""
    tasks = {x["condition"] for x in of(rows, "suite")}
    fit = [made for made in tables if comparable(made, suite, tasks)]
    parts = [_mode(rows, mode, [made for made in fit if made.mode == mode]) for mode in modes(rows)]
    return join(*parts) if parts else tag("p", "No trial has been scored.", class_="empty")


def _mode(rows: Sequence[Row], mode: str, tables: Sequence[Table]) -> Html:
    own = [x for x in of(rows, "suite", term=mode) if x["measure"] in COLUMNS.get(x["archetype"], ())]
    seen = [x for x in own if x["archetype"] != OVERLAP or x["measure"] not in BEHAVIOURS]
    return join(
        tag("h3", f"{mode}"),
        tag("p", f"{ABOUT[mode]} {BESIDE if tables else ''}".strip(), class_="hint"),
        *(sheet_table(sheet) for sheet in sheets(rows, mode)),
        cards(_whiskers(seen, tables), "No measure of the authors’ tables."),
        *_behaviours([x for x in own if x["measure"] in BEHAVIOURS]),
        folded(f"All measures in {mode}", [sheet_table(everything(rows, mode))]),
    )


def _whiskers(rows: Sequence[Row], tables: Sequence[Table]) -> Iterator[Html]:
    for kind, task, measure in columns(rows):
        own = [x for x in rows if (x["condition"], x["measure"]) == (task, measure)]
        others = [x for made in tables for x in found(made, kind, measure, task)]
        yield card(_figure(own, others, kind))


def _figure(own: Sequence[Row], others: Sequence[Found], kind: str) -> Html:
    first = own[0]
    name = f"{COLUMNS[kind][first['measure']]}{UNITS.get(first['unit'], '')}{ARROWS[first['better']]}"
    lines = [Line(x["agent"], x["value"], x["low"], x["high"], _text(x), True) for x in own]
    lines += [Line(x.name, x.value, x.low, x.high, _published(x)) for x in others]
    theirs = tag("small", f"published: n {count(others[0].n)}") if others else None
    title = tag("figcaption", tag("b", f"{set_name(first['condition'])}: {name}"), theirs)
    return tag("figure", title, forest(lines, _axis(first, lines), f"{first['condition']} {name}"))


def _text(row: Row) -> str:
    known = f" [{digits(row['low'])}, {digits(row['high'])}]" if row["low"] is not None else ""
    return f"{mean(row)}{known} n {count(row['n'])}"


def _published(x: Found) -> str:
    known = f" [{digits(x.low)}, {digits(x.high)}]" if x.low is not None else ""
    return f"{digits(x.value)}{known or (f' ({x.note})' if x.note else '')}"


def _axis(row: Row, lines: Sequence[Line]) -> Axis:
    """An axis from 0 to what holds all lines; around 0 where something is below it."""
    fixed = AXES.get(row["measure"]) or AXES.get(row["unit"])
    if fixed is not None:
        return fixed
    known = [x for line in lines for x in (line.value, line.low, line.high) if x is not None]
    if min(known, default=0.0) < 0:
        return around_zero(lines)
    far = max(known, default=1.0)
    return Axis(0.0, 4 * next((step for step in STEPS if 4 * step >= far), far / 4))


def _behaviours(rows: Sequence[Row]) -> Iterator[Html]:
    """What models do in an overlap: a card per set, in it the shares of each agent."""
    made = []
    for task in dict.fromkeys(x["condition"] for x in rows):
        own = [x for x in rows if x["condition"] == task]
        agents = [
            _bars([x for x in own if x["agent"] == agent]) for agent in sorted({x["agent"] for x in own})
        ]
        made.append(card(tag("figcaption", tag("b", f"{set_name(task)}: behaviour")), *agents))
    if made:
        yield cards(made, "")


def _bars(rows: Sequence[Row]) -> Html:
    agent = rows[0]["agent"]
    shares = [
        Bar(x["measure"], x["value"], x["low"], x["high"], rest=x["measure"] == "unknown") for x in rows
    ]
    title = tag("figcaption", f"{agent}, n {count(max(x['n'] for x in rows))}")
    return tag("figure", title, bars(shares, f"{agent}: what it does in an overlap"))


def times(rows: Sequence[Row]) -> Html:
    """Return the table of times with censored trials."""
    return _or(
        [censored(rows)], "No time was censored, so that means of responders leave nobody out who was asked."
    )


def compared(rows: Sequence[Row]) -> Html:
    """Return the differences between agents and within them, each with what could have been seen."""
    made = [sheet(rows, mode) for sheet in (differences, significance) for mode in modes(rows)]
    return _or(made, "One agent: there is nothing to compare.")


def _or(made: Iterable[Sheet], empty: str) -> Html:
    full = [sheet_table(sheet) for sheet in made if sheet.body]
    return join(*full) if full else tag("p", empty, class_="empty")


def sheet_table(sheet: Sheet) -> Html:
    """Return a sheet as a table on a card of its own."""
    body = ([_lines(text.replace(" [", "\n[")) for text in line] for line in sheet.body)
    return table(sheet.title, [_lines(head) for head in sheet.heads], body, sheet.note)


def _lines(text: str) -> Html:
    """A cell of several lines: those below the first are small."""
    first, *rest = text.split("\n")
    return join(first, *(tag("small", line) for line in rest))


def orientation(rows: Sequence[Row], tables: Sequence[Table], suite: str) -> Html:
    """Return all published tables by themselves, and why their numbers may or may not be compared."""
    tasks = {x["condition"] for x in of(rows, "suite")}
    parts = [join(_why(made, comparable(made, suite, tasks)), *_tables(made)) for made in tables]
    return join(*parts) if parts else tag("p", "Nothing has been published for this suite.", class_="empty")


def _why(made: Table, fit: bool) -> Html:
    sources = join(*(_linked(f"{x.cite}", x.url, i) for i, x in enumerate(made.sources)))
    said = (
        f"Shown beside this study under {made.mode}."
        if fit
        else "For orientation only: numbers of other sets than were played here, which do not compare."
    )
    about = f" ASR: {made.asr}. Judge: {made.judge}. {' '.join(made.notes)}"
    return join(tag("h3", made.title), tag("p", said, about, " Sources: ", sources, ".", class_="hint"))


def _linked(cite: str, url: str, place: int) -> Html:
    return join("; " if place else "", tag("a", cite, href=url, rel="noreferrer"))


def _tables(made: Table) -> Iterator[Html]:
    for part in made.parts:
        used = [column for column in made.columns if column.key in part.sets]
        heads = ["system", *(f"{x.head}{UNITS.get(x.unit, '')}{ARROWS[x.better]}" for x in used)]
        body = []
        for system in part.systems:
            cells = [system.cells.get(column.key) for column in used]
            body.append([system.name, *(_cell(part.ends(c.key, x), x, part.sets[c.key].n) if x else Html("–")
                                        for c, x in zip(used, cells, strict=True))])  # fmt: skip
        yield table(
            f"{made.title}: {part.data}", heads, body, "published; intervals are Wilson’s from k and n"
        )


def _cell(ends: tuple[float, float] | tuple[None, None], cell: object, n: int) -> Html:
    value, k, note = (getattr(cell, name) for name in ("value", "k", "note"))
    low, high = ends
    below = note if low is None else f"[{digits(low)}, {digits(high)}] {k}/{n}"
    return join(digits(value), tag("small", below) if below else "")
