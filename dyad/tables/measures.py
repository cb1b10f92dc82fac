"""Every measure of the tidy rows, by what was played, by whom, and in which role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dyad.measure.catalogue import MEASURES

from .cells import pool_each
from .draws import NONE, Draws
from .frame import mirrored
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd


def each_measure(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Each measure of each agent over all partners, by archetype and kind of role (`term`; "" for the pair).

    The profile of an agent is read from here. Times to an event are left out, since a mean of times that
    were cut off says nothing: see the survival tables.
    """
    timed = [name for name, measure in MEASURES.items() if measure.unit == "s"]
    own = mirrored(part[~part["measure"].isin(timed)])
    for about, cell in pool_each(own, ("archetype", "kind", "measure", "agent")):
        term = {"term": about.pop("kind")}
        yield row("measures", **about, **term, **cell._asdict())
