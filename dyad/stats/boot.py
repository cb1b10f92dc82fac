"""Resampling by scenario, the unit that is independent: runs of one scenario are not.

Resampling runs instead would give intervals several times too narrow.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad.stats.values import Floats, floats

DRAWS = 2000


@dataclass(frozen=True)
class Bootstrap:
    """A statistic of the whole data, the SD of its draws and their percentile interval [low, high].

    `n` scenarios, `draws` draws, of which `n_missing` left the statistic undefined.
    """

    value: float
    sd: float
    low: float
    high: float
    n: int
    draws: int
    n_missing: int


def bootstrap(
    statistic: Callable[..., float | None],
    *arrays: NDArray[Any],
    rng: np.random.Generator,
    strata: Sequence[Any] | None = None,
    draws: int = DRAWS,
    level: float = 0.95,
) -> Bootstrap | None:
    """Bootstrap one number; see `bootstrap_each` for the arguments and for when the answer is None."""

    def named(*resampled: NDArray[Any]) -> dict[str, float | None]:
        return {"value": statistic(*resampled)}

    found = bootstrap_each(named, *arrays, rng=rng, strata=strata, draws=draws, level=level)
    return found.get("value")


def bootstrap_each(
    statistic: Callable[..., Mapping[str, float | None] | None],
    *arrays: NDArray[Any],
    rng: np.random.Generator,
    strata: Sequence[Any] | None = None,
    draws: int = DRAWS,
    level: float = 0.95,
) -> dict[str, Bootstrap]:
    """Bootstrap several named numbers of one statistic over arrays whose leading axis is the scenario.

    Every draw picks scenarios with replacement, the same for all arrays and within each of `strata`
    (e.g. the archetype of each scenario), and recomputes the whole statistic. All resamples are
    enumerated when there are no more than `draws`. A name is left out if it is undefined on the data;
    nothing is returned if a stratum has fewer than two scenarios, as its variance is unknown. Raises
    ValueError if the arrays or `strata` differ in length.
    """
    n = _scenarios(arrays, strata)
    labels = np.zeros(n) if strata is None else np.unique(np.asarray(strata), return_inverse=True)[1]
    pools = [np.flatnonzero(labels == label) for label in labels]
    if not pools or min(map(len, pools)) < 2:
        return {}
    values = statistic(*arrays) or {}
    rows = [statistic(*(array[pick] for array in arrays)) or {} for pick in _picks(pools, rng, draws)]
    found = {}
    for name, value in values.items():
        summary = _summary(value, [row.get(name) for row in rows], n, level)
        if summary is not None:
            found[name] = summary
    return found


def jackknife_se(statistic: Callable[..., float | None], *arrays: NDArray[Any]) -> float | None:
    """Return the SE sqrt((S - 1) / S * sum of squared deviations) of leave-one-scenario-out values.

    None with fewer than two scenarios or if the statistic is undefined without one of them.
    """
    n = _scenarios(arrays, None)
    if n < 2:
        return None
    left_out = floats([statistic(*(np.delete(array, s, axis=0) for array in arrays)) for s in range(n)])
    return None if np.isnan(left_out).any() else math.sqrt((n - 1) * float(left_out.var()))


def _scenarios(arrays: Sequence[NDArray[Any]], strata: Sequence[Any] | None) -> int:
    lengths = {len(array) for array in arrays} | (set() if strata is None else {len(strata)})
    if len(lengths) != 1:
        raise ValueError(f"arrays and strata must cover the same scenarios, not {sorted(lengths)} of them")
    return lengths.pop()


def _picks(pools: Sequence[NDArray[np.intp]], rng: np.random.Generator, draws: int) -> NDArray[np.intp]:
    """Scenario indices [draws, S]: place s is filled from its own stratum, pools[s]."""
    if math.prod(map(len, pools)) <= draws:
        return np.array(list(product(*pools)))
    return np.stack([rng.choice(pool, draws) for pool in pools], axis=1)


def _summary(value: float | None, drawn: Sequence[float | None], n: int, level: float) -> Bootstrap | None:
    values: Floats = floats(drawn)
    known = values[~np.isnan(values)]
    if value is None or not math.isfinite(value) or not known.size:
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    missing = values.size - known.size
    return Bootstrap(value, float(known.std()), float(low), float(high), n, values.size, missing)
