"""Paired tests of Full-Duplex-Bench v1.5: suite_fdb.md §7.5."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dyad.suites.fdb.significance import TESTED, compare, masked, paired
from dyad.suites.protocol import Compared, Mode

BEFORE, AFTER = [100, 110, 120, 130, 140], [105, 113, 128, 131, 149]


def rows(**columns: list[float | None]) -> list[dict[str, float | None]]:
    """Samples that all responded, from columns of values."""
    length = len(next(iter(columns.values())))
    return [{"respond": 1.0} | {name: values[i] for name, values in columns.items()} for i in range(length)]


def test_worked_example() -> None:
    found = paired(BEFORE, AFTER, "wpm")
    assert (found.n_rows, found.n_valid, found.n_used, found.df) == (5, 5, 5, 4)
    assert (found.mean_before, found.mean_after, found.diff) == (120, 125.2, pytest.approx(5.2))
    assert (found.t, found.p) == (pytest.approx(3.4744, abs=5e-5), pytest.approx(0.02548, abs=5e-6))
    assert (found.low, found.high) == (pytest.approx(1.0446, abs=5e-5), pytest.approx(9.3554, abs=5e-5))
    assert found.d_z == pytest.approx(1.5538, abs=5e-5)


@pytest.mark.parametrize(("extra", "used"), [(20.567, 6), (20.568, 5), (-10.567, 6), (-10.568, 5)])
def test_outliers_lie_beyond_three_and_a_half_robust_deviations(extra: float, used: int) -> None:
    """The bounds of the worked example, held where a sixth pair leaves median and MAD as they are."""
    d = np.array([5.0, 3, 8, 1, 9])
    middle, mad = np.median(d), np.median(np.abs(d - np.median(d)))
    assert (middle, mad) == (5, 3)
    low, high = middle - 3.5 * 1.4826 * mad, middle + 3.5 * 1.4826 * mad
    assert (low, high) == (pytest.approx(-10.567, abs=5e-4), pytest.approx(20.567, abs=5e-4))
    many = np.concatenate([np.tile(d, 20), [extra]])  # one more among 100 does not move them
    assert paired(np.zeros(101), many).n_used == 100 + (used == 6)


def test_agrees_with_scipy() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 10, 60):
        before = rng.normal(100, 20, n)
        after = before + rng.uniform(-1, 3, n)
        found = paired(before, after)
        assert found.n_used == n
        oracle = stats.ttest_rel(after, before)
        interval = oracle.confidence_interval()
        assert found.t == pytest.approx(oracle.statistic, rel=1e-12)
        assert found.p == pytest.approx(oracle.pvalue, rel=1e-12)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9)


@pytest.mark.parametrize(
    ("measure", "values", "left"),
    [
        ("wpm", [0.0, 150.0, None], [150.0]),
        ("speech_s", [0.0, 1.0], [1.0]),
        ("pitch", [0.0, 120.0], [120.0]),
        ("pitch_std", [0.0, 12.0], [12.0]),
        ("intensity_std", [0.0, 3.0], [3.0]),
        ("intensity", [-200.0, -190.0, -189.9, 0.0], [-189.9, 0.0]),
        ("utmos", [0.0, 3.0, math.nan], [0.0, 3.0]),
    ],
)
def test_values_that_stand_for_nothing_are_masked(
    measure: str, values: list[float | None], left: list[float]
) -> None:
    array = masked(values, measure)
    assert array[~np.isnan(array)].tolist() == left


def test_only_samples_that_responded_count() -> None:
    samples = rows(pitch_pre=[*BEFORE, 1.0], pitch_post=[*AFTER, 999.0])
    samples[-1]["respond"] = 0.0
    samples.append({"pitch_pre": 5.0, "pitch_post": 500.0})  # nobody has tagged it
    (found,) = compare(samples, "compat")
    assert (found.n_rows, found.p) == (5, pytest.approx(0.02548, abs=5e-6))
    assert compare([], "strict") == []


def test_a_rate_of_0_anywhere_drops_the_sample_and_a_missing_one_does_not() -> None:
    samples = rows(
        wpm_pre=[*BEFORE, 100.0, 100.0],
        wpm_post=[*AFTER, 900.0, 104.0],
        wpm_clean=[*AFTER, 0.0, None],
    )
    pre, clean = compare(samples, "strict")
    assert (pre.before, pre.n_rows, pre.n_used) == ("pre", 6, 6)
    assert (clean.before, clean.n_rows, clean.n_used) == ("clean", 6, 5)


def test_compat_concludes_from_raw_p_and_strict_from_holm() -> None:
    noise = np.random.default_rng(3).normal(0, 1, (5, 5))
    columns: dict[str, list[float | None]] = {"wpm_pre": [*BEFORE], "wpm_post": [*AFTER]}
    for name, row in zip(("pitch", "pitch_std", "intensity", "intensity_std", "utmos"), noise, strict=True):
        columns |= {f"{name}_pre": [50.0] * 5, f"{name}_post": (50 + row).tolist()}
    by_raw, by_holm = (
        {one.measure: one for one in compare(rows(**columns), mode)} for mode in ("compat", "strict")
    )
    assert by_raw["wpm"].p == by_holm["wpm"].p
    assert by_holm["wpm"].p_holm == pytest.approx(6 * 0.02548, abs=5e-5)
    assert (by_raw["wpm"].reliable, by_holm["wpm"].reliable) == (True, False)
    (switched,) = [c for c in compare(rows(**columns), "compat", {"raw_p": False}) if c.measure == "wpm"]
    assert switched.reliable is False


def test_the_same_difference_everywhere_is_no_test_in_strict() -> None:
    samples = rows(
        pitch_pre=[100.0, 130.0, 170.3, 90.0, 80.0], pitch_post=[105.0, 135.0, 175.3, 95.0, 85.0]
    )  # 5 up to rounding
    (found,) = compare(samples, "strict")
    assert (found.diff, found.t, found.p, found.reliable) == (pytest.approx(5), None, None, None)
    assert found.note


def test_the_same_difference_everywhere_has_p_0_in_compat() -> None:
    samples = rows(pitch_pre=[100.0, 130.0, 170.0], pitch_post=[105.0, 135.0, 175.0])
    (found,) = compare(samples, "compat")
    assert (found.t, found.p, found.d_z, found.reliable) == (math.inf, 0.0, None, True)
    (switched,) = compare(samples, "compat", {"constant_p0": False})
    assert (switched.p, switched.reliable) == (None, False)


def test_no_difference_at_all_is_no_change() -> None:
    (found,) = compare(rows(pitch_pre=[100.0, 130.0], pitch_post=[100.0, 130.0]), "compat")
    assert (found.diff, found.p, found.reliable) == (0.0, None, False)


def test_compat_tests_the_lengths_of_the_parts_too() -> None:
    samples = rows(part_s_pre=[3.0, 4, 6], part_s_post=[7.0, 9, 8])
    assert [one.measure for one in compare(samples, "compat")] == ["part_s"]
    assert compare(samples, "compat", {"tests_durations": False}) == []
    assert compare(samples, "strict") == []


def test_too_few_pairs_are_no_test_and_no_error() -> None:
    (found,) = compare(rows(pitch_pre=[100.0, None], pitch_post=[120.0, 100.0]), "compat")
    assert found == Compared("pitch", "pre", 2, 1, 1, note="fewer than 2 pairs")


def test_every_measure_of_sound_is_tested_in_both_pairs() -> None:
    columns = {f"{name}_{part}": [1.0, 2.5, 4.0] for name in TESTED for part in ("pre", "post", "clean")}
    found = compare(rows(**columns), "strict")
    assert [(one.measure, one.before) for one in found] == [(n, p) for n in TESTED for p in ("pre", "clean")]


def test_strict_tests_no_few_pairs() -> None:
    samples = rows(wpm_pre=[*BEFORE[:3]], wpm_post=[*AFTER[:3]])
    (strict,), (compat,) = compare(samples, "strict"), compare(samples, "compat")
    assert (strict.p, strict.low, strict.note) == (None, None, "fewer than 5 pairs")
    assert compat.p is not None


def test_compat_counts_tests_without_a_p_value_among_those_of_holm() -> None:
    """statsmodels' multipletests, which the authors call, keeps NaN among the number of tests: 15, not 8."""
    rng = np.random.default_rng(1)
    step = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    columns = dict[str, list[float | None]]()
    for name in ("utmos", "wpm", "speech_s", "pitch"):  # eight tests with a p value
        for part in ("pre", "post", "clean"):
            columns[f"{name}_{part}"] = list(100 + rng.normal(0, 1, 6))
    shift = 2.766137  # of which p is .015192
    columns["utmos_post"] = list(np.array(columns["utmos_pre"], float) + step - 3.5 + shift)
    columns["utmos_clean"] = list(np.add(np.array(columns["utmos_post"], float), [1, -1, 1, -1, 1, -2]))
    for name in ("pitch_std", "intensity", "intensity_std", "part_s"):  # seven that are the same in both
        for part in ("pre", "post", "clean"):
            columns[f"{name}_{part}"] = list(step)
    del columns["part_s_clean"]
    found = compare(rows(**columns), "compat")
    assert [len(found), sum(one.p is None for one in found)] == [15, 7]
    least = min((one for one in found if one.p is not None), key=lambda one: one.p or 0.0)
    assert least.p == pytest.approx(0.015192, abs=5e-7)
    assert (least.measure, round(least.p_holm or 0, 4)) == ("utmos", 0.2279)  # not .1215
    smm = pytest.importorskip("statsmodels.stats.multitest")
    theirs = smm.multipletests([np.nan if one.p is None else one.p for one in found], method="holm")[1]
    assert [one.p_holm for one in found if one.p is not None] == pytest.approx(theirs[~np.isnan(theirs)])


@pytest.mark.parametrize(("mode", "pairs"), [("compat", 6), ("strict", 5)])
def test_a_sample_with_further_tags_responded_for_the_authors(mode: Mode, pairs: int) -> None:
    made = rows(wpm_pre=[1.0, 2, 3, 4, 5, 6], wpm_post=[2.0, 4, 3, 6, 5, 9])
    made[0]["respond"] = 0.5
    assert {one.n_rows for one in compare(made, mode)} == {pairs}
