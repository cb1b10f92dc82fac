"""Time to event, exactly: Kaplan-Meier, restricted mean, Aalen-Johansen.

Times are frame onsets on an 80 ms grid, so ties are everywhere and a survival of exactly one half is
common. Floating products give .5000000000000001 there and miss the median; survival is a Fraction.
Equal times must be equal numbers: subtract ticks before scaling to seconds.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import mul

import numpy as np
from numpy.typing import NDArray

from dyad.stats.values import Floats, Numbers, floats

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class KaplanMeier:
    """A survival curve: one entry per distinct exit time, whether an event or a censoring.

    `survival[i]` holds from `times[i]` until the next time. The curve is 1 at `start`, which is 0
    unless entry is delayed. `n` runs are in it; `n_missing` had no usable time.
    """

    times: tuple[float, ...]
    survival: tuple[Fraction, ...]
    n_at_risk: tuple[int, ...]
    n_events: tuple[int, ...]
    n_censored: tuple[int, ...]
    start: float
    n: int
    n_missing: int

    @property
    def median(self) -> float | None:
        """First time at which survival is at most one half, or None if that is not reached."""
        return next((t for t, s in zip(self.times, self.survival, strict=True) if s <= HALF), None)

    @property
    def se(self) -> tuple[float, ...]:
        """Greenwood's standard error of survival at each time; 0 where survival is 0, its limit."""
        terms = (_greenwood(n, d) for n, d in zip(self.n_at_risk, self.n_events, strict=True))
        sums = accumulate(terms)
        return tuple(float(s) * math.sqrt(v) for s, v in zip(self.survival, sums, strict=True))

    def at(self, time: float) -> Fraction | None:
        """Return survival just after `time`; None before the start or past the last run's exit."""
        if time < self.start or (time > self.times[-1] and self.survival[-1]):
            return None
        return (Fraction(1), *self.survival)[bisect_right(self.times, time)]


@dataclass(frozen=True)
class Rmst:
    """Restricted mean survival time up to `tau` and its standard error, in the unit of the times."""

    value: float
    se: float
    tau: float
    n: int
    n_missing: int


@dataclass(frozen=True)
class CumulativeIncidence:
    """Probability of having had each cause by each distinct exit time; with `survival` they add to 1."""

    times: tuple[float, ...]
    incidence: Mapping[int, tuple[Fraction, ...]]
    survival: tuple[Fraction, ...]
    n_at_risk: tuple[int, ...]
    n: int
    n_missing: int

    def at(self, cause: int, time: float) -> Fraction | None:
        """Return the incidence of `cause` by `time`; 0 if nobody had it, None past the last run's exit."""
        if time > self.times[-1] and self.survival[-1]:
            return None
        steps = self.incidence.get(cause, (Fraction(0),) * len(self.times))
        return (Fraction(0), *steps)[bisect_right(self.times, time)]


@dataclass(frozen=True)
class _Runs:
    """Runs that can be used, as parallel arrays, and the count of those that cannot."""

    entry: Floats
    exit: Floats
    cause: NDArray[np.int64]
    n_missing: int

    @property
    def empty(self) -> bool:
        return not self.exit.size

    def at_risk(self, time: float) -> int:
        return int(((self.entry < time) & (time <= self.exit)).sum())

    def ended(self, time: float, cause: int) -> int:
        return int(((self.exit == time) & (self.cause == cause)).sum())

    def keep(self, rows: NDArray[np.bool_]) -> "_Runs":
        dropped = int((~rows).sum())
        return _Runs(self.entry[rows], self.exit[rows], self.cause[rows], self.n_missing + dropped)


def kaplan_meier(
    times: Numbers, events: Numbers, entries: Numbers | None = None, min_at_risk: int = 1
) -> KaplanMeier | None:
    """Return the exact Kaplan-Meier curve of runs that end at `times`, by event or by censoring.

    `events` is true where the event happened; at a tie events come before censorings. With `entries`
    (delayed entry, left truncation) a run is at risk at t if entry < t <= exit, and the curve starts at
    the first entry at which `min_at_risk` runs are at risk: tiny early risk sets ruin the whole curve.
    A missing time, event or entry and an exit not after its entry or the start make a run missing. None
    if no run is left. Raises ValueError for negative times, lengths that differ, events not in {0, 1}.
    """
    runs = _runs(times, events, entries)
    if not np.isin(runs.cause, (0, 1)).all():
        raise ValueError("events must be true, false or missing")
    start = 0.0
    if entries is not None:
        opening = _opening(runs, min_at_risk)
        if opening is None:
            return None
        start, runs = opening, runs.keep(runs.exit > opening)
    return None if runs.empty else _curve(runs, start)


