"""Pseudo-values of restricted mean survival, and their regression with scenarios as clusters.

Each run gets the value that the estimate owes to it, so that times which are partly censored can be compared
as if they were measured (Andersen, Hansen and Klein, Lifetime Data Anal. 10, 2004).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyad.stats.curves import area, surviving
from dyad.stats.events import read_events
from dyad.stats.student import t_p, t_reach
from dyad.stats.values import Floats, Numbers


@dataclass(frozen=True)
class GroupContrast:
    """Mean of one group minus that of the other, its robust standard error, and a test that it is 0."""

    value: float
    se: float
    low: float
    high: float
    p: float
    n: int
    n_missing: int
    clusters: int


def rmst_pseudo_values(times: Numbers, events: Numbers, tau: float) -> Floats:
    """Return n RMST(tau) - (n - 1) RMST(tau) without run i, for each run i; NaN where a run is missing.

    Without censoring before `tau` it is min(T_i, tau). All are NaN where RMST is undefined, i.e. where no run
    is followed to `tau` while some survive. Raises ValueError as `kaplan_meier` does.
    """
    runs = read_events(times, events)
    values = np.full(len(runs.kept), math.nan)
    moments = np.unique(runs.exit)
    if not runs.n or (moments[-1] < tau and not (runs.cause[runs.exit == moments[-1]] == 1).all()):
        return values
    place = np.searchsorted(moments, runs.exit)
    own_risk = np.arange(len(moments)) <= place[:, None]
    own_event = (np.arange(len(moments)) == place[:, None]) & (runs.cause == 1)[:, None]
    at_risk, happened = runs.at_risk(moments), runs.ended(moments, 1)
    whole = area(moments, surviving(at_risk.astype(float), happened.astype(float)), tau)
    without = area(moments, surviving((at_risk - own_risk).astype(float), happened - own_event), tau)
    values[runs.kept] = runs.n * whole - (runs.n - 1) * without
    return values


def clustered_contrast(
    values: Numbers, first: Sequence[bool], clusters: Sequence[Any], level: float = 0.95
) -> GroupContrast | None:
    """Return mean(`first`) - mean(the others) by GEE with an independence working correlation.

    The sandwich variance is that of Mancl and DeRouen (Biometrics 57, 2001), which corrects its bias with few
    clusters; interval and test are those of t with clusters - 1 degrees of freedom. Missing values are left
    out and counted. None with fewer than three clusters, without one of the groups, or where neither varies.
    """
    from statsmodels.genmod.generalized_estimating_equations import GEE

    y, group = np.asarray(values, float), np.asarray(first, bool)
    known = np.isfinite(y)
    y, group, label = y[known], group[known], np.unique(np.asarray(clusters)[known], return_inverse=True)[1]
    count = len(np.unique(label))
    if count < 3 or group.all() or not group.any() or not (np.ptp(y[group]) or np.ptp(y[~group])):
        return None
    design = np.column_stack((np.ones(len(y)), group))
    fitted = GEE(y, design, groups=label).fit(cov_type="bias_reduced")
    value, se = float(fitted.params[1]), float(fitted.bse[1])
    half, p = t_reach(count - 1, level) * se, t_p(value / se, count - 1)
    return GroupContrast(value, se, value - half, value + half, p, len(y), int((~known).sum()), count)
