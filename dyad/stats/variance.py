"""How much of a score table is the model's, the partner's, or both together.

A decomposition is a function that splits an array into orthogonal parts which add up to x - mean. Sums
of squares, degrees of freedom and the noise correction all follow from its parts, for every design.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from dyad.stats.values import Floats, count_missing, floats

Parts: TypeAlias = Callable[[Floats], dict[str, Floats]]

# A sum of squares below this share of the squared values is rounding: in truth it is 0.
ROUNDING = 1e-28


@dataclass(frozen=True)
class Split:
    """Sums of squares by source; `ss`, `total` and `mean` are None if any cell is undefined.

    `n` counts cells (of the cell-mean table) and `n_missing` the values that are undefined.
    """

    ss: Mapping[str, float] | None
    df: Mapping[str, int]
    total: float | None
    mean: float | None
    n: int
    n_missing: int

    @property
    def shares(self) -> dict[str, float] | None:
        """Share of each source, eta squared; they add to 1.

        Corrected sums may be negative: here they count as 0. None if nothing varies.
        """
        if self.ss is None:
            return None
        kept = {name: max(value, 0.0) for name, value in self.ss.items()}
        whole = sum(kept.values())
        return {name: value / whole for name, value in kept.items()} if whole > 0 else None


@dataclass(frozen=True)
class DiallelEffects:
    """Effects of each model, and of self-play, in a full diallel; None where undefined.

    `lift` raises the score in either seat; `edge` gains when acting what it concedes as partner.
    `self_premium` is the mean diagonal minus the mean of the other cells, `ss_self` its sum of squares.
    """

    lift: tuple[float, ...] | None
    edge: tuple[float, ...] | None
    self_premium: float | None
    ss_self: float | None
    n: int
    n_missing: int


def two_way_parts(x: Floats) -> dict[str, Floats]:
    """Return the model, partner and interaction part of tables [..., M, P], each of that shape."""
    mean = x.mean(axis=(-2, -1), keepdims=True)
    model = x.mean(axis=-1, keepdims=True) - mean
    partner = x.mean(axis=-2, keepdims=True) - mean
    return _full(x, model=model, partner=partner, interaction=x - mean - model - partner)


def three_way_parts(x: Floats) -> dict[str, Floats]:
    """Return the five parts of tables [..., T, M, P], each of that shape."""
    mean = x.mean(axis=(-3, -2, -1), keepdims=True)
    task = x.mean(axis=(-2, -1), keepdims=True) - mean
    pooled = two_way_parts(x.mean(axis=-3, keepdims=True))
    return _full(x, task=task, **pooled, residual=x - mean - task - sum(pooled.values()))


def diallel_parts(x: Floats) -> dict[str, Floats]:
    """Return the lift, edge, chemistry and cycle part of diallels [..., n, n], each of that shape."""
    _square(x)
    g, m = _lift_edge(x)
    lift = g[..., :, None] + g[..., None, :]
    edge = m[..., :, None] - m[..., None, :]
    swapped = x.swapaxes(-2, -1)
    mean = x.mean(axis=(-2, -1), keepdims=True)
    chemistry = (x + swapped) / 2 - mean - lift
    return _full(x, lift=lift, edge=edge, chemistry=chemistry, cycle=(x - swapped) / 2 - edge)


def two_way(cells: Any) -> Split | None:
    """Split a model x partner table [M, P] into `model`, `partner`, `interaction`; None if empty."""
    return _split(_table(cells, 2), two_way_parts)


def three_way(cells: Any) -> Split | None:
    """Split a task x model x partner table [T, M, P] into five sources; None if empty.

    Sources: `task`, `model`, `partner`, `interaction` (model x partner) and `residual` (all
    interactions with the task), as in dyad's spec of DyaFDB (arXiv 2610.08125), eta squared on cells.
    """
    return _split(_table(cells, 3), three_way_parts)


def diallel(cells: Any) -> Split | None:
    """Split a full diallel [n, n] into `lift`, `edge`, `chemistry`, `cycle`; None if empty.

    lift + edge = model + partner of the two-way split. A symmetric table has neither edge nor cycle; a
    table with x_ij + x_ji constant has neither lift nor chemistry. Raises ValueError if not square.
    """
    return _split(_table(cells, 2), diallel_parts)


def diallel_effects(cells: Any) -> DiallelEffects | None:
    """Return the lift and edge of every model and the self-play premium of a diallel [n, n]."""
    table = _table(cells, 2)
    _square(table)
    n, missing = len(table), count_missing(table)
    if not table.size:
        return None
    if missing:
        return DiallelEffects(None, None, None, None, n, missing)
    lift, edge = _lift_edge(table)
    premium = ss_self = None
    if n > 1:
        excess = float(np.trace(table) - n * table.mean())
        premium, ss_self = excess / (n - 1), excess**2 / (n - 1)
    return DiallelEffects(tuple(lift.tolist()), tuple(edge.tolist()), premium, ss_self, n, 0)


def eta_squared(tables: Floats, parts: Parts = two_way_parts) -> dict[str, Floats]:
    """Return the share of each part in the sum of squares of tables [B, ...], as arrays [B].

    NaN where a table has an undefined cell or does not vary.
    """
    ss = {name: (part * part).reshape(len(tables), -1).sum(axis=1) for name, part in parts(tables).items()}
    whole = sum(ss.values(), np.zeros(len(tables)))
    scale = ROUNDING * (tables * tables).reshape(len(tables), -1).sum(axis=1)
    return {
        name: np.divide(x, whole, out=np.full(len(x), np.nan), where=whole > scale) for name, x in ss.items()
    }


def scenario_corrected(by_scenario: Any, parts: Parts = two_way_parts) -> Split | None:
    """Return the split of the mean table with its sampling noise removed, from tables [S, M, P].

    For each part p: (|sum_s p x_s|^2 - sum_s |p x_s|^2) / (S (S - 1)), a U-statistic over scenarios. It
    is unbiased whatever the dependence inside a scenario, and may be negative. `total` is the sum of
    the parts. None with fewer than two scenarios. Not for use inside a bootstrap: a scenario drawn
    twice is paired with itself, which brings the noise back.
    """
    tables = _table(by_scenario, 3)
    n_scenarios = len(tables)
    if n_scenarios < 2 or not tables.size:
        return None
    df, n, missing = degrees_of_freedom(parts, tables.shape[1:]), tables[0].size, count_missing(tables)
    if missing:
        return Split(None, df, None, None, n, missing)
    pairs = n_scenarios * (n_scenarios - 1)
    ss = {
        name: _rounded((_squared(part.sum(axis=0)) - _squared(part)) / pairs, tables)
        for name, part in parts(tables).items()
    }
    return Split(ss, df, sum(ss.values()), float(tables.mean()), n, 0)


def binomial_noise(cells: Any, n_per_cell: int) -> float | None:
    """Return the mean sampling variance x (1 - x) / (n - 1) of a table of shares of `n_per_cell` runs.

    None if the table is empty or has an undefined cell, or with fewer than two runs per cell.
    """
    table = floats(cells)
    if not table.size or count_missing(table) or n_per_cell < 2:
        return None
    return float((table * (1 - table)).mean() / (n_per_cell - 1))


def without_noise(split: Split, noise: float) -> Split:
    """Return the split with df * `noise` (a sampling variance per cell) taken off every sum of squares."""
    if split.ss is None:
        return split
    ss = {name: value - split.df[name] * noise for name, value in split.ss.items()}
    return Split(ss, split.df, sum(ss.values()), split.mean, split.n, split.n_missing)


@lru_cache(maxsize=64)
def degrees_of_freedom(parts: Parts, shape: tuple[int, ...]) -> Mapping[str, int]:
    """Return the degrees of freedom of each part of a table of `shape`: the trace of its projection."""
    size = int(np.prod(shape))
    # Each part is an orthogonal projection, so its trace is its squared norm over a whole basis.
    basis = np.eye(size).reshape(size, *shape)
    return {name: round(_squared(part)) for name, part in parts(basis).items()}


def _split(table: Floats, parts: Parts) -> Split | None:
    if not table.size:
        return None
    df, missing = degrees_of_freedom(parts, table.shape), count_missing(table)
    if missing:
        return Split(None, df, None, None, table.size, missing)
    mean = float(table.mean())
    ss = {name: _rounded(_squared(part), table) for name, part in parts(table).items()}
    return Split(ss, df, _rounded(_squared(table - mean), table), mean, table.size, 0)


def _table(cells: Any, ndim: int) -> Floats:
    table = floats(cells)
    if table.size and table.ndim != ndim:
        raise ValueError(f"a table of {ndim} dimensions is needed, not of shape {table.shape}")
    return table


def _square(x: Floats) -> None:
    if x.size and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"a diallel has the same models as rows and columns, not shape {x.shape[-2:]}")


def _lift_edge(x: Floats) -> tuple[Floats, Floats]:
    mean = x.mean(axis=(-2, -1), keepdims=True)[..., 0]
    row, column = x.mean(axis=-1) - mean, x.mean(axis=-2) - mean
    return (row + column) / 2, (row - column) / 2


def _full(x: Floats, **parts: Floats) -> dict[str, Floats]:
    return {name: np.broadcast_to(part, x.shape) for name, part in parts.items()}


def _squared(x: Floats) -> float:
    return float((x * x).sum())


def _rounded(ss: float, table: Floats) -> float:
    return 0.0 if abs(ss) <= ROUNDING * _squared(table) else ss
