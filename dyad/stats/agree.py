"""Agreement of two raters on the same items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def exact_match(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the share of items with equal labels; None without items.

    Raises ValueError for unequal lengths.
    """
    pairs = list(zip(first, second, strict=True))
    return sum(x == y for x, y in pairs) / len(pairs) if pairs else None


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation with average ranks for ties.

    None where a rater gives one label only, or for fewer than two items. Raises ValueError for unequal
    lengths.
    """
    from scipy.stats import rankdata

    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels of one rater, {len(second)} of the other")
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])
