"""Time to event, exactly: Kaplan-Meier curves and their restricted means.

Times are frame onsets on an 80 ms grid, so ties are everywhere and a survival of exactly one half is
common. Floating products give .5000000000000001 there and miss the median; survival is a Fraction.
Equal times must be equal numbers: subtract ticks before scaling to seconds.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import mul
from statistics import NormalDist

import numpy as np

from dyad.stats.events import Runs, read, read_events
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
        return tuple((np.array(self.survival, float) * np.sqrt(_greenwood(self).cumsum())).tolist())

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
    runs = read_events(times, events, entries)
    start = 0.0
    if entries is not None:
        opening = _opening(runs, min_at_risk)
        if opening is None:
            return None
        start, runs = opening, runs.only(runs.exit > opening)
    return _curve(runs, start) if runs.n else None


def at_risk(times: Numbers, exits: Numbers, entries: Numbers | None = None) -> tuple[int, ...]:
    """Return the number of runs at risk (entry < t <= exit) at each of `times`, the table under a plot."""
    runs = read(exits, np.zeros(len(exits)), entries)
    return tuple(runs.at_risk(floats(times)).tolist())


def band(curve: KaplanMeier, level: float = 0.95) -> tuple[tuple[float, float] | None, ...]:
    """Return the pointwise confidence interval of survival at each time of the curve, by log(-log S).

    S ** exp(± z se / (S log S)), se by Greenwood: inside (0, 1) by construction (Kalbfleisch and Prentice,
    The Statistical Analysis of Failure Time Data, §1.4). None before the first event and where nobody
    survives: there the data do not say how far off survival may be. Takes runs as independent.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    return tuple(_log_log(float(s), z * se) for s, se in zip(curve.survival, curve.se, strict=True))


def rmst(curve: KaplanMeier | None, tau: float) -> Rmst | None:
    """Return the area under the curve from its start to `tau`, with Greenwood's variance.

    Var = sum over events of (area from t to tau)^2 d / (n (n - d)). None where the curve is undefined
    at `tau`, i.e. before its start or past the last exit while some run survives.
    """
    if curve is None or curve.at(tau) is None:
        return None
    areas = _areas_to(curve, tau)
    variance = float((areas[1:] ** 2 * _greenwood(curve)).sum())
    return Rmst(float(areas[0]), math.sqrt(variance), tau, curve.n, curve.n_missing)


def _opening(runs: Runs, min_at_risk: int) -> float | None:
    """First entry right after which enough runs are at risk."""
    for moment in np.unique(runs.entry):
        if ((runs.entry <= moment) & (moment < runs.exit)).sum() >= min_at_risk:
            return float(moment)
    return None


def _curve(runs: Runs, start: float) -> KaplanMeier:
    moments = np.unique(runs.exit)
    sizes, deaths = runs.at_risk(moments).tolist(), runs.ended(moments, 1).tolist()
    steps = (Fraction(n - d, n) for n, d in zip(sizes, deaths, strict=True))
    return KaplanMeier(
        times=tuple(moments.tolist()),
        survival=tuple(accumulate(steps, mul)),
        n_at_risk=tuple(sizes),
        n_events=tuple(deaths),
        n_censored=tuple(runs.ended(moments, 0).tolist()),
        start=start,
        n=runs.n,
        n_missing=runs.n_missing,
    )


def _greenwood(curve: KaplanMeier) -> Floats:
    """Terms d / (n (n - d)); 0 when the whole risk set dies, as nothing is left for it to scale."""
    n, d = np.array(curve.n_at_risk, float), np.array(curve.n_events, float)
    return np.asarray(np.divide(d, n * (n - d), out=np.zeros(len(n)), where=n > d))


def _log_log(survival: float, half: float) -> tuple[float, float] | None:
    if not 0 < survival < 1:
        return None
    reach = half / (survival * math.log(survival))  # negative: the logarithm of a share is
    return survival ** math.exp(-reach), survival ** math.exp(reach)


def _areas_to(curve: KaplanMeier, tau: float) -> Floats:
    """Area under the curve up to `tau`, from its start and from each of its times (0 past tau)."""
    edges = np.minimum([curve.start, *curve.times, max(tau, curve.times[-1])], tau)
    heights = np.array([1.0, *map(float, curve.survival)])
    return np.asarray((np.diff(edges) * heights)[::-1].cumsum()[::-1])
