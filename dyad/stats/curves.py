"""Kaplan-Meier curves of many resamples at once.

Counts of each unit (scenario) at each event time are made once. Weighted sums of them, one row per resample,
then give all curves in a few array operations. Exact curves are in `dyad.stats.km`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyad.stats.events import Ints, Runs
from dyad.stats.values import Floats

# A survival within this of one half counts as one half. Each of T factors (n - d) / n and each of T products
# is rounded once, so a computed survival of one half is off by at most T * 2**-53: 1.7e-13 for the 1,500
# ticks of two minutes. Without censoring before t a survival is k / n, at least 1 / (2 n) away from one half
# unless it is one half; 1e-12 would take n = 5e11 runs.
ROUNDING = 1e-12


@dataclass(frozen=True)
class RiskTable:
    """Runs at risk and events, both [U, T], of U units at the T times at which any run had the event.

    `last` [U] is the last exit of each unit, -inf where it has no run; curves are 1 at `start`.
    """

    times: Floats
    at_risk: Floats
    events: Floats
    last: Floats
    start: float


def risk_table(runs: Runs, units: Ints | Sequence[int], n_units: int, start: float = 0.0) -> RiskTable:
    """Return the counts of runs; `units` are numbers below `n_units`, one for each run that was read.

    Runs that end by a later start than 0 are left out.
    """
    if start > 0:
        runs = runs.only(runs.exit > start)
    own = np.asarray(units, np.int64)[runs.kept]
    last = np.full(n_units, -np.inf)
    np.maximum.at(last, own, runs.exit)
    moments = np.unique(runs.exit[runs.cause == 1])
    at_risk, happened = _counts(runs, moments, own, n_units)
    return RiskTable(moments, at_risk, happened, last, start)


def survival(table: RiskTable, weights: Floats) -> Floats:
    """Return survival [B, T] at the table's times in resamples with weights [B, U]."""
    return surviving(weights @ table.at_risk, weights @ table.events)


def surviving(at_risk: Floats, events: Floats) -> Floats:
    """Return survival [..., T] from the runs at risk and the events at each time; no run, no step."""
    steps = np.divide(at_risk - events, at_risk, out=np.ones(at_risk.shape), where=at_risk > 0)
    return np.asarray(np.cumprod(steps, axis=-1))


def medians(table: RiskTable, weights: Floats) -> Floats:
    """Return the first time [B] at which survival is at most one half; inf where it is not reached."""
    half = survival(table, weights) <= 0.5 + ROUNDING
    first = half.argmax(axis=1) if half.shape[1] else np.zeros(len(half), int)
    return np.where(half.any(axis=1), np.append(table.times, np.inf)[first], np.inf)


def restricted_means(table: RiskTable, weights: Floats, tau: float) -> Floats:
    """Return the area [B] under survival from the start to `tau`, as `rmst` does.

    NaN where the curve is undefined at `tau`: no run, or none that is followed so far while some survive.
    """
    curves = survival(table, weights)
    mean = area(table.times, curves, tau, table.start)
    last = np.where(weights > 0, table.last, -np.inf).max(axis=1, initial=-np.inf)
    ended = (curves == 0).any(axis=1)
    return np.where((last >= tau) | ended, mean, np.nan)


def area(times: Floats, curves: Floats, tau: float, start: float = 0.0) -> Floats:
    """Return the area [...] up to `tau` under step curves [..., T] at `times` [T] that are 1 at `start`."""
    widths = np.diff(np.minimum(np.concatenate(([start], times, [max(tau, start)])), tau))
    return np.asarray(widths[0] + curves @ widths[1:])


def percentiles(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the ends of the percentile interval of values that may be inf: the order statistics there."""
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(values, ends, method="inverted_cdf")  # never a mean with infinity in it
    return float(low), float(high)


def _counts(runs: Runs, moments: Floats, units: Ints, n_units: int) -> tuple[Floats, Floats]:
    """At risk (entry < t <= exit) and events of each unit at each moment, both [U, T]."""
    change = np.zeros((n_units, len(moments) + 1))
    np.add.at(change, (units, np.searchsorted(moments, runs.entry, side="right")), 1.0)
    np.add.at(change, (units, np.searchsorted(moments, runs.exit, side="right")), -1.0)
    happened = np.zeros((n_units, len(moments)))
    event = runs.cause == 1
    np.add.at(happened, (units[event], np.searchsorted(moments, runs.exit[event])), 1.0)
    return change.cumsum(axis=1)[:, :-1], happened
