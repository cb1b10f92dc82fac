"""Taking sampling noise off sums of squares.

A table of cell means varies even where its cells do not differ, so every sum of squares is too large, and
that of the interaction, which has most degrees of freedom, most of all.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyad.stats.values import Floats, count_missing, floats
from dyad.stats.variance import ROUNDING, Parts, Split, degrees_of_freedom, squared, table_of, two_way_parts

Squares: TypeAlias = Callable[[Floats], dict[str, Floats]]
"""From weights [B, S] of scenarios to the sum of squares [B] of each part."""


def scenario_corrected(
    by_scenario: Any, parts: Parts = two_way_parts, strata: Sequence[Any] | None = None
) -> Split | None:
    """Return the split of the mean table with its sampling noise removed, from tables [S, M, P].

    Without strata, `parts` splits the mean table [M, P]: each sum of squares is (|sum_s p x_s|^2 - sum_s
    |p x_s|^2) / (S (S - 1)) for its projection p, a U-statistic over pairs of scenarios. With `strata`, the
    level of a factor (archetype, task) of each scenario, `parts` splits the table [T, M, P] of the means of
    its levels in sorted order: SS(p x) - sum_t sum_s |p e_t (x_s - x_t)|^2 / (S_t (S_t - 1)), where e_t puts
    a table in the place of level t. Both are unbiased whatever the dependence inside a scenario, and may be
    negative. `total` is the sum of the parts. None with fewer than two scenarios in a level.
    """
    tables = table_of(by_scenario, 3)
    levels = _levels(strata, len(tables))
    if not tables.size or np.bincount(levels).min() < 2:
        return None
    shape = tables.shape[1:] if strata is None else (int(levels.max()) + 1, *tables.shape[1:])
    df, n, missing = degrees_of_freedom(parts, shape), int(np.prod(shape)), count_missing(tables)
    if missing:
        return Split(None, df, None, None, n, missing)
    found = corrected_squares(tables, parts, strata)(np.ones((1, len(tables))))
    ss = {name: float(value[0]) for name, value in found.items()}
    mean = np.mean([tables[levels == level].mean() for level in np.unique(levels)])
    return Split(ss, df, sum(ss.values()), float(mean), n, 0)


def corrected_squares(
    tables: Floats, parts: Parts = two_way_parts, strata: Sequence[Any] | None = None
) -> Squares:
    """Return the function from weights [B, S] of scenarios to the corrected sums of squares [B] of each part.

    `tables` [S, M, P] have no undefined cell; for `strata` and the formula see `scenario_corrected`, which is
    this at equal weights. A scenario that a resample draws twice is never paired with itself, which would
    bring the noise back. NaN where a resample has only one scenario of a level.
    """
    levels = _levels(strata, len(tables))
    products = _products(tables if strata is None else _in_place(tables, levels), parts)
    rounding = ROUNDING * squared(tables)

    def squares(weights: Floats) -> dict[str, Floats]:
        shares = _within(weights, levels)
        found = {name: _without_own_pairs(shares, levels, product) for name, product in products.items()}
        return {name: np.where(abs(ss) <= rounding, 0.0, ss) for name, ss in found.items()}

    return squares


def corrected_shares(ss: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return each corrected sum of squares [B] as a share of those that are positive; NaN where none is.

    Negative sums stay negative: shown as 0, the shares add to 1.
    """
    whole = sum((np.maximum(part, 0.0) for part in ss.values()), np.zeros(1))
    return {
        name: np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
        for name, part in ss.items()
    }


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


def _levels(strata: Sequence[Any] | None, n: int) -> NDArray[np.intp]:
    if strata is None:
        return np.zeros(n, np.intp)
    if len(strata) != n:
        raise ValueError(f"strata of {len(strata)} scenarios, but there are {n}")
    return np.unique(np.asarray(strata), return_inverse=True)[1].astype(np.intp)


def _in_place(tables: Floats, levels: NDArray[np.intp]) -> Floats:
    """Each scenario's table in the place of its level in a table [T, M, P] that is 0 elsewhere."""
    placed = np.zeros((len(tables), int(levels.max()) + 1, *tables.shape[1:]))
    placed[np.arange(len(tables)), levels] = tables
    return placed


def _products(tables: Floats, parts: Parts) -> dict[str, Floats]:
    """The inner products [S, S] of each part of the scenarios' tables: all that weighted sums need."""
    flat = {name: part.reshape(len(tables), -1) for name, part in parts(tables).items()}
    return {name: part @ part.T for name, part in flat.items()}


def _within(weights: Floats, levels: NDArray[np.intp]) -> Floats:
    """Weights as shares of the sum of their level."""
    belongs = np.eye(int(levels.max()) + 1)[levels]
    shares: Floats = weights / ((weights @ belongs) @ belongs.T)
    return shares


def _without_own_pairs(shares: Floats, levels: NDArray[np.intp], product: Floats) -> Floats:
    """The square of the weighted mean, where that of each level is a mean over pairs of two scenarios."""
    ss: Floats = ((shares @ product) * shares).sum(axis=1)
    for level in np.unique(levels):
        own = levels == level
        kept, pairs = shares[:, own], product[np.ix_(own, own)]
        square, selves = ((kept @ pairs) * kept).sum(axis=1), (kept * kept) @ np.diag(pairs)
        alone = (kept * kept).sum(axis=1)  # the weight of a scenario's pairs with itself
        several = np.where(alone < 1 - 1e-12, 1 - alone, np.nan)
        ss = ss - square + (square - selves) / several
    return ss
