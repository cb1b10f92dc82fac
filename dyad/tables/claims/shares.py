"""Sentences on variance: what the differences between cells go with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dyad.tables.frame import tie
from dyad.tables.words import listed, number, share

from .found import (
    Found,
    Said,
    estimated,
    ground,
    p_of,
    percent,
    rejects,
    sentence,
    tested,
    unseen,
    with_p,
)

if TYPE_CHECKING:
    from dyad.tables.rows import Row

EITHER = "either"  # model and partner where they are one
WORDS = {
    EITHER: "either of them",
    "model": "the agent",
    "partner": "its partner",
    "interaction": "the two together",
}
PARTS = ("lift", "edge", "chemistry", "cycle")
EFFECTS = {
    "lift": "raises the score in either seat",
    "edge": "gains in the own seat what it concedes in the other",
}
SAME = 1e-9  # shares closer than this are equal by algebra, not by chance


def _eta(found: Found) -> Iterator[Said]:
    shares = _by_term(found.rows("eta"))
    if not {"model", "partner"} <= shares.keys():
        return
    if _by_algebra(found, shares):
        yield Said(sentence("Model and partner shares are equal by algebra here", _lift(found, shares)))
        yield from _tests(found, {EITHER: shares["model"], **_without(shares, "model", "partner")})
        return
    told = [f"{WORDS[term]} {percent(shares[term])}" for term in WORDS if term in shares]
    yield Said(sentence(f"Differences between cells: {listed(told)}"))
    yield from _noise(found)
    yield from _tests(found, shares)


def _by_algebra(found: Found, shares: dict[str, Row]) -> bool:
    apart = abs(shares["model"]["value"] - shares["partner"]["value"])
    return tie(found.archetype, found.measure) != "" and apart < SAME


def _without(shares: dict[str, Row], *terms: str) -> dict[str, Row]:
    return {term: row for term, row in shares.items() if term not in terms}


def _lift(found: Found, shares: dict[str, Row]) -> str:
    """The larger of lift and edge, into which such a matrix can be split; else the share itself."""
    parts = _by_term(found.rows("diallel"))
    split = [parts[term] for term in ("lift", "edge") if term in parts]
    if not split:
        return f": each {percent(shares['model'])}"
    largest = max(split, key=lambda row: row["value"])
    return f"; {largest['term']} takes {percent(largest)}"


def _noise(found: Found) -> Iterator[Said]:
    if noise := found.one("eta_corrected", term="noise"):
        if noise["value"] < 1:
            yield Said(sentence(f"Sampling noise alone makes {share(noise['value'])} of them"))
        else:
            yield Said("Sampling noise alone would make more than all of them.", False)


def _tests(found: Found, shares: dict[str, Row]) -> Iterator[Said]:
    """Which of the parts a permutation test and the interval of the corrected share both confirm."""
    asked = {term: shares[term] for term in WORDS if term in shares and p_of(shares[term]) is not None}
    corrected = _by_term(found.rows("eta_corrected"))
    clear = {t: row for t, row in asked.items() if _confirmed(row, corrected.get(row["term"]))}
    alone = {t: row for t, row in asked.items() if rejects(row) and t not in clear}
    if clear:
        yield Said(sentence(f"Beyond chance: {_with_p(clear)}"), True)
    if alone:
        yield Said(sentence(f"Told from chance by the test, but by no interval: {_with_p(alone)}"), False)
    if unclear := _without(asked, *clear, *alone):
        yield Said(sentence(f"Not distinguishable from chance: {_with_p(unclear)}"), False)


def _confirmed(row: Row, corrected: Row | None) -> bool:
    low = (row if corrected is None or corrected["low"] is None else corrected)["low"]
    return rejects(row) and low is not None and low > 0


def _with_p(shares: dict[str, Row]) -> str:
    return listed([f"{WORDS[term]} ({with_p(row)})" for term, row in shares.items()])


def _corrected(found: Found) -> Iterator[Said]:
    rows = [row for term, row in _by_term(found.rows("eta_corrected")).items() if term in WORDS]
    if rows:
        told = listed([f"{WORDS[row['term']]} {percent(row)}" for row in rows])
        yield Said(sentence(f"Without sampling noise: {told}"))
    if below := [WORDS[row["term"]] for row in rows if row["value"] < 0]:
        yield Said(sentence(f"Less than noise alone would make: {listed(below)}"), False)


def _diallel(found: Found) -> Iterator[Said]:
    parts = _by_term(found.rows("diallel"))
    told = [f"{term} {percent(parts[term])}" for term in PARTS if term in parts]
    if told:
        yield Said(sentence(f"Of the differences between cells, {listed(told)}"))


def _effects(found: Found) -> Iterator[Said]:
    for term, meaning in EFFECTS.items():
        rows = found.rows("effects", term=term)
        if any(abs(row["value"]) > SAME for row in rows):  # else it is 0 by algebra
            told = listed([f"{row['agent']} {estimated(row)}" for row in rows])
            yield Said(sentence(f"{term.capitalize()} ({meaning}): {told}"))
    row = found.one("effects", agent="", term="self premium")
    if row is not None and abs(row["value"]) > SAME:
        what = f"Self-play minus cross-play is {estimated(row)} {ground(row)}"
        yield (
            Said(sentence(what), True) if tested(row) else Said(sentence(what, f"; it {unseen(row)}"), False)
        )


def _relations(found: Found) -> Iterator[Said]:
    if parts := [row for row in found.rows("srm", agent="") if row["term"].endswith("variance")]:
        told = listed([f"{row['term'].removesuffix(' variance')} {number(row['value'])}" for row in parts])
        yield Said(sentence(f"Variances, self-play left out: {told}"))


def _by_term(rows: Sequence[Row]) -> dict[str, Row]:
    return {row["term"]: row for row in rows}


WRITERS = {
    "eta": _eta,
    "eta_corrected": _corrected,
    "diallel": _diallel,
    "effects": _effects,
    "srm": _relations,
}
