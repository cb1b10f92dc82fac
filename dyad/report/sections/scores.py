"""Scores: a matrix per archetype, what each agent does over all partners, and conditions side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dyad.library import INFO
from dyad.measure.catalogue import MEASURES
from dyad.report.figures.forest import SHARES, Line, around_zero, forest
from dyad.report.figures.matrix import matrix
from dyad.report.markup import Html, join, tag
from dyad.tables.rows import Row
from dyad.tables.words import estimate, number

from .part import Key, Part, about, card, cards, table

ROW_WORDS = {
    "t1_1": "acts", "t1_2": "role holder", "t2": "one of the pair", "t3_1": "acts", "t3_2": "presser",
    "t4_1": "acts", "t4_2": "attacker", "t4_3": "claimant", "t4_4": "seller",
}  # fmt: skip


UNTESTED = (
    "Over all partners. Nothing here is tested, so no difference is claimed; cut lines, rights to know and "
    "windows are compared under Design."
)


def scores(parts: Sequence[Part], flags: Mapping[str, Sequence[str]]) -> Html:
    """Return a card per archetype: its matrix, and what may be concluded from it."""
    made = (_matrix(part, key, flags) for part in parts for key in part.keys("matrix"))
    return cards(made, "No scores: no run with roles has been judged.")


def profiles(parts: Sequence[Part]) -> Html:
    """Return a card per agent: its mean over partners in every archetype. Nothing is ranked."""
    made = [
        card(tag("figure", tag("figcaption", tag("b", part.titled(agent))), _profile(rows, agent)))
        for part in parts
        for agent in sorted({row["agent"] for row in part.rows("profile")})
        if (rows := [row for row in part.rows("profile", agent=agent) if row["value"] is not None])
    ]
    return cards(made, "No agent has a score with every partner.")


def side_by_side(parts: Sequence[Part]) -> Html:
    """Return what each agent scores over all partners under each condition; nothing with only one."""
    found = [part for part in parts if part.rows("profile")]
    if len(found) < 2:
        return Html("")
    keys = dict.fromkeys(key for part in found for key in part.keys("profile"))
    made = cards((card(_conditions(found, key)) for key in keys), "")
    return join(tag("h3", "Conditions side by side"), tag("p", UNTESTED, class_="claim refused"), made)


def _matrix(part: Part, key: Key, flags: Mapping[str, Sequence[str]]) -> Html:
    archetype, measure = key
    rows = part.rows("matrix", key)
    agents, partners = sorted({r["agent"] for r in rows}), sorted({r["partner"] for r in rows})
    found = {(r["agent"], r["partner"]): r for r in rows}
    info = next(info for name, info in INFO.items() if name == archetype)
    drawn = matrix({
        "archetype": archetype, "title": part.titled(info.name), "measure": measure,
        "unit": MEASURES[measure].unit, "rows": agents, "cols": partners, "row_word": ROW_WORDS[archetype],
        "col_word": info.column, "better": info.better, "flags": flags.get(archetype, ()),
        "cells": [[_cell(found.get((a, p))) for p in partners] for a in agents],
    })  # fmt: skip
    return card(drawn, part.claim("matrix", "contrast", key=key))


def _cell(row: Row | None) -> Mapping[str, float | None] | None:
    if row is None:
        return None
    return {"value": row["value"], "lo": row["low"], "hi": row["high"], "n": row["observations"]}


def _profile(rows: Sequence[Row], agent: str) -> Html:
    lines = list(_lines(rows))
    axis = (
        SHARES
        if all(0 <= line.value <= 1 for line in lines if line.value is not None)
        else around_zero(lines)
    )
    return forest(lines, axis, f"{agent}: mean score over partners in every archetype")


def _lines(rows: Sequence[Row]) -> Iterator[Line]:
    for row in rows:
        name = f"{row['archetype']} {row['measure']}"
        yield Line(name, row["value"], row["low"], row["high"], estimate(row), True)


def _conditions(found: Sequence[Part], key: Key) -> Html:
    """One line per agent, one column per condition."""
    agents = sorted({row["agent"] for part in found for row in part.rows("profile", key)})
    body = [[agent, *(_under(part, key, agent) for part in found)] for agent in agents]
    return table(about(key), ["agent", *(part.condition for part in found)], body)


def _under(part: Part, key: Key, agent: str) -> str:
    row = next(iter(part.rows("profile", key, agent=agent)), None)
    return number(None) if row is None else estimate(row)
