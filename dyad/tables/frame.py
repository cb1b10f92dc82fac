"""Cutting the tidy frame of run rows: by judge, by condition, and to the scored rows of an archetype."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from dyad.library import INFO
from dyad.measure.catalogue import MEASURES, Tie
from dyad.spec import Archetype

if TYPE_CHECKING:
    import pandas as pd

DRAW = ("seed", "opener", "repetition")  # what tells the free conversations of one pairing apart
CONDITIONS: dict[str, Callable[[Any], str]] = {  # columns that are never pooled over, and how each is named
    "channel": str,
    "window": lambda seconds: f"{seconds:g} s",
    "twin": lambda twin: f"twin {twin}" if twin else "no twin",
    "lang": str,
}
# The headline score of each archetype that is scored; INFO names the concept, this the row that carries it.
HEADLINE: dict[Archetype, str] = {
    "t1_1": "adherence", "t1_2": "adherence", "t2": "solved", "t3_1": "occupancy", "t3_2": "occupancy",
    "t4_1": "won", "t4_2": "leak", "t4_3": "won_if_decided", "t4_4": "gap_share",
}  # fmt: skip

SPLIT: tuple[Tie, ...] = ("some", "all")  # what one seat has, the other of its run has not


def of_judge(frame: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return the rows of a frame of run rows that one judge made, and those that need no judge."""
    return frame[frame["judge"].isin(("", judge))]


def with_draws(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with each draw of a free conversation as a scenario of its own.

    What has no content has no scenarios to generalise over. Its draws (seed, opener, repetition) take their
    place: the runs of one share their random numbers over all pairings, as those of one scenario do.
    """
    draw = frame["scenario"].str.cat(frame[list(DRAW)].astype(str), sep="/")
    return frame.assign(scenario=frame["scenario"].where(frame["task"] != "t0", draw))


def conditions(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each condition with a name for it, of what differs in the frame; "" for only one."""
    several = [key for key in CONDITIONS if frame[key].nunique(dropna=False) > 1]
    for values, part in frame.groupby(list(CONDITIONS), sort=True, dropna=False):
        named = dict(zip(CONDITIONS, values, strict=True))
        yield ", ".join(CONDITIONS[key](named[key]) for key in several), part


def scored(frame: pd.DataFrame, archetype: Archetype, measure: str = "") -> pd.DataFrame:
    """Rows of a score of an archetype (its headline by default), of its scored role only.

    A score of the pair counts for both agents: in cross-play its row comes twice, once for each as actor.
    """
    own = frame[(frame["archetype"] == archetype) & (frame["measure"] == (measure or HEADLINE[archetype]))]
    if (anchor := INFO[archetype].anchor) is not None:
        own = own[own["role"].isin((anchor, ""))]
    return mirrored(own)


def two_seats(archetype: str) -> bool:
    """Whether both seats of a recording count in the tables of an archetype, or of turn-taking in all."""
    return not any(archetype == key and info.anchor for key, info in INFO.items())


def tie(archetype: str, measure: str) -> Tie:
    """Return what the values of two seats in a table of a measure have in common by construction."""
    return MEASURES[measure].tie if two_seats(archetype) else ""


def halves(own: pd.DataFrame) -> pd.Series[bool]:
    """Which rows are one of two in which an agent shares something with itself."""
    split = [name for name, measure in MEASURES.items() if measure.tie in SPLIT]
    found = own["measure"].isin(split) & (own["agent"] == own["partner"])
    both = own[found].groupby("run_id")["seat"].nunique() > 1
    return found & own["run_id"].isin(both.index[both])


def mirrored(own: pd.DataFrame) -> pd.DataFrame:
    """Rows of a measure with those of a pair of two agents a second time, agents exchanged."""
    import pandas as pd

    pair = own[(own["seat"] == "") & (own["agent"] != own["partner"])]
    if pair.empty:
        return own
    swapped = pair.rename(columns={"agent": "partner", "partner": "agent"})
    return pd.concat([own, swapped[own.columns]])
