"""Corrected shares against worked examples, and against known truths in simulation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import Corrected, calibrate, ppi, rogan_gladen, wilson
from dyad.stats.correct import LEAST_HUMAN
from dyad.stats.student import t_reach

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
V = GOLDEN["judge_correction"]
HUMAN = [1] * V["TP"] + [0] * V["FP"] + [1] * V["FN"] + [0] * V["TN"]
JUDGED = [1] * (V["TP"] + V["FP"]) + [0] * (V["FN"] + V["TN"])
REST = [1] * V["judge_positive"] + [0] * (V["N"] - V["judge_positive"])
bits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=30)


def found(corrected: Corrected | None) -> Corrected:
    assert corrected is not None
    return corrected


def published(share: Corrected) -> tuple[float, float]:
    """The interval of the papers, for many human labels."""
    return share.value - 1.959964 * share.se, share.value + 1.959964 * share.se


def ends(share: Corrected, df: float) -> tuple[float, float]:
    half = t_reach(df) * share.se * (140 / df) ** 0.5
    return share.value - half, share.value + half


def test_rogan_gladen() -> None:
    calibration = calibrate(HUMAN, JUDGED)
    assert calibration is not None
    assert (calibration.sensitivity, calibration.specificity) == pytest.approx((V["se"], V["sp"]), abs=1e-6)
    share = found(rogan_gladen(REST, calibration))
    assert (share.raw, share.value, share.se) == pytest.approx(
        (V["raw"], V["rogan_gladen"], V["rogan_gladen_se"]), abs=1e-6
    )
    low, high = V["rogan_gladen_ci"]  # printed with z = 1.96
    assert (share.value - 1.96 * share.se, share.value + 1.96 * share.se) == pytest.approx(
        (low, high), abs=1e-6
    )
    assert ends(share, 138) == pytest.approx((share.low, share.high))
    assert (share.n, share.n_human, share.n_missing) == (3240, 140, 0)


def test_ppi_with_full_trust() -> None:
    printed = V["ppi_lambda1"]
    share = found(ppi(HUMAN, JUDGED, REST, lam=1.0))
    assert (share.value, share.se) == pytest.approx((printed["theta"], printed["se"]), abs=1e-6)
    assert published(share) == pytest.approx(printed["ci"], abs=5.1e-6)
    assert ends(share, 139) == pytest.approx((share.low, share.high))


def test_ppi_with_tuned_trust() -> None:
    printed, library = V["ppi_tuned"], V["library"]
    share = found(ppi(HUMAN, JUDGED, REST))
    assert share.lam == pytest.approx(printed["lambda"], abs=1e-6)
    assert (share.value, share.se) == pytest.approx((printed["theta"], printed["se"]), abs=1e-6)
    assert share.value == pytest.approx(library["theta"], abs=library["tolerance"])
    assert published(share) == pytest.approx(library["ci"], abs=library["tolerance"])


def test_people_alone() -> None:
    share = found(ppi(HUMAN, JUDGED, REST, lam=0.0))
    assert share.value == pytest.approx(V["human_only"])
    interval = wilson(sum(HUMAN), len(HUMAN))
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.5172, 0.6774), abs=5e-5)


def test_all_labelled_by_people_is_their_mean() -> None:
    share = found(ppi(HUMAN, JUDGED, []))
    assert (share.value, share.lam) == (pytest.approx(0.6), 0)
    assert share.se == pytest.approx((0.6 * 0.4 / 140) ** 0.5)


@pytest.mark.parametrize(
    ("human", "judged", "rest"),
    [([], [], []), ([], [], [1, 0]), ([1], [1], [1, 0]), ([None, 1], [1, 1], [1]), ([1, 0], [None, 1], [1])],
)
def test_too_few_human_labels(human: Any, judged: Any, rest: Any) -> None:
    assert ppi(human, judged, rest) is None
    assert ppi(human, judged, rest, weights=[1.0] * len(human)) is None


@pytest.mark.parametrize(
    ("human", "judged"),
    [([], []), ([1, 1], [1, 0]), ([0, 0], [1, 0]), ([1, 0], [0, 1]), ([1, 1, 0, 0], [1, 0, 1, 0])],
    ids=["empty", "no human no", "no human yes", "always wrong", "chance"],
)
def test_errors_that_cannot_be_told(human: list[int], judged: list[int]) -> None:
    assert rogan_gladen([1, 0, 1], calibrate(human, judged)) is None


def test_nothing_judged() -> None:
    assert rogan_gladen([], calibrate([1, 0], [1, 0])) is None
    assert rogan_gladen([None], calibrate([1, 0], [1, 0])) is None


def test_missing_labels_are_left_out_and_counted() -> None:
    gaps = ppi([*HUMAN, None, 1], [*JUDGED, 1, None], [*REST, None])
    whole = found(ppi(HUMAN, JUDGED, REST))
    assert found(gaps).n_missing == 3
    assert (found(gaps).value, found(gaps).se, found(gaps).n) == (whole.value, whole.se, whole.n)
    assert calibrate([*HUMAN, None], [*JUDGED, 1]).n_missing == 1  # type: ignore[union-attr]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="2 human labels, 1 of the judge"):
        ppi([1, 0], [1], [])
    for weights in ([1.0, 0.0], [1.0, float("nan")]):
        with pytest.raises(ValueError, match="positive"):
            ppi([1, 0], [1, 0], [1], weights=weights)


@given(bits, st.lists(st.integers(0, 1), min_size=1, max_size=60), st.floats(0.1, 10))
def test_equal_weights_are_no_weights(pairs: list[tuple[int, int]], rest: list[int], weight: float) -> None:
    """Then the tuned estimate of survey sampling is that of PPI++, wherever its λ needs no clipping."""
    human, judged = [y for y, _ in pairs], [f for _, f in pairs]
    plain = found(ppi(human, judged, rest))
    weighted = found(ppi(human, judged, rest, weights=[weight] * len(pairs)))
    if weighted.lam is not None and weighted.lam < 1:
        assert weighted.value == pytest.approx(plain.value)


@given(bits, st.lists(st.integers(0, 1), max_size=60))
def test_yes_and_no_can_be_exchanged(pairs: list[tuple[int, int]], rest: list[int]) -> None:
    human, judged = [y for y, _ in pairs], [f for _, f in pairs]
    share = found(ppi(human, judged, rest))
    mirror = found(ppi([1 - y for y in human], [1 - f for f in judged], [1 - f for f in rest]))
    assert (mirror.value, mirror.se) == pytest.approx((1 - share.value, share.se), abs=1e-9)


@given(st.lists(st.integers(0, 1), min_size=2), st.lists(st.integers(0, 1), min_size=1))
def test_a_judge_without_errors_needs_no_correction(human: list[int], rest: list[int]) -> None:
    calibration = calibrate(human, human)
    if calibration:
        share = found(rogan_gladen(rest, calibration))
        assert share.value == pytest.approx(share.raw)
    assert found(ppi(human, human, rest, lam=1.0)).value == pytest.approx(sum(rest) / len(rest))


# -- simulation: 95 % intervals hold the truth about 95 times in 100 -------------------------------

TRUTH, DRAWS = 0.4, 400


def judge_labels(truth: Any, rng: np.random.Generator) -> Any:
    """A judge with sensitivity .9 and specificity .8."""
    return np.where(truth == 1, rng.random(truth.size) < 0.9, rng.random(truth.size) < 0.2).astype(float)


def coverage(results: list[Corrected]) -> float:
    known = [(r.low, r.high) for r in results if r.low is not None and r.high is not None]
    return sum(low <= TRUTH <= high for low, high in known) / len(known)


@pytest.mark.parametrize("human", [[1, 0], [1, 1, 1], [1, 0] * 7, [1] * 40])
def test_few_labels_or_labels_that_are_alike_have_no_interval(human: list[int]) -> None:
    for share in (ppi(human, human[::-1], REST, lam=0.0), ppi(human, human, [], weights=[2.0] * len(human))):
        assert (found(share).low, found(share).high) == (None, None)
    rates = rogan_gladen(REST, calibrate(human, human))
    assert rates is None or (rates.low, rates.high) == (None, None)


@pytest.mark.parametrize(("n", "least"), [(LEAST_HUMAN, 0.86), (2 * LEAST_HUMAN, 0.92)])
def test_coverage_of_few_human_labels(n: int, least: float) -> None:
    """By normal quantiles 83 and 91 of 100 hold the truth."""
    rng = np.random.default_rng(3)
    shares = []
    for _ in range(2 * DRAWS):
        truth = (rng.random(600) < TRUTH).astype(float)
        judged = judge_labels(truth, rng)
        shares.append(found(ppi(truth[:n], judged[:n], judged[n:])))
    assert least <= coverage(shares) <= 0.98


def test_coverage_of_simple_samples() -> None:
    rng = np.random.default_rng(1)
    by_ppi, by_rates, by_people = [], [], []
    for _ in range(DRAWS):
        truth = (rng.random(1500) < TRUTH).astype(float)
        judged = judge_labels(truth, rng)
        human, rest = truth[:150], judged[150:]
        by_ppi.append(found(ppi(human, judged[:150], rest)))
        by_rates.append(found(rogan_gladen(judged, calibrate(human, judged[:150]))))
        by_people.append(found(ppi(human, judged[:150], rest, lam=0.0)))
    for results in (by_ppi, by_rates):
        assert 0.92 <= coverage(results) <= 0.98
        assert np.mean([r.value for r in results]) == pytest.approx(TRUTH, abs=0.006)
    assert np.mean([r.raw for r in by_ppi]) == pytest.approx(0.48, abs=0.006)  # what the correction mends
    assert np.mean([r.se for r in by_ppi]) < 0.85 * np.mean([r.se for r in by_people])


def test_coverage_where_doubtful_items_were_oversampled() -> None:
    """Where a second judge disagrees, people are asked more often: without weights that misleads."""
    rng = np.random.default_rng(2)
    weighted, naive, by_rates = [], [], []
    for _ in range(DRAWS):
        truth = (rng.random(1500) < TRUTH).astype(float)
        judged, second = judge_labels(truth, rng), judge_labels(truth, rng)
        chance = np.where(judged == second, 0.1, 0.8)
        drawn = rng.random(truth.size) < chance
        human, weights, rest = truth[drawn], 1 / chance[drawn], judged[~drawn]
        weighted.append(found(ppi(human, judged[drawn], rest, weights=weights)))
        naive.append(found(ppi(human, judged[drawn], rest)))
        by_rates.append(found(rogan_gladen(judged, calibrate(human, judged[drawn], weights))))
    assert 0.91 <= coverage(weighted) <= 0.98
    assert 0.91 <= coverage(by_rates) <= 1.0
    assert np.mean([r.value for r in weighted]) == pytest.approx(TRUTH, abs=0.006)
    assert abs(np.mean([r.value for r in naive]) - TRUTH) > 0.02
