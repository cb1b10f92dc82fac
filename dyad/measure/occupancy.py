"""Who holds the line: ticks in which one seat speaks alone, both speak, or nobody does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.measure.turns import Count, Ticks


class Floor(NamedTuple):
    """Ticks of a recording by who speaks; the four add to its length."""

    x: int  # only X
    y: int  # only Y
    both: int
    silence: int

    @property
    def occupancy(self) -> Count:
        """Ticks of X alone among the ticks in which exactly one seat speaks (DyaFDB, App. C)."""
        return Count(self.x, self.x + self.y)


def active(segments: Ticks, ticks: int) -> NDArray[np.bool_]:
    """Return bool [ticks]: whether the seat with these segments, int64 [n, 2], speaks in each tick."""
    steps = np.zeros(ticks + 1, dtype=np.int64)
    np.add.at(steps, segments[:, 0], 1)
    np.add.at(steps, segments[:, 1], -1)
    return steps.cumsum()[:ticks] > 0


def floor(x: Ticks, y: Ticks, ticks: int) -> Floor:
    """Return how X and Y share a recording of `ticks`; ValueError if a segment lies outside it."""
    if any(len(s) and (s.min() < 0 or s.max() > ticks) for s in (x, y)):
        raise ValueError(f"segments must lie within [0, {ticks}]")
    a, b = active(x, ticks), active(y, ticks)
    alone_x, alone_y, both = int((a & ~b).sum()), int((b & ~a).sum()), int((a & b).sum())
    return Floor(alone_x, alone_y, both, ticks - alone_x - alone_y - both)
