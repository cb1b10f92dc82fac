"""Statistics of score tables and of times to events, on numbers alone.

Every result names how many values it rests on and how many were missing. Empty input gives None.
"""

from dyad.stats.agree import exact_match, spearman
from dyad.stats.boot import Bootstrap, bootstrap, bootstrap_each, jackknife_se
from dyad.stats.cells import ClusterMean, PooledRate, Proportion, cluster_mean, pooled_rate, rate, wilson
from dyad.stats.hurdle import Hurdle, hurdle
from dyad.stats.km import (
    CumulativeIncidence,
    KaplanMeier,
    Rmst,
    aalen_johansen,
    at_risk,
    kaplan_meier,
    rmst,
)
from dyad.stats.values import complete_scenarios
from dyad.stats.variance import (
    DiallelEffects,
    Split,
    binomial_noise,
    degrees_of_freedom,
    diallel,
    diallel_effects,
    diallel_parts,
    scenario_corrected,
    three_way,
    three_way_parts,
    two_way,
    two_way_parts,
    without_noise,
)

__all__ = [
    "Bootstrap",
    "ClusterMean",
    "CumulativeIncidence",
    "DiallelEffects",
    "Hurdle",
    "KaplanMeier",
    "PooledRate",
    "Proportion",
    "Rmst",
    "Split",
    "aalen_johansen",
    "at_risk",
    "binomial_noise",
    "bootstrap",
    "bootstrap_each",
    "cluster_mean",
    "complete_scenarios",
    "degrees_of_freedom",
    "diallel",
    "diallel_effects",
    "diallel_parts",
    "exact_match",
    "hurdle",
    "jackknife_se",
    "kaplan_meier",
    "pooled_rate",
    "rate",
    "rmst",
    "scenario_corrected",
    "spearman",
    "three_way",
    "three_way_parts",
    "two_way",
    "two_way_parts",
    "wilson",
    "without_noise",
]
