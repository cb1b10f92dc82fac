"""Tables as people read them: texts in rows and columns, the same for paper, terminal and page.

A sheet is laid out from rows: some columns name its lines, and either the values of one more column become
its columns, or each number of a row has a column of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dyad.measure.catalogue import MEASURES

from .rows import Row
from .words import MISSING, amount, count, estimate, named, number, probability, unit_words


@dataclass(frozen=True)
class Sheet:
    """One table of texts. `key` tells the sheets of a study apart; the first `names` columns name a line."""

    key: str
    title: str
    heads: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    names: int
    note: str = ""


class Layout(NamedTuple):
    """How the rows of a table are laid out. Each `split` has a sheet of its own, `lines` name its lines.

    The values of `over` become columns; "" gives each number of a row a column instead. `keep` chooses rows.
    """

    about: str
    split: tuple[str, ...] = ()
    lines: tuple[str, ...] = ("archetype", "measure")
    over: str = "term"
    keep: Callable[[Row], bool] = lambda row: True


SCORE = ("archetype", "measure")
PAIR = ("archetype", "measure", "term", "partner")
WHO = ("archetype", "measure", "agent", "partner")
LAYOUTS: dict[str, Layout] = {
    "matrix": Layout("score", SCORE, ("agent",), "partner"),
    "turns": Layout("turn-taking, all tasks", (), ("agent", "partner"), "measure"),
    "profile": Layout("mean over partners", (), ("archetype", "measure"), "agent"),
    "contrast": Layout("differences between agents, paired by scenario", (), PAIR, ""),
    "factor": Layout("opener and role: difference of the two levels", (), (*WHO, "term"), ""),
    "mde": Layout("smallest difference that can be seen, and the variances behind it"),
    "control": Layout("controls", (), (*WHO, "term"), ""),
    "windows": Layout("longer windows: difference to the shortest", (), (*WHO, "term"), ""),
    "telling": Layout("telling callers who may know, and others", (), ("archetype", "measure", "agent")),
    "stance": Layout("adherence with an engaging and with a digressing partner", (), (*WHO, "term"), ""),
    "missing": Layout(
        "missing values", (), ("archetype", "measure", "agent"), "", lambda row: bool(row["hits"])
    ),
    "measures": Layout("every measure", ("archetype",), ("measure", "agent", "partner", "term"), ""),
    "turns_mean": Layout("turn-taking, mean over seats", (), ("agent", "partner"), "measure"),
    "eta": Layout("η²: share of the differences between cells"),
    "eta_corrected": Layout("η² without sampling noise"),
    "omega": Layout("ω²: replicate level"),
    "epsilon": Layout("ε²: replicate level"),
    "diallel": Layout("diallel: lift, edge, chemistry, cycle"),
    "diallel_corrected": Layout("diallel without sampling noise"),
    "effects": Layout("lift and edge of each agent", (), ("archetype", "measure", "agent")),
    "srm": Layout("social relations model", (), ("archetype", "measure", "agent")),
    "km": Layout("Kaplan–Meier medians", (), (*WHO, "term"), "", lambda row: row["term"].endswith("median")),
    "rmst": Layout("restricted mean time", (), WHO, ""),
    "logrank": Layout("log-rank tests, stratified by scenario", (), ("archetype", "measure", "term"), ""),
    "in_role": Layout("mean time in role", (), WHO, "", lambda row: row["at"] is None),
    "incidence": Layout("share of runs with a leak, of silences with an answer, at the end", (), WHO),
    "hurdle": Layout("act and success", SCORE, ("agent", "partner")),
    "balance": Layout("what the side that wants something gets", (), ("archetype", "measure"), ""),
    "game": Layout("value and best strategies of the game", SCORE, ("agent",)),
    "rank": Layout("rankings over the pool", SCORE, ("agent", "partner")),
    "run_status": Layout("runs of the plan", (), ("agent",), "term"),
    "run_absent": Layout("runs that are not there", (), ("partner", "term"), ""),
    "difference": Layout("differences of two studies, paired by scenario", (), (*WHO, "term"), ""),
}
# Of suites, whose modes (`term`) never share a table; see docs/suites.md
OF_SUITES: dict[str, Layout] = {
    "suite": Layout("means over stimuli", ("term",), ("measure", "agent"), ""),
    "suite_median": Layout("Kaplan–Meier medians", ("term",), ("measure", "agent"), ""),
    "suite_rmst": Layout("restricted mean time", ("term",), ("measure", "agent"), ""),
    "suite_difference": Layout("differences", ("term",), ("measure", "agent", "partner"), ""),
    "suite_significance": Layout("change of voice", ("term",), ("measure", "agent", "partner"), ""),
    "suite_status": Layout("trials of the plan", (), ("agent",), "term"),
    "suite_status_compat": Layout("trials of the plan in compat, where it differs", (), ("agent",), "term"),
    "suite_unscored": Layout("trials without a score", (), ("agent", "partner", "term"), ""),
}
NUMBERS: dict[str, Callable[[float | None], str]] = {  # of a row, in the order in which they are shown
    "at": number, "sd": number, "p": probability, "p_adjusted": probability, "mde": number,
    "hits": amount, "n": amount, "scenarios": count,
}  # fmt: skip
POOLED = {"": "all", "archetype": "all, by archetype", "task": "all, by task"}  # what turn-taking is of
UNITS = ("s", "per_min", "per_run")  # of others the measure's name says enough
HEADS = {
    "at": "at s", "sd": "SD", "p_adjusted": "p (Holm)", "mde": "MDE", "hits": "events", "term": "what",
    "partner": "with",
}  # fmt: skip


def sheets(table: str, rows: Sequence[Row]) -> Iterator[Sheet]:
    """Yield the sheets of the rows of one table, one per condition and `split`; none without rows."""
    layout = (LAYOUTS | OF_SUITES).get(table, Layout(table, (), (*WHO, "term"), ""))
    kept = [row for row in _latest(rows) if layout.keep(row)]
    split = ("condition", *layout.split)
    for key in dict.fromkeys(tuple(row[name] for name in split) for row in kept):
        own = [row for row in kept if tuple(row[name] for name in split) == key]
        yield _sheet(table, layout, own, dict(zip(split, key, strict=True)))


def _latest(rows: Sequence[Row]) -> list[Row]:
    """Of a curve that is given at many times only the last point: the others are for drawing."""
    last = {_place(row): row for row in rows if row["table"] == "incidence"}
    return [row for row in rows if row["table"] != "incidence" or last[_place(row)] is row]


def _place(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("condition", "table", *WHO, "term"))


def _sheet(table: str, layout: Layout, rows: Sequence[Row], key: dict[str, str]) -> Sheet:
    index = [name for name in layout.lines if any(row[name] for row in rows)] or [layout.lines[-1]]
    make = _across if layout.over else _along
    heads, body = make(rows, index, layout.over)
    names = tuple(HEADS.get(name, name) for name in index)
    unique = "-".join(filter(None, (table, *key.values())))
    note = ". ".join(filter(None, (_size(rows), _reasons(rows, layout.over))))
    return Sheet(unique, _title(layout, key), (*names, *heads), body, len(index), note)


def _title(layout: Layout, key: dict[str, str]) -> str:
    archetype, measure = key.get("archetype", ""), key.get("measure", "")
    meaning = f" ({MEASURES[measure].about})" if measure in MEASURES else ""
    of = ": ".join(filter(None, (named(archetype), measure))) + meaning
    return " · ".join(filter(None, (layout.about, of, key["condition"], key.get("term", ""))))


def _across(
    rows: Sequence[Row], index: Sequence[str], over: str
) -> tuple[list[str], tuple[tuple[str, ...], ...]]:
    """Lines by `index`, one column for each value of `over`, in the order in which they come."""
    heads = list(dict.fromkeys(_head(row, over) for row in rows))
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        found.setdefault(_names(row, index), {})[_head(row, over)] = _told(row, over)
    body = tuple((*line, *(own.get(head, MISSING) for head in heads)) for line, own in found.items())
    return heads, body


def _head(row: Row, over: str) -> str:
    """The column of a row; what is computed at several settings has several, a bare note its own."""
    at = "" if row["at"] is None or row["table"] != "rank" else f" {row['at']:g}"
    name = _measure(row) if over == "measure" else row[over]
    return f"{name}{at}" or "note"


def _told(row: Row, over: str) -> str:
    """A number with its interval, and the p value of its test where it has one; of a bare note its words."""
    if _unknown(row) and row["note"] and not row[over]:
        return str(row["note"])
    p = row["p"] if row["p_adjusted"] is None else row["p_adjusted"]
    return estimate(row) + ("" if p is None else f", p {probability(p)}")


def _along(
    rows: Sequence[Row], index: Sequence[str], _: str
) -> tuple[list[str], tuple[tuple[str, ...], ...]]:
    """One line per row, one column for each number that some row has."""
    used = [name for name in NUMBERS if any(row[name] is not None for row in rows)]
    used = [name for name in used if name != "p" or "p_adjusted" not in used]  # files have both
    notes = ["note"] if any(row["note"] for row in rows) else []
    body = tuple(
        (
            *_with_unit(row, index),
            estimate(row),
            *(NUMBERS[name](row[name]) for name in used),
            *(row[n] for n in notes),
        )
        for row in rows
    )
    return ["value", *(HEADS.get(name, name) for name in used), *notes], body


def _names(row: Row, index: Sequence[str]) -> tuple[str, ...]:
    """What names a line; an agent or partner that is not named stands for all of them."""
    return tuple(_name(row, name) for name in index)


def _name(row: Row, column: str) -> str:
    name = str(row[column])
    if column == "archetype":
        return POOLED.get(name, name)
    return name or ("all" if column in ("agent", "partner") else "")


def _with_unit(row: Row, index: Sequence[str]) -> tuple[str, ...]:
    return tuple(_measure(row) if name == "measure" else _name(row, name) for name in index)


def _measure(row: Row) -> str:
    """A measure, with its unit where the name does not say it."""
    return f"{row['measure']} ({unit_words(row['unit'])})" if row["unit"] in UNITS else str(row["measure"])


def _unknown(row: Row) -> bool:
    return row["value"] is None and row["low"] is None


def _reasons(rows: Sequence[Row], over: str) -> str:
    """Why numbers are missing, once for all cells that have no room to say it."""
    notes = dict.fromkeys(row["note"] for row in rows if over and _unknown(row) and row[over] and row["note"])
    return f"{MISSING}: {'; '.join(notes)}" if notes else ""


def _size(rows: Sequence[Row]) -> str:
    """How much each number rests on, from the least to the most."""
    told = []
    for column, word in (("observations", "n"), ("scenarios", "scenarios")):
        counts = [row[column] for row in rows if row[column] is not None]
        if counts:
            low, high = min(counts), max(counts)
            told.append(f"{word} {count(low)}" if low == high else f"{word} {count(low)}–{count(high)}")
    return ", ".join(told)
