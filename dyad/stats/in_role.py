"""Occupancy of a role: who is in it at a time, and for how long in all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyad.stats.events import Bools
from dyad.stats.values import Floats, Numbers, floats


@dataclass(frozen=True)
class RoleOccupancy:
    """Share of runs in role at each of some times, and the mean time in role in the unit of the times."""

    shares: tuple[float, ...]
    mean_time: float
    n: int
    n_missing: int


def role_spans(entries: Numbers, deviations: Numbers, ends: Numbers) -> Floats:
    """Return the time [n, 2] that each run is in role: from its entry to its deviation or end.

    A missing entry or deviation did not happen: who never enters has an empty span. A deviation that is not
    after its entry is invalid and counts as none. NaN where the end is missing. Raises ValueError if lengths
    differ.
    """
    entry, deviation, end = floats(entries), floats(deviations), floats(ends)
    if not entry.shape == deviation.shape == end.shape:
        raise ValueError(f"{entry.size} entries, {deviation.size} deviations and {end.size} ends must match")
    stop = np.where(deviation > entry, np.minimum(deviation, end), end)
    start = np.where(np.isnan(entry), stop, np.minimum(entry, stop))
    return np.column_stack((np.where(np.isnan(end), np.nan, start), stop))


def in_role(spans: Floats, times: Sequence[float]) -> Bools:
    """Return whether each run is in role at each of `times`, [n, T]: at its entry it is, at its end not."""
    at = np.asarray(times, float)
    return np.asarray((spans[:, :1] <= at) & (at < spans[:, 1:]))


def role_occupancy(spans: Floats, times: Sequence[float] = ()) -> RoleOccupancy | None:
    """Return P(in role at t) at each of `times`, and the mean time in role; None if no span is known.

    Unlike entry and deviation taken one by one, it needs neither an assumption about censoring nor a risk
    set: runs that never enter count as 0 throughout.
    """
    known = spans[~np.isnan(spans).any(axis=1)]
    if not len(known):
        return None
    shares = in_role(known, times).mean(axis=0)
    mean_time = float((known[:, 1] - known[:, 0]).mean())
    return RoleOccupancy(tuple(shares.tolist()), mean_time, len(known), len(spans) - len(known))
