"""Sentences on scores: cells, differences between agents, factors of the design, controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyad.tables.rows import Row
from dyad.tables.words import count, listed, number

from .found import SHOWN, Found, Said, estimated, ground, one_scenario, sentence, tested, unseen

FACTORS = {"opener": "Opening minus not opening", "role": "Role a minus role b"}
CONTROLS = {
    "sham gain": "gain from hearing the partner, clean line minus cut line,",
    "authorised": "difference between callers who may know and others",
}


def _cells(found: Found, table: str) -> Iterator[Said]:
    rows = found.rows(table)
    if not rows:
        yield Said("No run gave a value.", False)
        return
    least, most = (choose(rows, key=lambda row: row["value"]) for choose in (min, max))
    if least["value"] == most["value"]:
        yield Said(sentence(f"Every cell is {number(least['value'])}", _n(rows)))
    else:
        yield Said(sentence(f"Cells go from {_cell(least)} to {_cell(most)}"))


def _cell(row: Row) -> str:
    n = "" if row["observations"] is None else f", n {count(row['observations'])}"
    return f"{estimated(row)} ({row['agent']} with {row['partner']}{n})"


def _n(rows: Sequence[Row]) -> str:
    counts = sorted(row["observations"] for row in rows if row["observations"] is not None)
    ends = dict.fromkeys(map(count, (counts[0], counts[-1]))) if counts else {}
    return f"(n {' to '.join(ends)})" if ends else ""


def _contrasts(found: Found) -> Iterator[Said]:
    rows = found.rows("contrast", partner="")
    if not rows:
        return
    if refusal := one_scenario(rows):
        yield refusal
        return
    clear = sorted(filter(tested, rows), key=lambda row: -abs(row["value"]))
    for row in clear[:SHOWN]:
        yield Said(_difference(row), True)
    others = len(rows) - len(clear)
    if len(clear) > SHOWN:
        yield Said(f"{len(clear) - SHOWN} more pairs of agents differ.", True)
    if clear and others:
        yield Said(f"{others} other pair{'s are' if others > 1 else ' is'} not distinguishable.", False)
    if not clear:
        yield _no_difference(rows)


def _difference(row: Row) -> str:
    """A difference as a positive number, and which of two agents has more."""
    other = row["term"].rpartition(" − ")[2]
    size, ends = row["value"], (row["low"], row["high"])
    more, less = ("later", "earlier") if row["unit"] == "s" else ("above", "below")
    word = more if size > 0 else less
    if size < 0:
        size, ends = -size, tuple(-end for end in reversed(ends) if end is not None)
    told = estimated(row | {"value": size, "low": ends[0], "high": ends[-1]})
    than = " than" if row["unit"] == "s" else ""
    return f"{row['agent']} is {told} {word}{than} {other} with the same partners {ground(row)}."


def _no_difference(rows: Sequence[Row]) -> Said:
    largest = max(rows, key=lambda row: abs(row["value"]))
    what = f"the largest difference, {largest['term']} = {estimated(largest)} {ground(largest)},"
    return Said(f"No two agents can be told apart: {what} {unseen(largest)}.", False)


def _factors(found: Found) -> Iterator[Said]:
    for row in found.rows("factor", agent="", partner=""):
        yield _tried(row, FACTORS[row["term"]])


def _controls(found: Found) -> Iterator[Said]:
    for row in found.rows("control", partner="")[:SHOWN]:
        who = f" of {row['agent']}" if row["agent"] else ""
        yield _tried(row, f"The {CONTROLS.get(row['term'], row['term'])}{who}")


def _windows(found: Found) -> Iterator[Said]:
    for row in found.rows("windows", partner=""):
        yield _tried(row, f"The change of {row['agent']} from the shorter window, {row['term']},")


def _stance(found: Found) -> Iterator[Said]:
    for row in found.rows("stance"):
        yield _tried(row, f"{row['term']} of {row['agent']}")


def _between_studies(found: Found) -> Iterator[Said]:
    for row in found.rows("difference", agent="", partner=""):
        yield _tried(row, "The second study minus the first, over the cells of both,")


def _tried(row: Row, name: str) -> Said:
    """A difference that was looked for, and whether it may be claimed."""
    what = f"{name} is {estimated(row)} {ground(row)}".strip()
    if refusal := one_scenario([row]):
        return refusal
    return Said(sentence(what), True) if tested(row) else Said(sentence(what, f"; it {unseen(row)}"), False)


def _power(found: Found) -> Iterator[Said]:
    if row := found.one("mde", term="mde"):
        where = f"With {ground(row)[1:-1]} " if row["scenarios"] is not None else ""
        what = f"a difference of {number(row['value'])} between two agents with one partner"
        size = f"{what} would be seen 4 times in 5, a smaller one less often"
        yield Said(sentence(f"{where}{size}" if where else size.capitalize()))


def _profile(found: Found) -> Iterator[Said]:
    rows = sorted(found.rows("profile"), key=lambda row: row["agent"])
    if rows:
        means = listed([f"{row['agent']} {estimated(row)}" for row in rows])
        yield Said(sentence(f"Mean over partners: {means}"))


WRITERS = {
    "matrix": lambda found: _cells(found, "matrix"),
    "turns": lambda found: _cells(found, "turns"),
    "contrast": _contrasts,
    "factor": _factors,
    "mde": _power,
    "control": _controls,
    "windows": _windows,
    "difference": _between_studies,
    "stance": _stance,
    "profile": _profile,
}
