"""Reading numbers that may be missing: one rule for the whole of dyad.stats.

A value that is None, NaN or infinite is missing. It is counted and never imputed.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = Sequence[float | None] | NDArray[Any]
"""One number per run or scenario; None and NaN mean missing."""


def floats(values: Any) -> Floats:
    """Return `values` as a float array of the same shape, in which every missing value is NaN."""
    array = np.array(values, dtype=np.float64)
    array[~np.isfinite(array)] = np.nan
    return array


def count_missing(array: Floats) -> int:
    """Return how many entries of a float array are NaN."""
    return int(np.isnan(array).sum())


def complete_scenarios(by_scenario: Any) -> tuple[Floats, int]:
    """Return the scenarios (leading axis) in which no value is missing, and how many were dropped."""
    array = floats(by_scenario)
    broken = np.isnan(array).any(axis=tuple(range(1, array.ndim)))
    return array[~broken], int(broken.sum())
