"""Round robins in which every model acts with every model, itself included: lift, edge, chemistry, cycle.

Lift raises the score in either seat; edge gains when acting what it concedes as partner; chemistry is what
two models have together, whoever acts; cycle is what no order of the models explains.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dyad.stats.values import Floats, count_missing
from dyad.stats.variance import ROUNDING, Split, full, split_of, table_of


@dataclass(frozen=True)
class DiallelEffects:
    """Effects of each model, and of self-play, in a full diallel; None where undefined.

    `self_premium` is the mean diagonal minus the mean of the other cells, `ss_self` its sum of squares, which
    is a part of chemistry.
    """

    lift: tuple[float, ...] | None
    edge: tuple[float, ...] | None
    self_premium: float | None
    ss_self: float | None
    n: int
    n_missing: int


def diallel_parts(x: Floats) -> dict[str, Floats]:
    """Return the lift, edge, chemistry and cycle part of diallels [..., n, n], each of that shape."""
    _square(x)
    g, m = lift_edge(x)
    lift = g[..., :, None] + g[..., None, :]
    edge = m[..., :, None] - m[..., None, :]
    swapped = x.swapaxes(-2, -1)
    mean = x.mean(axis=(-2, -1), keepdims=True)
    chemistry = (x + swapped) / 2 - mean - lift
    return full(x, lift=lift, edge=edge, chemistry=chemistry, cycle=(x - swapped) / 2 - edge)


def self_play_parts(x: Floats) -> dict[str, Floats]:
    """Return the part `self` of diallels [..., n, n] of two or more models, and the `rest` around the mean.

    Its square is that of the self-play premium, (trace - n mean)^2 / (n - 1).
    """
    _square(x)
    n = x.shape[-1]
    contrast = np.eye(n) - 1 / n
    own = (x * contrast).sum(axis=(-2, -1), keepdims=True) * contrast / (n - 1)
    return {"self": own, "rest": x - x.mean(axis=(-2, -1), keepdims=True) - own}


def diallel(cells: Any) -> Split | None:
    """Split a full diallel [n, n] into `lift`, `edge`, `chemistry`, `cycle`; None if empty.

    lift + edge = model + partner of the two-way split. A symmetric table has neither edge nor cycle; a
    table with x_ij + x_ji constant has neither lift nor chemistry. Raises ValueError if not square.
    Lift and chemistry are the general and specific combining ability of Griffing (Aust. J. Biol. Sci. 9,
    1956, method 1); edge and cycle split his reciprocal effects.
    """
    return split_of(table_of(cells, 2), diallel_parts)


def diallel_effects(cells: Any) -> DiallelEffects | None:
    """Return the lift and edge of every model and the self-play premium of a diallel [n, n]."""
    table = table_of(cells, 2)
    _square(table)
    n, missing = len(table), count_missing(table)
    if not table.size:
        return None
    if missing:
        return DiallelEffects(None, None, None, None, n, missing)
    lift, edge = lift_edge(table)
    premium = float(self_premium(table)) if n > 1 else None
    ss_self = None if premium is None else premium**2 * (n - 1)
    return DiallelEffects(tuple(lift.tolist()), tuple(edge.tolist()), premium, ss_self, n, 0)


def lift_edge(x: Floats) -> tuple[Floats, Floats]:
    """Return the lift and the edge of each model, [..., n], of diallels [..., n, n].

    They are half the sum and half the difference of what its row and its column deviate from the mean.
    """
    mean = x.mean(axis=(-2, -1), keepdims=True)[..., 0]
    row, column = x.mean(axis=-1) - mean, x.mean(axis=-2) - mean
    zero = _rounding(x)[..., None]
    return _cleared((row + column) / 2, zero), _cleared((row - column) / 2, zero)


def self_premium(x: Floats) -> Floats:
    """Return the mean diagonal minus the mean of the other cells, [...], of diallels [..., n, n], n > 1."""
    n = x.shape[-1]
    diagonal = np.trace(x, axis1=-2, axis2=-1)
    return _cleared((diagonal - n * x.mean(axis=(-2, -1))) / (n - 1), _rounding(x))


def _rounding(x: Floats) -> Floats:
    """Below what size an effect on tables [..., n, n] is nothing but rounding of their entries, [...]."""
    return np.asarray(np.sqrt(ROUNDING * (x * x).sum(axis=(-2, -1))))


def _cleared(effects: Floats, zero: Floats) -> Floats:
    cleared: Floats = np.where(np.abs(effects) <= zero, 0.0, effects)
    return cleared


def _square(x: Floats) -> None:
    if x.size and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"a diallel has the same models as rows and columns, not shape {x.shape[-2:]}")
