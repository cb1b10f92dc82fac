"""The social relations model of a round robin without self-play: actor, partner, and what two have together.

Source: Kenny, Kashy and Cook, Dyadic Data Analysis (2006), ch. 8; estimators of Warner, Kenny and Stoto,
J. Pers. Soc. Psychol. 37 (1979).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyad.stats.cells import ClusterMean, cluster_mean
from dyad.stats.values import Floats, complete_scenarios, floats

COMPONENTS = (
    "actor variance", "partner variance", "relationship variance", "actor-partner covariance", "reciprocity",
)  # fmt: skip


@dataclass(frozen=True)
class SocialRelations:
    """Effects of each model and components of variance, as means over `n` scenarios with their SE.

    `actor` and `partner` have one effect per model. Each of `COMPONENTS` may be negative, and is None with
    fewer than four models. `n_missing` scenarios lacked a cell and were left out.
    """

    actor: tuple[ClusterMean, ...]
    partner: tuple[ClusterMean, ...]
    components: Mapping[str, ClusterMean | None]
    n: int
    n_missing: int


def social_relations(by_scenario: Any) -> SocialRelations | None:
    """Return the social relations of tables [S, n, n] of scenario x actor x partner, or of one table [n, n].

    Every scenario is a group of its own: estimates are averaged, and their SE is the jackknife's over
    scenarios, which for a mean is sd / sqrt(S). The diagonal is not looked at. None without a complete
    scenario or with fewer than three models; ValueError unless tables are square.
    """
    array = floats(by_scenario)
    tables = array[None] if array.ndim == 2 else array
    if tables.ndim != 3 or tables.shape[1] != tables.shape[2]:
        raise ValueError(f"square tables are needed, not of shape {array.shape}")
    known, missing = complete_scenarios(_without_diagonal(tables))
    if not known.size or known.shape[-1] < 3:
        return None
    found = relations(known)
    return SocialRelations(
        actor=_means(found["actor"]),
        partner=_means(found["partner"]),
        components={name: cluster_mean(found[name]) for name in COMPONENTS},
        n=len(known),
        n_missing=missing,
    )


def relations(x: Floats) -> dict[str, Floats]:
    """Return the estimates of each of tables [..., n, n]; the diagonal is not looked at.

    `actor` and `partner` are [..., n]; `mean`, each of `COMPONENTS`, and the mean squares of the sums and of
    the differences of both sides of a pair, `ms_sum` and `ms_difference`, are [...]. NaN with fewer than
    four models, where the sums have no degree of freedom. ValueError with fewer than three.
    """
    if x.shape[-1] < 3:
        raise ValueError(f"effects of {x.shape[-1]} models are undefined; three are needed")
    x = _without_diagonal(x)
    n = x.shape[-1]
    actor, partner, mean = _effects(x)
    left = _without_diagonal(x - actor[..., :, None] - partner[..., None, :] - mean[..., None, None])
    mirrored = left.swapaxes(-1, -2)
    pairs = (n - 1) * (n - 2) / 2
    # each pair stands twice in a square table, so that its squares are halved once more
    sums = ((left + mirrored) ** 2).sum(axis=(-2, -1)) / 4 / (pairs - 1 or np.nan)
    differences = ((left - mirrored) ** 2).sum(axis=(-2, -1)) / 4 / pairs
    noise, reciprocal = sums / (2 * (n - 2)), differences / (2 * n)
    return {
        "mean": mean,
        "actor": actor,
        "partner": partner,
        "ms_sum": sums,
        "ms_difference": differences,
        "actor variance": (actor**2).sum(axis=-1) / (n - 1) - noise - reciprocal,
        "partner variance": (partner**2).sum(axis=-1) / (n - 1) - noise - reciprocal,
        "relationship variance": (sums + differences) / 2,
        "actor-partner covariance": (actor * partner).sum(axis=-1) / (n - 1) - noise + reciprocal,
        "reciprocity": (sums - differences) / 2,
    }


def _effects(x: Floats) -> tuple[Floats, Floats, Floats]:
    """Actor effects, partner effects and the mean of tables whose diagonal is 0."""
    n = x.shape[-1]
    row, column = x.sum(axis=-1) / (n - 1), x.sum(axis=-2) / (n - 1)
    mean = row.mean(axis=-1)
    own, other = (n - 1) ** 2 / (n * (n - 2)), (n - 1) / (n * (n - 2))
    shift = (n - 1) / (n - 2) * mean[..., None]
    return own * row + other * column - shift, own * column + other * row - shift, mean


def _without_diagonal(x: Floats) -> Floats:
    off: Floats = np.where(np.eye(x.shape[-1], dtype=bool), 0.0, x)
    return off


def _means(effects: Floats) -> tuple[ClusterMean, ...]:
    found = (cluster_mean(of_model) for of_model in effects.T)
    return tuple(mean for mean in found if mean is not None)
