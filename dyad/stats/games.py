"""What a pool of models is worth against each other where it plays as well as it can.

An average over partners moves with the pool and rewards beating weak ones; the value of the game does not.
The row player gets the payoff and maximises it, the column player minimises it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dyad.stats.values import Floats, floats

SLACK = 1e-9  # strategies this close to the best are as good as the best
SUPPORT = 1e-6  # a smaller probability is the solver's rounding


@dataclass(frozen=True)
class Game:
    """Value of a zero-sum game and an optimal strategy of each side: a probability per row, per column."""

    value: float
    row: tuple[float, ...]
    column: tuple[float, ...]


@dataclass(frozen=True)
class NashAverage:
    """How likely the equilibrium plays each model, and the log odds of each model against that mix."""

    probability: tuple[float, ...]
    skill: tuple[float, ...]


def zero_sum(payoffs: Any) -> Game | None:
    """Return the value of a zero-sum game of payoffs [M, P] and the optimal strategies of both sides.

    max v subject to Σ_i p_i A_ij >= v for each column j, Σp = 1, p >= 0 (von Neumann 1928). Of several
    optimal strategies it is the one with the largest entropy, so that equals are treated as equals. None if
    the table is empty or has an undefined cell.
    """
    table = floats(payoffs)
    if not table.size or np.isnan(table).any():
        return None
    value = float(game_values(table[None])[0])
    return Game(value, _most_even(table, value), _most_even(-table.T, -value))


def game_values(payoffs: Floats) -> Floats:
    """Return the values [B] of zero-sum games of payoffs [B, M, P]; NaN where a cell is undefined.

    All games are one linear programme: their blocks do not touch, so the sum of values is at its greatest
    where each is.
    """
    known = ~np.isnan(payoffs).any(axis=(1, 2))
    values = np.full(len(payoffs), np.nan)
    if known.any():
        values[known] = _solved(payoffs[known])
    return values


def log_odds(won: Floats, half: bool = False) -> Floats:
    """Return ln(won_ij / won_ji) of counts or complementary shares [..., n, n], 0 on the diagonal.

    For shares x with x_ij + x_ji = 1 it is their logit. NaN where one side has nothing, unless `half` a count
    is added on each side; and where both have nothing, as then nothing is known.
    """
    counts = won + 0.5 if half else won
    logs = np.log(np.where(counts > 0, counts, np.nan))
    known = won + won.swapaxes(-2, -1) > 0
    odds: Floats = np.where(known, logs - logs.swapaxes(-2, -1), np.nan)
    odds[..., np.eye(won.shape[-1], dtype=bool)] = 0.0
    return odds


def nash_average(odds: Any) -> NashAverage | None:
    """Return the Nash average of antisymmetric log odds [n, n]: equilibrium p of largest entropy, and odds p.

    Adding copies of a model, or models that it beats, does not change it (Balduzzi et al., Re-evaluating
    Evaluation, 2018). None if the table is empty or has an undefined cell. Raises ValueError if it is not
    antisymmetric.
    """
    table = floats(odds)
    if not table.size or np.isnan(table).any():
        return None
    if not np.allclose(table, -table.T):
        raise ValueError("log odds must be antisymmetric: what one gains the other loses")
    mix = _most_even(table, 0.0)
    return NashAverage(mix, tuple((table @ np.array(mix)).tolist()))


def transitive_share(odds: Floats) -> Floats:
    """Return the share of antisymmetric tables [..., n, n] that a rating r explains: Σ(r_i − r_j)² / Σ odds².

    r is the mean of a row; what is left is cycles, as in rock, paper, scissors. NaN if all odds are even.
    """
    rating = odds.mean(axis=-1)
    explained = np.square(rating[..., :, None] - rating[..., None, :]).sum(axis=(-2, -1))
    whole = np.square(odds).sum(axis=(-2, -1))
    share: Floats = np.divide(explained, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return share


def best_response_proximity(scores: Floats) -> Floats:
    """Return scores [..., M, P] as a share of what the best model achieves with the same partner.

    NaN where that is 0 or a cell of the column is undefined.
    """
    best = np.broadcast_to(scores.max(axis=-2, keepdims=True), scores.shape)
    near: Floats = np.divide(scores, best, out=np.full(scores.shape, np.nan), where=best > 0)
    return near


def self_minus_cross(scores: Floats) -> Floats:
    """Return what each model [..., n] of tables [..., n, n] scores with itself less its mean with others.

    NaN for a single model.
    """
    n = scores.shape[-1]
    if n < 2:
        return np.full(scores.shape[:-1], np.nan)
    own = scores.diagonal(axis1=-2, axis2=-1)
    gain: Floats = own - (scores.sum(axis=-1) - own) / (n - 1)
    return gain


def _solved(payoffs: Floats) -> Floats:
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, eye_array, kron

    games, rows, columns = payoffs.shape
    ones = np.ones((columns, 1))
    within = block_diag([np.hstack([-table.T, ones]) for table in payoffs], format="csr")
    adds_to_one = kron(eye_array(games), np.array([[1.0] * rows + [0.0]]), format="csr")
    found = linprog(
        np.tile([0.0] * rows + [-1.0], games),
        A_ub=within,
        b_ub=np.zeros(games * columns),
        A_eq=adds_to_one,
        b_eq=np.ones(games),
        bounds=([(0, None)] * rows + [(None, None)]) * games,
    )
    values: Floats = found.x.reshape(games, rows + 1)[:, -1] + 0.0  # no −0
    return values


def _most_even(payoffs: Floats, value: float) -> tuple[float, ...]:
    """The row strategy of largest entropy among those that get `value` against every column."""
    from scipy.optimize import minimize

    start = _inside(payoffs, value)
    used = start > 0
    if used.sum() == 1:
        return tuple(start.tolist())
    kept = payoffs[used]
    found = minimize(
        lambda p: float(p @ np.log(np.maximum(p, 1e-300))),
        start[used],
        jac=lambda p: np.log(np.maximum(p, 1e-300)) + 1,
        bounds=[(0, 1)] * int(used.sum()),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
            {"type": "ineq", "fun": lambda p: p @ kept - value + SLACK, "jac": lambda p: kept.T},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    start[used] = found.x if found.success else start[used]
    return tuple((start / start.sum()).tolist())


def _inside(payoffs: Floats, value: float) -> Floats:
    """A strategy amid all that get `value`: the mean of those that use each row the most."""
    from scipy.optimize import linprog

    rows, columns = payoffs.shape
    most = [
        linprog(
            -use,
            A_ub=-payoffs.T,
            b_ub=np.full(columns, SLACK - value),
            A_eq=np.ones((1, rows)),
            b_eq=[1.0],
        ).x
        for use in np.eye(rows)
    ]
    amid = np.mean(most, axis=0)
    amid[amid < SUPPORT] = 0.0
    found: Floats = amid / amid.sum()
    return found
