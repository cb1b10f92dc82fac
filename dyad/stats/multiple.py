"""Several tests at once: p values adjusted so that a table of many may be read as a whole."""

import math
from collections.abc import Sequence

from dyad.stats.values import floats


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Return p values adjusted by Holm's steps, which bound the chance of any false rejection.

    A missing p counts as no test and stays None. Source: Holm, Scand. J. Stat. 6 (1979).
    """
    return _adjusted(p, "holm")


def benjamini_hochberg(p: Sequence[float | None]) -> list[float | None]:
    """Return p values adjusted after Benjamini and Hochberg, which bound the share of false rejections.

    A missing p counts as no test and stays None. Source: J. R. Stat. Soc. B 57 (1995).
    """
    return _adjusted(p, "fdr_bh")


def _adjusted(p: Sequence[float | None], method: str) -> list[float | None]:
    values = floats(p).tolist()
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return [None] * len(values)
    from statsmodels.stats.multitest import multipletests

    adjusted = iter(multipletests(known, method=method)[1].tolist())
    return [None if math.isnan(value) else next(adjusted) for value in values]
