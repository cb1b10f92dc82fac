"""How alike runs of one scenario are, and how many independent runs they are worth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyad.stats.values import Numbers, count_missing, floats
from dyad.stats.variance import ROUNDING


@dataclass(frozen=True)
class Clustering:
    """Intraclass correlation `icc` of `n` runs in `scenarios`; `deff` is the design effect 1 + (m - 1) icc.

    `n_missing` runs had no value.
    """

    icc: float
    deff: float
    n: int
    scenarios: int
    n_missing: int

    @property
    def n_effective(self) -> float | None:
        """How many independent runs tell as much; None for a design effect of 0."""
        return self.n / self.deff if self.deff > 0 else None


def clustering(scenarios: Sequence[Numbers]) -> Clustering | None:
    """Return the intraclass correlation of runs, given as the values of each scenario.

    ICC = (MSB - MSW) / (MSB + (m - 1) MSW), from a one-way analysis of variance; with unequal numbers of
    runs m is (N - sum m_s^2 / N) / (S - 1) (Donner, Int. Stat. Rev. 54, 1986). It may be negative. None
    with fewer than two scenarios, with one run in each, or where no value differs from another.
    """
    runs = [floats(values) for values in scenarios]
    known = [values[~np.isnan(values)] for values in runs]
    known = [values for values in known if values.size]
    sizes = np.array([len(values) for values in known], float)
    n, count = float(sizes.sum()), len(known)
    if count < 2 or n == count:
        return None
    means = np.array([values.mean() for values in known])
    grand = float(sizes @ means) / n
    between = float(sizes @ (means - grand) ** 2) / (count - 1)
    within = sum(float(values.var()) * len(values) for values in known) / (n - count)
    m = (n - float(sizes @ sizes) / n) / (count - 1)
    whole = between + (m - 1) * within
    if whole <= ROUNDING * sum(float(values @ values) for values in known):
        return None
    icc = (between - within) / whole
    return Clustering(icc, 1 + (m - 1) * icc, int(n), count, sum(map(count_missing, runs)))
