"""Score matrices and turn-taking: what each agent does with each partner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .cells import pool_each
from .frame import HEADLINE, scored
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd

TURN_TAKING = ("tor_pause", "tor_end", "backchannels", "barge_in", "occupancy")
COUNTS = ("turns", "segments")  # beside the rates: how often there was anything to count


def matrices(frame: pd.DataFrame) -> Iterator[Row]:
    """Score matrices: row = acting agent, column = partner, one per scored archetype in the frame."""
    for archetype in HEADLINE:
        own = scored(frame, archetype)
        for about, cell in pool_each(own, ("archetype", "measure", "agent", "partner")):
            yield row("matrix", **about, **cell._asdict())


def turn_cells(frame: pd.DataFrame) -> Iterator[Row]:
    """Turn-taking of each agent against each partner, pooled over all tasks."""
    for measure in (*TURN_TAKING, *COUNTS):
        for about, cell in pool_each(frame[frame["measure"] == measure], ("measure", "agent", "partner")):
            yield row("turns", **about, **cell._asdict())
