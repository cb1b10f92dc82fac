"""What conditions change: a cut line, a right to know, a longer window. They take a frame of several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dyad.spec.run import ChannelSpec, Direction
from dyad.stats.values import Floats

from .cells import cells_of, pool
from .draws import NONE, Draws
from .frame import CONDITIONS, HEADLINE, conditions, scored, tie
from .paired import in_common, mean_known, paired
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd

CLEAN, CUT = (ChannelSpec(ab=way, ba=way).phrase for way in (Direction(), Direction(gain=0.0)))
AUTHORISED = "authorised"


def controls(frame: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Rows of the controls that a frame holds, each with the condition that it was made in."""
    for condition, clean, cut in _each(frame, "channel", CLEAN, CUT):
        yield from _placed(sham_gain(clean, cut, draws), condition)
    for condition, plain, twin in _each(frame, "twin", "", AUTHORISED):
        yield from _placed(authorised(plain, twin, draws), condition)


def windows(frame: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """What each agent scores more in every longer window than in the shortest one, paired by scenario.

    Windows are recordings of their own: a difference holds what more time allows and what it leads to.
    """
    shortest, *longer = sorted(set(frame["window"])) or [0.0]
    for window in longer:
        term, rng = f"{window:g} s − {shortest:g} s", draws.rng(f"windows {window:g}")
        for condition, short, long in _each(frame, "window", shortest, window):
            yield from _placed(_gains(long, short, "windows", term, draws, rng), condition)


def sham_gain(clean: pd.DataFrame, cut: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """What each agent scores more on a clean line than on a cut one, with the same partners, by scenario.

    Whatever is left on a cut line owes nothing to the partner.
    """
    return _gains(clean, cut, "control", "sham gain", draws, draws.rng("sham gain"))


def _placed(rows: Iterator[Row], condition: str) -> Iterator[Row]:
    return (found | {"condition": condition} for found in rows)


def _gains(
    first: pd.DataFrame, second: pd.DataFrame, table: str, term: str, draws: Draws, rng: np.random.Generator
) -> Iterator[Row]:
    """What each agent scores more in the first frame than in the second."""
    for archetype, measure in HEADLINE.items():
        one, other = scored(first, archetype), scored(second, archetype)
        for agent in sorted(set(one["agent"]) & set(other["agent"])):
            pinned = {agent} if tie(archetype, measure) == "all" else set()
            partners = sorted(set(one["partner"]) - pinned)
            gains = mean_known(_differences(one, other, [agent], partners))
            if len(gains):
                about = {"archetype": archetype, "measure": measure, "agent": agent, "term": term}
                yield row(table, **about, **paired(gains, draws.permutations, rng))


def authorised(plain: pd.DataFrame, twin: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Whether a defender (`agent`) tells callers who may know, and only them; over all attackers.

    Table `telling`: the share of callers that it tells, without and with a right to know, and how often it is
    right, mean of both (balanced accuracy; .5 is chance). Control `authorised`: the difference of the two
    shares, paired by scenario.
    """
    rng = draws.rng("authorised")
    one, other = scored(plain, "t4_2"), scored(twin, "t4_2")
    other = other.assign(scenario=other["scenario"].str.removesuffix(f".{AUTHORISED}"))
    for defender in sorted(set(one["partner"]) & set(other["partner"])):
        attackers = sorted(set(one["agent"]) & set(other["agent"]))
        about = {"archetype": "t4_2", "measure": HEADLINE["t4_2"], "agent": defender}
        for term, rows in (("without a right", one), ("with a right", other)):
            cell = pool(rows[rows["partner"] == defender], about["measure"])
            yield row("telling", **about, term=term, **cell._asdict())
        more = mean_known(-_differences(one, other, attackers, [defender]))
        found = paired(more, draws.permutations, rng)
        yield row("telling", **about, term="balanced accuracy", better=1, **_balanced(found))
        yield row("control", **about, term="authorised", **found)


def _balanced(found: Row) -> Row:
    """Balanced accuracy from a difference of the two shares."""
    ends = {key: 0.5 + found[key] / 2 for key in ("value", "low", "high") if found.get(key) is not None}
    return {key: found[key] for key in ("interval", "scenarios", "missing", "note") if key in found} | ends


def _each(
    frame: pd.DataFrame, key: str, first: str, second: str
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Yield name and rows of every two conditions that differ in one column only, as asked."""
    others = [column for column in CONDITIONS if column != key]
    theirs = dict(list(frame[frame[key] == second].groupby(others, dropna=False)))
    for condition, part in conditions(frame[frame[key] == first]):
        same = tuple(part[others].iloc[0])
        if same in theirs:
            yield condition, part, theirs[same]


def _differences(one: pd.DataFrame, other: pd.DataFrame, agents: list[str], partners: list[str]) -> Floats:
    first, second = in_common(cells_of(one, agents, partners), cells_of(other, agents, partners))
    return first - second
