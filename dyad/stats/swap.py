"""Restricted means of two groups that were seen in the same scenarios, and whether they differ."""

from collections.abc import Iterator

import numpy as np

from dyad.stats.curves import ROUNDING, RiskTable, restricted_means
from dyad.stats.permute import BLOCK
from dyad.stats.values import Floats


def mean_differences(both: RiskTable, first: Floats, tau: float) -> Floats:
    """Return the restricted mean of one group minus that of the other, [B], NaN where undefined.

    The units of `both` are the scenarios of group one, then the same ones of group two. `first` [B, 2 S] are
    the weights of what counts as group one; group two has the same weights, halves exchanged.
    """
    second = np.roll(first, len(both.last) // 2, axis=1)
    return restricted_means(both, first, tau) - restricted_means(both, second, tau)


def swap_test(both: RiskTable, tau: float, rng: np.random.Generator, draws: int) -> float | None:
    """Return the two-sided p value of that difference, the two groups being exchanged in whole scenarios.

    All exchanges if they are no more than `draws`, else so many random ones and p = (1 + hits) / (1 + draws).
    An exchange that leaves a mean undefined is a hit. None for 0 draws or if the difference is undefined.
    """
    n = len(both.last) // 2
    observed = abs(float(mean_differences(both, _first(np.ones((1, n))), tau)[0]))
    if not draws or np.isnan(observed):
        return None
    least = observed - ROUNDING * tau
    hits = sum(
        int((~(np.abs(mean_differences(both, _first(kept), tau)) < least)).sum())
        for kept in _exchanges(n, rng, draws)
    )
    return hits / 2**n if 2**n <= draws else (1 + hits) / (1 + draws)


def _first(kept: Floats) -> Floats:
    """Weights of group one where each scenario [B, S] is kept (1) or exchanged (0)."""
    return np.hstack((kept, 1 - kept))


def _exchanges(n: int, rng: np.random.Generator, draws: int) -> Iterator[Floats]:
    """Which of n scenarios are kept, in blocks [B, n]: every choice, or `draws` random ones."""
    every = 2**n <= draws
    made = 2**n if every else draws
    for start in range(0, made, BLOCK):
        rows = np.arange(start, min(start + BLOCK, made))[:, None]
        kept = rows >> np.arange(n) & 1 if every else rng.integers(2, size=(len(rows), n))
        yield kept.astype(float)