def at_risk(times: Numbers, exits: Numbers, entries: Numbers | None = None) -> tuple[int, ...]:
    """Return the number of runs at risk (entry < t <= exit) at each of `times`, the table under a plot."""
    runs = _runs(exits, np.zeros(len(exits)), entries)
    return tuple(runs.at_risk(float(t)) for t in floats(times))


def rmst(curve: KaplanMeier | None, tau: float) -> Rmst | None:
    """Return the area under the curve from its start to `tau`, with Greenwood's variance.

    Var = sum over events of (area from t to tau)^2 d / (n (n - d)). None where the curve is undefined
    at `tau`, i.e. before its start or past the last exit while some run survives.
    """
    if curve is None or curve.at(tau) is None:
        return None
    areas = _areas_to(curve, tau)
    variance = math.fsum(
        area * area * float(_greenwood(n, d))
        for area, n, d in zip(areas[1:], curve.n_at_risk, curve.n_events, strict=True)
    )
    return Rmst(areas[0], math.sqrt(variance), tau, curve.n, curve.n_missing)


def aalen_johansen(times: Numbers, causes: Numbers) -> CumulativeIncidence | None:
    """Return the exact cumulative incidence of competing causes (positive integers; 0 is censored).

    At each time F_k += S(t-) d_k / n, then S *= 1 - d / n; tied causes share one step. None if no run
    has both a time and a cause. Raises ValueError for negative times or causes, or lengths that differ.
    """
    runs = _runs(times, causes, None)
    if runs.empty:
        return None
    kinds = [int(kind) for kind in np.unique(runs.cause) if kind]
    moments = _moments(runs)
    sizes = tuple(runs.at_risk(t) for t in moments)
    incidence, survival = {kind: [Fraction(0)] for kind in kinds}, [Fraction(1)]
    for t, n in zip(moments, sizes, strict=True):
        hazards = {kind: Fraction(runs.ended(t, kind), n) for kind in kinds}
        for kind, hazard in hazards.items():
            incidence[kind].append(incidence[kind][-1] + survival[-1] * hazard)
        survival.append(survival[-1] * (1 - sum(hazards.values())))
    steps = {kind: tuple(values[1:]) for kind, values in incidence.items()}
    return CumulativeIncidence(moments, steps, tuple(survival[1:]), sizes, runs.exit.size, runs.n_missing)


def _runs(times: Numbers, causes: Numbers, entries: Numbers | None) -> _Runs:
    exit_, cause = floats(times), floats(causes)
    entry = np.full(exit_.shape, -np.inf) if entries is None else floats(entries)
    if not exit_.shape == cause.shape == entry.shape:
        raise ValueError(f"{exit_.size} times, {cause.size} outcomes and {entry.size} entries must match")
    if (exit_ < 0).any() or (cause < 0).any() or (cause % 1 > 0).any():
        raise ValueError("times must not be negative; outcomes are whole numbers from 0")
    usable = ~np.isnan(cause) & (exit_ > entry)
    whole = np.where(usable, cause, 0).astype(np.int64)
    return _Runs(entry, exit_, whole, 0).keep(usable)


def _opening(runs: _Runs, min_at_risk: int) -> float | None:
    """First entry right after which enough runs are at risk."""
    for moment in np.unique(runs.entry):
        if ((runs.entry <= moment) & (moment < runs.exit)).sum() >= min_at_risk:
            return float(moment)
    return None


def _moments(runs: _Runs) -> tuple[float, ...]:
    return tuple(float(t) for t in np.unique(runs.exit))


def _curve(runs: _Runs, start: float) -> KaplanMeier:
    moments = _moments(runs)
    sizes = tuple(runs.at_risk(t) for t in moments)
    deaths = tuple(runs.ended(t, 1) for t in moments)
    steps = (1 - Fraction(d, n) for d, n in zip(deaths, sizes, strict=True))
    return KaplanMeier(
        times=moments,
        survival=tuple(accumulate(steps, mul)),
        n_at_risk=sizes,
        n_events=deaths,
        n_censored=tuple(runs.ended(t, 0) for t in moments),
        start=start,
        n=runs.exit.size,
        n_missing=runs.n_missing,
    )


def _greenwood(n: int, deaths: int) -> Fraction:
    """One term d / (n (n - d)); 0 when the whole risk set dies, as nothing is left for it to scale."""
    return Fraction(deaths, n * (n - deaths)) if n > deaths else Fraction(0)


def _areas_to(curve: KaplanMeier, tau: float) -> list[float]:
    """Area under the curve up to `tau`, from its start and from each of its times (0 past tau)."""
    edges = np.minimum([curve.start, *curve.times, max(tau, curve.times[-1])], tau)
    heights = np.array([1.0, *map(float, curve.survival)])
    pieces = np.diff(edges) * heights
    return [float(area) for area in np.cumsum(pieces[::-1])[::-1]]
