"""What a judge's share would be without its errors, from a sample that people labelled as well.

Values are not clipped, so that they can be averaged; a share is shown inside [0, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dyad.stats.student import t_reach
from dyad.stats.values import Floats, Numbers, count_missing, floats

LEAST_HUMAN = 15  # human labels from which on about nine in ten intervals hold the truth; of ten, eight

SAME = 1e-9  # a standard error below this comes from labels that are all alike


@dataclass(frozen=True)
class Corrected:
    """A corrected mean, its standard error and its 95 % interval, from Student's t.

    There is no interval of fewer than `LEAST_HUMAN` human labels, or of labels that do not vary at all.
    `raw` is the judge's mean over its `n` labels; `n_human` of the labels that correct it were used, and
    `n_missing` labels were not. `lam` is the λ of PPI++, how far the judge is trusted; None elsewhere.
    """

    value: float
    se: float
    low: float | None
    high: float | None
    raw: float
    n: int
    n_human: int
    n_missing: int = 0
    lam: float | None = None


@dataclass(frozen=True)
class Calibration:
    """A judge against people: its sensitivity among `n_yes` human yeses, its specificity among `n_no` noes.

    With sampling weights the two numbers are effective sizes (Kish), so they need not be whole.
    """

    sensitivity: float
    specificity: float
    n_yes: float
    n_no: float
    n_human: int
    n_missing: int = 0


def calibrate(human: Numbers, judged: Numbers, weights: Numbers | None = None) -> Calibration | None:
    """Compare a judge's 0 and 1 with people's on the same items; None without a human yes and a human no.

    `weights` are inverse chances of being in the sample. Raises ValueError for unequal lengths.
    """
    y, f, w, missing = _labelled(human, judged, weights)
    yes, no = y == 1, y == 0
    if not yes.any() or not no.any():
        return None
    return Calibration(
        sensitivity=float(np.average(f[yes], weights=w[yes])),
        specificity=float(np.average(1 - f[no], weights=w[no])),
        n_yes=_effective(w[yes]),
        n_no=_effective(w[no]),
        n_human=len(y),
        n_missing=missing,
    )


def rogan_gladen(judged: Numbers, calibration: Calibration | None) -> Corrected | None:
    """Return the share of 1 in `judged`, corrected by the judge's sensitivity and specificity.

    None without labels, or where the judge is no better than chance (sensitivity + specificity <= 1), since
    then no share can be identified. Source: Rogan and Gladen, Am. J. Epidemiol. 107 (1978); the standard
    error with estimated error rates: arXiv 2511.21140.
    """
    f, missing = _known(judged)
    if not f.size or calibration is None:
        return None
    se, sp = calibration.sensitivity, calibration.specificity
    gain = se + sp - 1
    if gain <= 0:
        return None
    raw = float(f.mean())
    value = (raw + sp - 1) / gain
    variance = (
        raw * (1 - raw) / f.size
        + (1 - value) ** 2 * sp * (1 - sp) / calibration.n_no
        + value**2 * se * (1 - se) / calibration.n_yes
    )
    spread = math.sqrt(variance) / gain
    lost = missing + calibration.n_missing
    ends = _around(value, spread, calibration.n_human, calibration.n_yes + calibration.n_no, 2)
    return Corrected(value, spread, *ends, raw, f.size, calibration.n_human, lost)


def ppi(
    human: Numbers,
    judged: Numbers,
    rest: Numbers,
    weights: Numbers | None = None,
    lam: float | None = None,
) -> Corrected | None:
    """Return the mean of the human labels, sharpened by a judge's labels of many more items (PPI++).

    `judged` are the judge's labels of the items in `human`, `rest` those of all other items. `weights` are
    the inverse chances with which the items of `human` were drawn; without, all chances were equal. `lam`
    fixes λ; None chooses the λ with the least variance, within [0, 1]. An item that lacks a label is left out
    and counted. None for fewer than two human labels.

    Raises ValueError for unequal lengths, or weights that are not positive. Source: arXiv 2311.01453. With
    unequal chances what is left over is no fair sample, so λ times the judge's mean over all items is
    corrected by the weighted mean error (the difference estimator of survey sampling).
    """
    y, f, w, missing = _labelled(human, judged, weights)
    others, missing_rest = _known(rest)
    if len(y) < 2:
        return None
    everyone = np.concatenate([f, others])
    if weights is None:
        value, spread, trust = _disjoint(y, f, others, lam)
    else:
        value, spread, trust = _difference(y, f, w, everyone, lam)
    raw, lost = float(everyone.mean()), missing + missing_rest
    ends = _around(value, spread, len(y), _effective(w), 2 if lam is None else 1)
    return Corrected(value, spread, *ends, raw, everyone.size, len(y), lost, trust)


def _disjoint(y: Floats, f: Floats, rest: Floats, lam: float | None) -> tuple[float, float, float]:
    """Value, standard error and λ where people labelled a simple sample and the judge also the rest."""
    if not rest.size:
        return float(y.mean()), math.sqrt(y.var() / y.size), 0.0
    spread = float(np.concatenate([f, rest]).var(ddof=1)) * (1 + y.size / rest.size)
    trust = _trust(float(np.cov(y, f)[0, 1]), spread) if lam is None else lam
    error = y - trust * f
    variance = trust**2 * rest.var() / rest.size + error.var() / y.size
    return float(trust * rest.mean() + error.mean()), math.sqrt(variance), trust


def _difference(
    y: Floats, f: Floats, w: Floats, everyone: Floats, lam: float | None
) -> tuple[float, float, float]:
    """The same from items drawn with unequal chances; `everyone` starts with the judge's labels of these.

    The variance is that of each item's part in the estimate, so that what both means share counts once.
    """
    of_item = w * everyone.size / w.sum()
    covariance = float(np.cov(y, f, aweights=w)[0, 1])
    trust = _trust(covariance, float(everyone.var(ddof=1))) if lam is None else lam
    error = y - trust * f
    mean_error = float(np.average(error, weights=w))
    part = trust * (everyone - everyone.mean())
    part[: y.size] += of_item * (error - mean_error)
    return float(trust * everyone.mean()) + mean_error, float(np.sqrt((part**2).sum())) / part.size, trust


def _trust(covariance: float, spread: float) -> float:
    return min(1.0, max(0.0, covariance / spread)) if spread > 0 else 0.0


def _labelled(human: Numbers, judged: Numbers, weights: Numbers | None) -> tuple[Floats, Floats, Floats, int]:
    """Human labels, the judge's of the same items, their weights, where both are known; how many are not."""
    y, f = floats(human), floats(judged)
    w = np.ones(y.shape) if weights is None else floats(weights)
    if not y.shape == f.shape == w.shape:
        raise ValueError(f"{y.size} human labels, {f.size} of the judge, {w.size} weights")
    if not (w > 0).all():
        raise ValueError("weights must be positive")
    known = ~(np.isnan(y) | np.isnan(f))
    return y[known], f[known], w[known], int((~known).sum())


def _known(values: Numbers) -> tuple[Floats, int]:
    array = floats(values)
    return array[~np.isnan(array)], count_missing(array)


def _effective(weights: Floats) -> float:
    """Size of the simple sample that would say as much (Kish)."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _around(
    value: float, se: float, n_human: int, effective: float, estimated: int
) -> tuple[float | None, float | None]:
    """The ends by Student's t, after `estimated` numbers (mean and λ, or two rates) from the human labels.

    Their degrees of freedom are lacking in the variance behind `se`, which is that of many labels.
    """
    df = effective - estimated
    if n_human < LEAST_HUMAN or df <= 0 or se < SAME:
        return None, None
    half = t_reach(df) * se * math.sqrt(effective / df)
    return value - half, value + half
