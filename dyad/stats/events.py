"""Runs with a time and what ended them, read once for every estimate of time to event.

Equal times must be equal numbers: give ticks, and scale results to seconds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyad.stats.values import Floats, Numbers, floats

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Runs:
    """The runs that can be used, as parallel arrays [n]; `kept` says which of the given ones they are.

    A run is at risk at t if entry < t <= exit. `cause` is what ended it, 0 for censoring.
    """

    entry: Floats
    exit: Floats
    cause: Ints
    kept: Bools

    @property
    def n(self) -> int:
        """How many runs can be used."""
        return self.exit.size

    @property
    def n_missing(self) -> int:
        """How many cannot."""
        return int((~self.kept).sum())

    def only(self, rows: Bools) -> "Runs":
        """Return some of the runs; the others become missing."""
        kept = self.kept.copy()
        kept[kept] = rows
        return Runs(self.entry[rows], self.exit[rows], self.cause[rows], kept)

    def at_risk(self, times: Floats) -> Ints:
        """Return how many runs are at risk at each of `times`."""
        return np.searchsorted(np.sort(self.entry), times) - np.searchsorted(np.sort(self.exit), times)

    def ended(self, times: Floats, cause: int) -> Ints:
        """Return how many runs a cause ended at each of `times`."""
        own = np.sort(self.exit[self.cause == cause])
        return np.searchsorted(own, times, side="right") - np.searchsorted(own, times)


def read(times: Numbers, causes: Numbers, entries: Numbers | None = None) -> Runs:
    """Return the runs that end at `times` by `causes` (whole numbers, 0 is censored), at risk from `entries`.

    A run with a missing number, or with an exit not after its entry, is missing. Raises ValueError for
    negative times or causes and for lengths that differ.
    """
    exit_, cause = floats(times), floats(causes)
    entry = np.full(exit_.shape, -np.inf) if entries is None else floats(entries)
    if not exit_.shape == cause.shape == entry.shape:
        raise ValueError(f"{exit_.size} times, {cause.size} outcomes and {entry.size} entries must match")
    if (exit_ < 0).any() or (cause < 0).any() or (cause % 1 > 0).any():
        raise ValueError("times must not be negative; outcomes are whole numbers from 0")
    usable = ~np.isnan(cause) & (exit_ > entry)
    return Runs(entry[usable], exit_[usable], cause[usable].astype(np.int64), usable)


def read_events(times: Numbers, events: Numbers, entries: Numbers | None = None) -> Runs:
    """Return runs of which `events` is true where the event happened; ValueError for other outcomes."""
    runs = read(times, events, entries)
    if (runs.cause > 1).any():
        raise ValueError("events must be true, false or missing")
    return runs
