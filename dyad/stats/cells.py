"""One cell of a table: a mean with its cluster standard error, a proportion, a rate from counts."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from dyad.stats.values import Numbers, count_missing, floats


@dataclass(frozen=True)
class ClusterMean:
    """Mean of scenario means; `sd` and `se` are None with a single scenario."""

    value: float
    sd: float | None
    se: float | None
    n: int
    n_missing: int


@dataclass(frozen=True)
class Proportion:
    """A share k / n and its interval [low, high], all in [0, 1]."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class PooledRate:
    """Rate of a cell: events pooled over runs (`value`), and the mean of the rates of single runs."""

    value: float
    run_mean: float
    hits: int
    opportunities: int
    n: int
    n_missing: int


def cluster_mean(scenario_means: Numbers) -> ClusterMean | None:
    """Return the mean over scenarios and its standard error sd / sqrt(S), with sd of ddof 1.

    A paired contrast is the same function on per-scenario differences. Missing scenarios are left
    out and counted; None if none is left.
    """
    means = floats(scenario_means)
    known = means[~np.isnan(means)]
    if not known.size:
        return None
    sd = float(known.std(ddof=1)) if known.size > 1 else None
    se = None if sd is None else sd / math.sqrt(known.size)
    return ClusterMean(float(known.mean()), sd, se, known.size, count_missing(means))


def wilson(hits: int, n: int, level: float = 0.95) -> Proportion | None:
    """Return the Wilson score interval of hits / n, or None if n is 0.

    For display only: it treats runs as independent. Raises ValueError unless 0 <= hits <= n.
    """
    share = rate(hits, n)
    if share is None:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / scale
    # At 0 and n hits one end is the share itself; rounding must not push it past.
    return Proportion(share, min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)), n)


def rate(hits: int, opportunities: int) -> float | None:
    """Return hits / opportunities, or None without opportunities; ValueError unless 0 <= hits <= them."""
    if not 0 <= hits <= opportunities:
        raise ValueError(f"hits {hits} must lie between 0 and the {opportunities} opportunities")
    return hits / opportunities if opportunities else None


def pooled_rate(hits: Numbers, opportunities: Numbers) -> PooledRate | None:
    """Return the rate of one cell from the counts of its runs, or None without any opportunity.

    Runs without opportunities, or with a missing count, are in `n_missing`. Raises ValueError if the
    lengths differ or a run has more hits than opportunities.
    """
    per_run_hits, per_run_chances = floats(hits), floats(opportunities)
    if per_run_hits.shape != per_run_chances.shape:
        raise ValueError(f"hits of {per_run_hits.size} runs, opportunities of {per_run_chances.size}")
    counted = (per_run_chances > 0) & ~np.isnan(per_run_hits)
    if not counted.any():
        return None
    won, chances = per_run_hits[counted], per_run_chances[counted]
    if (won < 0).any() or (won > chances).any():
        raise ValueError("hits must lie between 0 and the opportunities of each run")
    return PooledRate(
        value=float(won.sum() / chances.sum()),
        run_mean=float((won / chances).mean()),
        hits=int(won.sum()),
        opportunities=int(chances.sum()),
        n=won.size,
        n_missing=int((~counted).sum()),
    )
