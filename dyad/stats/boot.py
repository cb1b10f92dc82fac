"""Resampling by scenario, the unit that is independent: runs of one scenario are not.

Resampling runs instead would give intervals several times too narrow. A resample is a row of weights, how
often each scenario was drawn; a statistic of weighted sums then takes all resamples in one array operation.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyad.stats.student import t_reach
from dyad.stats.values import Floats, floats

DRAWS = 2000
MOST_UNDEFINED = 0.05  # share of draws; what is left of more is another statistic than the one asked for
BLOCK = 250  # resamples at once: a statistic may hold a whole survival curve for each

Statistic: TypeAlias = Callable[[Floats], Mapping[str, Floats]]
"""From weights [B, S] of S scenarios to named values [B]; NaN where a resample leaves one undefined."""


@dataclass(frozen=True)
class Bootstrap:
    """A statistic of the whole data, the SD of its draws and their expanded percentile interval [low, high].

    `n` scenarios, `draws` draws, of which `n_missing` left the statistic undefined: where these are more than
    `MOST_UNDEFINED`, there is no interval, and no SD where they are all.
    """

    value: float
    sd: float | None
    low: float | None
    high: float | None
    n: int
    draws: int
    n_missing: int


def bootstrap(
    statistic: Statistic,
    n: int,
    *,
    rng: np.random.Generator,
    strata: Sequence[Any] | None = None,
    draws: int = DRAWS,
    level: float = 0.95,
) -> dict[str, Bootstrap]:
    """Bootstrap every named value of a statistic over `n` scenarios.

    Every draw picks scenarios with replacement within each of `strata` (e.g. the archetype of each scenario)
    and recomputes the whole statistic. All resamples are enumerated when there are no more than `draws`. A
    name is left out if it is undefined on the data; nothing is returned if a stratum has fewer than two
    scenarios, as its variance is unknown, or for 0 draws. Raises ValueError if `strata` differ in length.

    The interval is the expanded percentile interval (Hesterberg, What Teachers Should Know About the
    Bootstrap, The American Statistician 69, 2015): with few scenarios, plain percentiles are too narrow.
    """
    weights = resamples(n, rng, strata, draws)
    if not len(weights):
        return {}
    drawn = [statistic(weights[i : i + BLOCK]) for i in range(0, len(weights), BLOCK)]
    tail = tail_share([n] if strata is None else np.unique(strata, return_counts=True)[1].tolist(), level)
    found = {}
    for name, value in statistic(np.ones((1, n))).items():
        summary = _summary(float(value[0]), np.concatenate([block[name] for block in drawn]), n, tail)
        if summary is not None:
            found[name] = summary
    return found


def resamples(
    n: int, rng: np.random.Generator, strata: Sequence[Any] | None = None, draws: int = DRAWS
) -> Floats:
    """Return the weights [draws, n] of resamples; none if a stratum has fewer than two scenarios."""
    labels = np.zeros(n) if strata is None else np.unique(np.asarray(strata), return_inverse=True)[1]
    if len(labels) != n:
        raise ValueError(f"strata of {len(labels)} scenarios, but there are {n}")
    pools = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    if not pools or min(map(len, pools)) < 2:
        return np.empty((0, n))
    if math.prod(len(pool) ** len(pool) for pool in pools) <= draws:
        return _every(pools, n)
    weights = np.empty((draws, n))
    for pool in pools:
        weights[:, pool] = rng.multinomial(len(pool), np.full(len(pool), 1 / len(pool)), draws)
    return weights


def tail_share(sizes: Sequence[int], level: float = 0.95) -> float:
    """Return the share of draws to leave out at each end, from the number of scenarios in each stratum.

    It makes the interval of a mean that of Student's t: the variance of draws is (m - 1) / m of what it
    should be, m being the size of the (smallest) stratum, and has the degrees of freedom of all strata.
    """
    smallest = min(sizes)
    far = t_reach(sum(sizes) - len(sizes), level) * math.sqrt(smallest / (smallest - 1))
    return NormalDist().cdf(-far)


def jackknife_se(statistic: Statistic, n: int) -> dict[str, float | None]:
    """Return the SE sqrt((S - 1) / S * sum of squared deviations) of leave-one-scenario-out values, by name.

    None with fewer than two scenarios or if the value is undefined without one of them.
    """
    if n < 2:
        return dict.fromkeys(statistic(np.ones((1, n)))) if n else {}
    left_out = statistic(1 - np.eye(n))
    return {name: _jackknifed(values) for name, values in left_out.items()}


def _jackknifed(values: Floats) -> float | None:
    return None if np.isnan(values).any() else math.sqrt((len(values) - 1) * float(values.var()))


def _every(pools: Sequence[NDArray[np.intp]], n: int) -> Floats:
    """All resamples: each place of a pool is filled by any scenario of that pool."""
    picks = product(*(pool for pool in pools for _ in pool))
    return np.array([np.bincount(pick, minlength=n) for pick in picks], float)


def _summary(value: float, drawn: Floats, n: int, tail: float) -> Bootstrap | None:
    if not math.isfinite(value):
        return None
    values = floats(drawn)
    known = values[~np.isnan(values)]
    missing = values.size - known.size
    sd = float(known.std()) if known.size else None
    if missing > MOST_UNDEFINED * values.size:
        return Bootstrap(value, sd, None, None, n, values.size, missing)
    low, high = np.quantile(known, [tail, 1 - tail])
    return Bootstrap(value, sd, float(low), float(high), n, values.size, missing)
