"""Statistics of score tables and of times to events, on numbers alone.

Every result names how many values it rests on and how many were missing. Empty input gives None.
"""

from dyad.stats.agree import (
    Agreement,
    agreement,
    bennett,
    cohen_kappa,
    contingency,
    exact_match,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    scott_pi,
    spearman,
)
from dyad.stats.anova import Anova, anova
from dyad.stats.boot import Bootstrap, bootstrap, jackknife_se, resamples, tail_share
from dyad.stats.cells import ClusterMean, PooledRate, Proportion, cluster_mean, pooled_rate, rate, wilson
from dyad.stats.correct import Calibration, Corrected, calibrate, ppi, rogan_gladen
from dyad.stats.diallel import (
    DiallelEffects,
    diallel,
    diallel_effects,
    diallel_parts,
    lift_edge,
    self_play_parts,
    self_premium,
)
from dyad.stats.games import (
    Game,
    NashAverage,
    best_response_proximity,
    game_values,
    log_odds,
    nash_average,
    self_minus_cross,
    transitive_share,
    zero_sum,
)
from dyad.stats.hurdle import Hurdle, Sums, chance_corrected, hurdle, hurdle_sums, win_bounds
from dyad.stats.icc import Clustering, clustering
from dyad.stats.in_role import RoleOccupancy, in_role, role_occupancy, role_spans
from dyad.stats.incidence import CumulativeIncidence, aalen_johansen
from dyad.stats.km import KaplanMeier, Rmst, at_risk, band, kaplan_meier, rmst
from dyad.stats.logrank import LogRank, logrank
from dyad.stats.multiple import benjamini_hochberg, holm
from dyad.stats.noise import (
    binomial_noise,
    corrected_shares,
    corrected_squares,
    scenario_corrected,
    without_noise,
)
from dyad.stats.permute import Test, component_test, model_test, paired_test, partner_test
from dyad.stats.power import MDE_FACTOR, Components, components, mde, quantiles, runs_needed, scenarios_needed
from dyad.stats.pseudo import GroupContrast, clustered_contrast, rmst_pseudo_values
from dyad.stats.ranking import ELO, Lifts, additive_logit, alpha_rank, bradley_terry
from dyad.stats.srm import SocialRelations, relations, social_relations
from dyad.stats.student import t_p, t_reach
from dyad.stats.values import complete_scenarios
from dyad.stats.variance import (
    Split,
    degrees_of_freedom,
    eta_squared,
    three_way,
    three_way_parts,
    two_way,
    two_way_parts,
)

__all__ = [
    "ELO",
    "MDE_FACTOR",
    "Agreement",
    "Anova",
    "Bootstrap",
    "Calibration",
    "ClusterMean",
    "Clustering",
    "Components",
    "Corrected",
    "CumulativeIncidence",
    "DiallelEffects",
    "Game",
    "GroupContrast",
    "Hurdle",
    "KaplanMeier",
    "Lifts",
    "LogRank",
    "NashAverage",
    "PooledRate",
    "Proportion",
    "Rmst",
    "RoleOccupancy",
    "SocialRelations",
    "Split",
    "Sums",
    "Test",
    "aalen_johansen",
    "additive_logit",
    "agreement",
    "alpha_rank",
    "anova",
    "at_risk",
    "band",
    "benjamini_hochberg",
    "bennett",
    "best_response_proximity",
    "binomial_noise",
    "bootstrap",
    "bradley_terry",
    "calibrate",
    "chance_corrected",
    "cluster_mean",
    "clustered_contrast",
    "clustering",
    "cohen_kappa",
    "complete_scenarios",
    "component_test",
    "components",
    "contingency",
    "corrected_shares",
    "corrected_squares",
    "degrees_of_freedom",
    "diallel",
    "diallel_effects",
    "diallel_parts",
    "eta_squared",
    "exact_match",
    "fleiss_kappa",
    "game_values",
    "gwet_ac1",
    "holm",
    "hurdle",
    "hurdle_sums",
    "in_role",
    "jackknife_se",
    "kaplan_meier",
    "krippendorff_alpha",
    "lift_edge",
    "log_odds",
    "logrank",
    "mde",
    "model_test",
    "nash_average",
    "paired_test",
    "partner_test",
    "pooled_rate",
    "ppi",
    "quantiles",
    "rate",
    "relations",
    "resamples",
    "rmst",
    "rmst_pseudo_values",
    "rogan_gladen",
    "role_occupancy",
    "role_spans",
    "runs_needed",
    "scenario_corrected",
    "scenarios_needed",
    "scott_pi",
    "self_minus_cross",
    "self_play_parts",
    "self_premium",
    "social_relations",
    "spearman",
    "t_p",
    "t_reach",
    "tail_share",
    "three_way",
    "three_way_parts",
    "transitive_share",
    "two_way",
    "two_way_parts",
    "wilson",
    "win_bounds",
    "without_noise",
    "zero_sum",
]
