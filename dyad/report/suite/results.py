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

from . import alike
from .authors import is_lettered
from .authors import tables as authors_tables
from .sheet import (
    ARROWS,
    BEHAVIOURS,
    UNITS,
    Sheet,
    authors,
    censored,
    columns,
    differences,
    digits,
    everything,
    head,
    is_authors,
    mean,
    modes,
    of,
    set_names,
    significance,
)

ABOUT = {
    "compat": "Exactly what the authors’ code computes, its known bugs included.",
    "strict": "The corrected definitions. Nothing published was made by them, so nothing stands beside them.",
}
BESIDE = (
    "Published numbers had another ASR and another judge; their intervals are Wilson’s from k and n where "
    "the printed rate is a count over n, and there is none where it is not."
)
DRAWN = "Filled: this study. Open: published by others."
AXES = {"share": SHARES, "rating": Axis(0.0, 5.0), "jsd": Axis(0.0, 1.0)}


def results(rows: Sequence[Row], tables: Sequence[Table], suite: str) -> Html:
    """Return a part per mode: the authors' tables, figures of what can be compared, all measures."""
    tasks = {x["condition"] for x in of(rows, "suite")}
    fit = [made for made in tables if comparable(made, suite, tasks)]
    parts = [_mode(rows, mode, [made for made in fit if made.mode == mode]) for mode in modes(rows)]
    return join(*parts) if parts else tag("p", "No trial has been scored.", class_="empty")


def _mode(rows: Sequence[Row], mode: str, tables: Sequence[Table]) -> Html:
    said = [ABOUT[mode], BESIDE if tables else "", alike.HINT if is_lettered(rows, mode, tables) else ""]
    drawn = list(_cards(rows, mode, tables))
    shown = [tag("p", DRAWN, class_="hint") if tables else Html(""), cards(drawn, "")]
    return join(
        tag("h3", mode),
        tag("p", " ".join(filter(None, said)), class_="hint"),
        *authors_tables(rows, mode, tables),
        _opened(f"Figures in {mode}", shown, mode == modes(rows)[0]) if drawn else "",
        folded(f"All measures in {mode}", [sheet_table(everything(rows, mode))]),
    )


def _opened(title: str, content: Sequence[Html], opened: bool) -> Html:
    return tag("details", tag("summary", title), *content, class_="more", open=opened)


def _cards(rows: Sequence[Row], mode: str, tables: Sequence[Table]) -> Iterator[Html]:
    """A card for each set, in it behaviours, and every measure of which there are two numbers to compare."""
    for _, own in authors(rows, mode):
        names = set_names(dict.fromkeys(x["condition"] for x in own))
        for task, name in names.items():
            here = [x for x in own if x["condition"] == task]
            drawn = [*_behaviours(here), *_whiskers(here, tables)]
            if drawn:
                yield card(tag("figcaption", tag("b", name)), *drawn)


def _whiskers(rows: Sequence[Row], tables: Sequence[Table]) -> Iterator[Html]:
    for kind, task, measure in columns(rows):
        own = [x for x in rows if x["measure"] == measure]
        others = [x for made in tables for x in found(made, kind, measure, task)]
        lines = [Line(x["agent"], x["value"], x["low"], x["high"], _text(x), True) for x in own]
        lines += [Line(x.name.split(" (")[0], x.value, x.low, x.high, _published(x)) for x in others]
        if measure not in BEHAVIOURS and sum(line.value is not None for line in lines) > 1:
            title = tag("figcaption", head(kind, own[0]))
            yield tag("figure", title, forest(lines, _axis(own[0], lines), f"{task} {head(kind, own[0])}"))


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
    """What models do in an overlap: the shares of each agent on one set."""
    own = [x for x in rows if x["measure"] in BEHAVIOURS]
    for agent in sorted({x["agent"] for x in own if x["value"] is not None}):
        yield _bars([x for x in own if x["agent"] == agent])


def _bars(rows: Sequence[Row]) -> Html:
    agent = rows[0]["agent"]
    shares = [
        Bar(x["measure"], x["value"], x["low"], x["high"], rest=x["measure"] == "unknown") for x in rows
    ]
    title = tag("figcaption", f"{agent}, n {count(max(x['n'] for x in rows))}")
    return tag("figure", title, bars(shares, f"{agent}: what it does in an overlap"))


def times(rows: Sequence[Row]) -> Html:
    """Return the tables of times with censored trials."""
    nobody = "No time was censored, so that means of responders leave nobody out who was asked."
    return _or([censored(rows, mode) for mode in modes(rows)], nobody)


def compared(rows: Sequence[Row]) -> Html:
    """Return the differences between agents and within them, each with what could have been seen."""
    order = modes(rows)[::-1]
    other = [x for x in rows if not is_authors(x)]
    shown = [differences(list(filter(is_authors, rows)), mode) for mode in order]
    rest = [(f"Other measures in {mode}", differences(other, mode)) for mode in order]
    rest += [(f"Changes of voice in {mode}", significance(rows, mode)) for mode in order]
    rest = [(f"The authors’ measures in {mode}", x) for mode, x in zip(order, shown, strict=True)][1:] + rest
    more = [folded(title, [sheet_table(sheet)]) for title, sheet in rest if sheet.body]
    if not more and not any(sheet.body for sheet in shown):
        return tag("p", "One agent: there is nothing to compare.", class_="empty")
    return join(*(sheet_table(sheet) for sheet in shown[:1] if sheet.body), *more)


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
    parts = [_folded(made, comparable(made, suite, tasks)) for made in tables]
    return join(*parts) if parts else tag("p", "Nothing has been published for this suite.", class_="empty")


def _folded(made: Table, fit: bool) -> Html:
    return join(tag("h3", made.title), _why(made, fit), folded("The numbers", list(_tables(made))))


def _why(made: Table, fit: bool) -> Html:
    sources = join(*(_linked(f"{x.cite}", x.url, i) for i, x in enumerate(made.sources)))
    said = (
        f"Shown beside this study under {made.mode}."
        if fit
        else "For orientation only: numbers of other sets than were played here, which do not compare."
    )
    about = f" ASR: {made.asr}. Judge: {made.judge}. {' '.join(made.notes)}"
    return tag("p", said, about, " Sources: ", sources, ".", class_="hint")


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
    below = [note] if low is None else [f"[{digits(low)}, {digits(high)}]", f"{k}/{n}"]
    return join(digits(value), *(tag("small", line) for line in below if line))
