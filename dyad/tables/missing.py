"""What nobody could tell: missing values of every measure, and why they are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .draws import NONE, Draws
from .frame import mirrored
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd


def missing(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Missing values of each archetype and measure: `hits` of `n` rows; `note` counts the reasons.

    Over all agents (agent ""), and of each agent where a measure has any: what is missing for one agent more
    than for another can make a difference that is none. For the reasons see `dyad.measure.rows`.
    """
    lost = part.assign(reason=part["reason"].fillna(""), lost=part["value"].isna())
    for (archetype, measure), rows in lost.groupby(["archetype", "measure"], sort=True):
        about = {"archetype": archetype, "measure": measure}
        yield _share(rows, **about)
        if rows["lost"].any():
            for agent, own in mirrored(rows).groupby("agent", sort=True):
                yield _share(own, **about, agent=agent)


def _share(rows: pd.DataFrame, **about: object) -> Row:
    reasons = Counter(rows.loc[rows["lost"], "reason"]).most_common()
    note = ", ".join(f"{reason or 'unknown'} {n}" for reason, n in reasons)
    n, hits = len(rows), float(rows["lost"].sum())
    return row("missing", **about, value=hits / n, hits=hits, n=n, unit="share", better=0, note=note)
