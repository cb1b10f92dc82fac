"""Rating the models of a pool from who beats whom, and how often a pair decides at all."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyad.stats.values import Floats

STEP = 1e-12  # change of a log strength at which the iteration has converged
ROUNDS = 20_000
ELO = 400 / math.log(10)  # Elo points per unit of log strength
POPULATION = 50
CERTAIN = 1e-6  # a fitted probability this near to 0 or 1 means that a lift is infinite


@dataclass(frozen=True)
class Lifts:
    """logit P = mean + lift_i + lift_j of a pair; lifts add to 0 and have clustered standard errors.

    `se` is None with a single scenario, whose variance is unknown. `n` counts runs.
    """

    mean: float
    lift: tuple[float, ...]
    se: tuple[float, ...] | None
    n: int
    scenarios: int


def bradley_terry(wins: Floats, half: bool = False) -> Floats:
    """Return log strengths [..., n] from wins_ij of i over j, [..., n, n]: P(i beats j) = s_i / (s_i + s_j).

    s_i ← Σ_j wins_ij / Σ_j (wins_ij + wins_ji) / (s_i + s_j), the geometric mean of s being 1 (Hunter, Annals
    of Statistics 32, 2004). NaN where estimates are infinite or undefined, i.e. where some models never win
    against the others or are never compared with them, unless `half` a win is added each way to every pair.
    """
    n = wins.shape[-1]
    if n < 2:
        return np.zeros(wins.shape[:-1])
    won = np.where(np.eye(n, dtype=bool), 0.0, wins + 0.5 if half else wins).reshape(-1, n, n)
    strengths = np.full((len(won), n), np.nan)
    finite = _all_reach_all(won > 0)
    if finite.any():
        strengths[finite] = _iterated(won[finite])
    return strengths.reshape(wins.shape[:-1])


def additive_logit(hits: Floats, n: Floats) -> Lifts | None:
    """Fit logit P = mean + lift_i + lift_j to hits of n runs by scenario and pair, each [S, M, M].

    Binomial likelihood with the sandwich covariance of scenarios. None where the lifts are not finite or not
    determined: no runs, too few kinds of pairs, or a model that always or never succeeds.
    """
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    scenario, first, second = np.nonzero(n > 0)
    models = n.shape[-1]
    design = _design(first, second, models)
    if not len(design) or np.linalg.matrix_rank(design) < models:
        return None
    won, runs = hits[n > 0], n[n > 0]
    model = GLM(np.column_stack([won, runs - won]), design, family=Binomial())
    scenarios = len(np.unique(scenario))
    clustered = {"cov_type": "cluster", "cov_kwds": {"groups": scenario}} if scenarios > 1 else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of infinite estimates, which are told below
        fit = model.fit(**clustered)
    if not np.abs(np.asarray(fit.fittedvalues) - 0.5).max() < 0.5 - CERTAIN:
        return None
    to_lifts = np.vstack([np.eye(models - 1), -np.ones(models - 1)])
    covariance = to_lifts @ np.asarray(fit.cov_params())[1:, 1:] @ to_lifts.T
    se = tuple(np.sqrt(np.diag(covariance)).tolist()) if scenarios > 1 else None
    lift = tuple((to_lifts @ fit.params[1:]).tolist())
    return Lifts(float(fit.params[0]), lift, se, round(runs.sum()), scenarios)


def alpha_rank(payoffs: Floats, alpha: float, population: int = POPULATION) -> Floats:
    """Return how often evolution visits each model [..., n], from payoffs [..., n, n] of rows with columns.

    A mutant r in a population of s takes over with (1 − e^−f) / (1 − e^−mf), f = alpha (A_rs − A_sr), 1/m at
    f = 0; the result is the stationary distribution of these moves, each mutant being tried alike
    (Omidshafiei et al., α-Rank, Scientific Reports 9, 2019, one population). NaN where a cell is undefined.
    """
    n = payoffs.shape[-1]
    if n < 2:
        return np.where(np.isnan(payoffs[..., 0]), np.nan, 1.0)
    flat = payoffs.reshape(-1, n, n)
    known = ~np.isnan(flat).any(axis=(1, 2))
    visits = np.full((len(flat), n), np.nan)
    visits[known] = _stationary(_takeover(alpha * (flat[known].swapaxes(1, 2) - flat[known]), population))
    return visits.reshape(payoffs.shape[:-1])


def _all_reach_all(beats: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether wins lead from each model to each other, directly or over others (Ford 1957)."""
    reach = (beats | np.eye(beats.shape[-1], dtype=bool)).astype(np.float64)
    for _ in range(beats.shape[-1].bit_length()):
        reach = np.minimum(reach @ reach, 1.0)
    found: NDArray[np.bool_] = np.all(reach > 0, axis=(1, 2))
    return found


def _iterated(won: Floats) -> Floats:
    games, total = won + won.swapaxes(1, 2), won.sum(axis=2)
    strengths = np.ones_like(total)
    for _ in range(ROUNDS):
        expected = (games / (strengths[:, :, None] + strengths[:, None, :])).sum(axis=2)
        new = total / expected
        new /= np.exp(np.log(new).mean(axis=1, keepdims=True))
        step = np.abs(np.log(new / strengths)).max()
        strengths = new
        if step < STEP:
            break
    logs: Floats = np.log(strengths)
    return logs


def _design(first: NDArray[np.intp], second: NDArray[np.intp], models: int) -> Floats:
    """A column of ones, then how often each model but the last is in the pair, less the last's."""
    seats = np.eye(models)[first] + np.eye(models)[second]
    return np.column_stack([np.ones(len(seats)), seats[:, :-1] - seats[:, -1:]])


def _takeover(advantage: Floats, population: int) -> Floats:
    """The chance that one mutant with this advantage takes over; written so that no power overflows."""
    gain = np.abs(np.where(advantage == 0, 1.0, advantage))
    ratio = np.expm1(-gain) / np.expm1(-population * gain)
    worse = np.where(advantage < 0, np.exp(-(population - 1) * gain), 1.0)
    chance: Floats = np.where(advantage == 0, 1 / population, ratio * worse)
    return chance


def _stationary(takeover: Floats) -> Floats:
    """The distribution [B, n] that moves from s to r with chances takeover[s, r] / (n − 1) leave as it is."""
    n = takeover.shape[-1]
    moves = np.where(np.eye(n, dtype=bool), 0.0, takeover) / (n - 1)
    leaving = moves.sum(axis=2)
    balance = moves.swapaxes(1, 2) - leaving[:, :, None] * np.eye(n)
    balance[:, -1] = 1.0  # one equation follows from the others; in its place, that all adds to 1
    found = np.linalg.solve(balance, np.broadcast_to(np.eye(n)[-1][:, None], (len(moves), n, 1)))
    visits: Floats = np.maximum(found[..., 0], 0.0)
    return visits
