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


def two_way_parts(x: Floats) -> dict[str, Floats]:
    """Return the model, partner and interaction part of tables [..., M, P], each of that shape."""
    mean = x.mean(axis=(-2, -1), keepdims=True)
    model = x.mean(axis=-1, keepdims=True) - mean
    partner = x.mean(axis=-2, keepdims=True) - mean
    return full(x, model=model, partner=partner, interaction=x - mean - model - partner)


def three_way_parts(x: Floats) -> dict[str, Floats]:
    """Return the five parts of tables [..., T, M, P], each of that shape."""
    mean = x.mean(axis=(-3, -2, -1), keepdims=True)
    task = x.mean(axis=(-2, -1), keepdims=True) - mean
    pooled = two_way_parts(x.mean(axis=-3, keepdims=True))
    return full(x, task=task, **pooled, residual=x - mean - task - sum(pooled.values()))


def two_way(cells: Any) -> Split | None:
    """Split a model x partner table [M, P] into `model`, `partner`, `interaction`; None if empty."""
    return split_of(table_of(cells, 2), two_way_parts)


def three_way(cells: Any) -> Split | None:
    """Split a task x model x partner table [T, M, P] into five sources; None if empty.

    Sources: `task`, `model`, `partner`, `interaction` (model x partner) and `residual` (all
    interactions with the task), as DyaFDB defines them (arXiv 2610.08125, Table 6).
    """
    return split_of(table_of(cells, 3), three_way_parts)


def eta_squared(tables: Floats, parts: Parts = two_way_parts) -> dict[str, Floats]:
    """Return the share of each part in the sum of squares of tables [B, ...], as arrays [B].

    NaN where a table has an undefined cell or does not vary.
    """
    ss = {name: (part * part).reshape(len(tables), -1).sum(axis=1) for name, part in parts(tables).items()}
    whole = sum(ss.values(), np.zeros(len(tables)))
    zero = ROUNDING * (tables * tables).reshape(len(tables), -1).sum(axis=1)
    return {
        name: np.divide(np.where(x > zero, x, 0.0), whole, out=np.full(len(x), np.nan), where=whole > zero)
        for name, x in ss.items()
    }


@lru_cache(maxsize=64)
def degrees_of_freedom(parts: Parts, shape: tuple[int, ...]) -> Mapping[str, int]:
    """Return the degrees of freedom of each part of a table of `shape`: the trace of its projection."""
    size = int(np.prod(shape))
    # Each part is an orthogonal projection, so its trace is its squared norm over a whole basis.
    basis = np.eye(size).reshape(size, *shape)
    return {name: round(squared(part)) for name, part in parts(basis).items()}


def split_of(table: Floats, parts: Parts) -> Split | None:
    """Split one table by any decomposition; None if it is empty."""
    if not table.size:
        return None
    df, missing = degrees_of_freedom(parts, table.shape), count_missing(table)
    if missing:
        return Split(None, df, None, None, table.size, missing)
    mean = float(table.mean())
    ss = {name: rounded(squared(part), table) for name, part in parts(table).items()}
    return Split(ss, df, rounded(squared(table - mean), table), mean, table.size, 0)


def table_of(cells: Any, ndim: int) -> Floats:
    """Read a table of `ndim` dimensions, or an empty one; ValueError for another shape."""
    table = floats(cells)
    if table.size and table.ndim != ndim:
        raise ValueError(f"a table of {ndim} dimensions is needed, not of shape {table.shape}")
    return table


def full(x: Floats, **parts: Floats) -> dict[str, Floats]:
    """Return each part in the shape of the table that it belongs to."""
    return {name: np.broadcast_to(part, x.shape) for name, part in parts.items()}


def squared(x: Floats) -> float:
    """Return the sum of squares of all entries."""
    return float((x * x).sum())


def rounded(ss: float, table: Floats) -> float:
    """Return 0 for a sum of squares that is nothing but rounding of the table's entries."""
    return 0.0 if abs(ss) <= ROUNDING * squared(table) else ss
