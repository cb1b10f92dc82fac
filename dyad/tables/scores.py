"""Score matrices and turn-taking: what each agent does with each partner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .cells import each_cell, pool
from .frame import HEADLINE, scored
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd

TURN_TAKING = ("tor_pause", "tor_end", "backchannels", "barge_in", "occupancy")
COUNTS = ("turns", "segments")  # beside the rates: how often there was anything to count


def matrices(frame: pd.DataFrame) -> Iterator[Row]:
    """Score matrices: row = acting agent, column = partner, one per scored archetype in the frame."""
    for archetype, measure in HEADLINE.items():
        for agent, partner, rows in each_cell(scored(frame, archetype)):
            cell = pool(rows, measure)
            if archetype == "t3_1" and agent == partner and cell.value is not None:  # half, whatever is said
                cell = cell._replace(value=0.5, low=None, high=None, interval="pinned")
            about = {"archetype": archetype, "measure": measure, "agent": agent, "partner": partner}
            yield row("matrix", **about, **cell._asdict())


def turn_cells(frame: pd.DataFrame) -> Iterator[Row]:
    """Turn-taking of each agent against each partner, pooled over all tasks."""
    for measure in (*TURN_TAKING, *COUNTS):
        for agent, partner, rows in each_cell(frame[frame["measure"] == measure]):
            about = {"measure": measure, "agent": agent, "partner": partner}
            yield row("turns", **about, **pool(rows, measure)._asdict())
