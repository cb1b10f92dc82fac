"""Several tests at once: p values adjusted so that a table of many may be read as a whole."""

from collections.abc import Callable, Sequence

import numpy as np

from dyad.stats.values import Floats, floats


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Return p values adjusted by Holm's steps, which bound the chance of any false rejection.

    The kth smallest of m becomes the largest (m + 1 - j) p_j of j <= k. A missing p counts as no test and
    stays None. Source: Holm, Scand. J. Stat. 6 (1979).
    """
    return _adjusted(p, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def benjamini_hochberg(p: Sequence[float | None]) -> list[float | None]:
    """Return p values adjusted after Benjamini and Hochberg, which bound the share of false rejections.

    The kth smallest of m becomes the least m p_j / j of j >= k. A missing p counts as no test and stays None.
    Source: J. R. Stat. Soc. B 57 (1995).
    """
    return _adjusted(p, _step_up)


def _step_up(p: Floats) -> Floats:
    raised = p * (len(p) / np.arange(1, len(p) + 1))
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1])


def _adjusted(p: Sequence[float | None], steps: Callable[[Floats], Floats]) -> list[float | None]:
    """The steps take sorted p values. (statsmodels has both, and collects garbage at every call.)"""
    values = floats(p)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    values[order] = np.minimum(steps(values[order]), 1.0)
    return [None if np.isnan(value) else value for value in values.tolist()]
