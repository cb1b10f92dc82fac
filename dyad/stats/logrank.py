"""The log-rank test: whether survival differs between groups, inside strata."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyad.stats.curves import risk_table
from dyad.stats.events import read_events
from dyad.stats.values import Floats, Numbers

RANK = 1e-9  # a direction with less than this share of the variance is one in which groups never met


@dataclass(frozen=True)
class LogRank:
    """Events of each group, how many were expected without a difference, and the test that they are alike.

    `variance` [G, G] is that of observed - expected. `df` is 0, and `chi2` and `p` are None, where no two
    groups were ever at risk together at an event.
    """

    groups: tuple[Any, ...]
    observed: tuple[int, ...]
    expected: tuple[float, ...]
    variance: tuple[tuple[float, ...], ...]
    chi2: float | None
    df: int
    p: float | None
    n: int
    n_missing: int


def logrank(
    times: Numbers,
    events: Numbers,
    groups: Sequence[Any],
    strata: Sequence[Any] | None = None,
    entries: Numbers | None = None,
) -> LogRank | None:
    """Compare the survival of `groups`, each run against those at risk in its own one of `strata`.

    At each event time of a stratum d of n runs at risk have the event, and n_g d / n are expected in group g;
    the variance is hypergeometric, d (n - d) / (n - 1) n_g / n (1 - n_g / n), which is right for ties. Sums
    over times and strata give chi squared (Mantel, Cancer Chemother. Rep. 50, 1966). Takes runs of a stratum
    as independent. With `entries`, a run is at risk at t if entry < t <= exit. None if no run can be used;
    raises ValueError as `kaplan_meier` does.
    """
    runs = read_events(times, events, entries)
    if not runs.n:
        return None
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    stratum = np.zeros(len(group), int) if strata is None else np.unique(strata, return_inverse=True)[1]
    shape = (int(stratum.max()) + 1, len(names))
    table = risk_table(runs, stratum * len(names) + group, shape[0] * shape[1])
    at_risk, happened = table.at_risk.reshape(*shape, -1), table.events.reshape(*shape, -1)
    observed, expected, variance = _moments(at_risk, happened)
    chi2, df, p = _test(observed - expected, variance)
    return LogRank(
        groups=tuple(names.tolist()),
        observed=tuple(observed.astype(int).tolist()),
        expected=tuple(expected.tolist()),
        variance=tuple(map(tuple, variance.tolist())),
        chi2=chi2,
        df=df,
        p=p,
        n=runs.n,
        n_missing=runs.n_missing,
    )


def _moments(at_risk: Floats, happened: Floats) -> tuple[Floats, Floats, Floats]:
    """Observed [G], expected [G] and their covariance [G, G], from counts [strata, G, T]."""
    n, d = at_risk.sum(axis=1, keepdims=True), happened.sum(axis=1, keepdims=True)
    share = np.divide(at_risk, n, out=np.zeros(at_risk.shape), where=n > 0)
    spread = np.divide(d * (n - d), n - 1, out=np.zeros(n.shape), where=n > 1)
    variance = np.diag((spread * share).sum(axis=(0, 2))) - np.einsum("sgt,sht->gh", spread * share, share)
    return happened.sum(axis=(0, 2)), (share * d).sum(axis=(0, 2)), variance


def _test(excess: Floats, variance: Floats) -> tuple[float | None, int, float | None]:
    """Chi squared, its degrees of freedom and p; the excesses add to 0, so the variance has no inverse."""
    from scipy.special import chdtrc

    values, vectors = np.linalg.eigh(variance)
    used = values > RANK * max(values.max(), 1.0)
    df = int(used.sum())
    if not df:
        return None, 0, None
    chi2 = float(((vectors[:, used].T @ excess) ** 2 / values[used]).sum())
    return chi2, df, float(chdtrc(df, chi2))
