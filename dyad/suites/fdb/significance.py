"""Whether a model's voice changes after an overlap: paired tests as in Full-Duplex-Bench v1.5 (2507.23159).

Two pairs per measure: after against before the overlap, and after against the run without it. `compat` judges
by the raw p value, `strict` by Holm's over all tests of a set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dyad.stats import holm, t_p, t_reach
from dyad.stats.values import Floats, floats
from dyad.suites.protocol import Before, Compared, Mode, Sample

ALPHA = 0.05
OUTLIER = 3.5  # robust standard deviations from the median difference
ROBUST_SD = 1.4826  # standard deviation of a normal distribution over its MAD
FEWEST = 5  # pairs of a strict test
SILENT_DB = -190.0
EQUAL = 1e-9  # differences that vary by less than this share of themselves are all the same

TESTED = ("utmos", "wpm", "speech_s", "pitch", "pitch_std", "intensity", "intensity_std")
ZERO_IS_MISSING = frozenset({"wpm", "speech_s", "pitch", "pitch_std", "intensity_std"})

FLAGS: dict[str, str] = {
    "raw_p": "differences are called reliable by p values that are not corrected for the number of tests",
    "constant_p0": "a difference that is the same in every sample has p = 0",
    "tests_durations": "the lengths of both parts of the recording are tested too",
}


def compare(samples: Sequence[Sample], mode: Mode, flags: Mapping[str, bool] | None = None) -> list[Compared]:
    """Test every measure that a sample has, in both pairs; nothing where no sample responded.

    Only samples tagged C_RESPOND count, and none with a rate of speech of 0 in any part. Values that stand
    for silence count as missing. Strict tests no fewer than 5 pairs: outliers cannot be told among those.
    """
    flags = flags or {}
    on = {name: mode == "compat" and flags.get(name, True) for name in FLAGS}
    kept = [s for s in samples if _responded(s.get("respond"), mode) and not _without_words(s)]
    measures = (*TESTED, "part_s") if on["tests_durations"] else TESTED
    pairs: tuple[Before, ...] = ("pre", "clean")
    least = 2 if mode == "compat" else FEWEST
    found = [
        paired(_column(kept, name, pair), _column(kept, name, "post"), name, pair, on["constant_p0"], least)
        for name in measures
        for pair in pairs
        if all(any(f"{name}_{part}" in sample for sample in kept) for part in (pair, "post"))
    ]
    tests = [1.0 if mode == "compat" and one.p is None and one.diff is not None else one.p for one in found]
    steps = zip(found, holm(tests), strict=True)
    adjusted = [None if one.p is None else p for one, p in steps]  # the authors count what has no p as tests
    return [_concluded(one, p_holm, on["raw_p"]) for one, p_holm in zip(found, adjusted, strict=True)]


def paired(
    before: Sequence[float | None] | Floats,
    after: Sequence[float | None] | Floats,
    measure: str = "",
    pair: Before = "pre",
    constant_p0: bool = False,
    least: int = 2,
) -> Compared:
    """Return the paired t test of after − before, without pairs that lack a value and without outliers.

    A difference that is the same in every pair has no p value, 0 with `constant_p0` unless it is 0. Fewer
    than `least` pairs, at least 2, are not tested.
    """
    b, a = floats(before), floats(after)
    valid = ~np.isnan(b) & ~np.isnan(a)
    b, a = b[valid], a[valid]
    used = _inliers(a - b)
    blank = Compared(measure, pair, len(valid), len(b), int(used.sum()))
    if blank.n_valid < least or blank.n_used < 2:
        return replace(blank, note=f"fewer than {least} pairs")
    b, a = b[used], a[used]
    diff = a - b
    means = replace(blank, mean_before=float(b.mean()), mean_after=float(a.mean()), diff=float(diff.mean()))
    return _tested(means, diff, constant_p0)


def masked(values: Sequence[float | None], measure: str) -> Floats:
    """Return values with NaN for those that stand for nothing: zeros, and an intensity of silence."""
    array = floats(values)
    if measure in ZERO_IS_MISSING:
        array[array == 0] = np.nan
    elif measure == "intensity":
        array[array <= SILENT_DB] = np.nan
    return array


def _responded(share: float | None, mode: Mode) -> bool:
    """Whether a sample is tagged C_RESPOND; the authors take one that has further tags, too."""
    return share is not None and (share > 0 if mode == "compat" else share == 1)


def _without_words(sample: Sample) -> bool:
    return any(sample.get(f"wpm_{part}") == 0 for part in ("pre", "post", "clean"))


def _column(samples: Sequence[Sample], measure: str, part: str) -> Floats:
    return masked([sample.get(f"{measure}_{part}") for sample in samples], measure)


def _inliers(diff: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Keep differences within 3.5 robust standard deviations of their median; all where these are 0."""
    middle = np.median(diff) if diff.size else 0.0
    mad = np.median(np.abs(diff - middle)) if diff.size else 0.0
    reach = OUTLIER * (ROBUST_SD * mad)
    return (diff >= middle - reach) & (diff <= middle + reach) if mad > 0 else np.ones(len(diff), np.bool_)


def _tested(found: Compared, diff: Floats, constant_p0: bool) -> Compared:
    mean, sd = diff.mean(), diff.std(ddof=1)
    reach = t_reach(found.df) * (sd / np.sqrt(len(diff)))
    found = replace(found, low=float(mean - reach), high=float(mean + reach))
    least = 0.0 if constant_p0 else EQUAL * np.abs(diff).max()
    if sd > least:
        t = float(mean / np.sqrt(np.var(diff, ddof=1) / len(diff)))
        return replace(found, t=t, p=t_p(t, found.df), d_z=float(mean / sd))
    if constant_p0 and mean:
        return replace(found, t=math.copysign(math.inf, mean), p=0.0)
    return replace(found, note="the same difference in every sample")


def _concluded(found: Compared, p_holm: float | None, raw: bool) -> Compared:
    found = replace(found, p_holm=p_holm)
    if raw:  # what has no p value counts as no change
        return replace(found, reliable=found.p is not None and found.p < ALPHA if found.n_used > 1 else None)
    return replace(found, reliable=None if p_holm is None else p_holm < ALPHA)
