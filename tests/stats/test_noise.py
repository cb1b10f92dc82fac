from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dyad.stats import (
    binomial_noise,
    corrected_shares,
    corrected_squares,
    diallel,
    diallel_parts,
    scenario_corrected,
    three_way,
    three_way_parts,
    two_way,
    two_way_parts,
    without_noise,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))
EXPECTED = GOLDEN["vectors"]["d0"]
D0 = np.array(EXPECTED["d0_counts"]).reshape(20, 3, 3) / 6
BINOMIAL = GOLDEN["recomputed"]["corrected_eta2_binomial"]
SIX_DIGITS, FOUR_DIGITS = 1e-6, 5.1e-5

scores = st.integers(0, 120).map(lambda hits: hits / 120)


@pytest.mark.parametrize("archetype", BINOMIAL)
def test_binomial_correction(archetype: str) -> None:
    row, cells = BINOMIAL[archetype], GOLDEN["published"]["matrices3"][archetype]
    noise, split = binomial_noise(cells, row["n"]), two_way(cells)
    assert noise == pytest.approx(row["v"], abs=5e-9)
    assert sum(split.df.values()) * noise / split.total == pytest.approx(row["noise"], abs=FOUR_DIGITS)
    assert list(without_noise(split, noise).shares.values()) == pytest.approx(row["share"], abs=FOUR_DIGITS)


@pytest.mark.parametrize(("parts", "raw"), [(two_way_parts, two_way), (diallel_parts, diallel)])
def test_scenario_correction_of_d0(parts, raw) -> None:
    corrected = scenario_corrected(D0, parts)
    assert corrected.ss == pytest.approx({k: EXPECTED["ss_ustat"][k] for k in corrected.ss}, abs=SIX_DIGITS)
    shares = corrected.shares
    assert shares == pytest.approx({k: EXPECTED["share_ustat"][k] for k in shares}, abs=FOUR_DIGITS)
    plain = raw(D0.mean(axis=0)).ss
    assert plain == pytest.approx({k: EXPECTED["ss_cells"][k] for k in plain}, abs=SIX_DIGITS)


def test_it_takes_the_variance_of_the_mean_off() -> None:
    corrected, raw = scenario_corrected(D0).ss, two_way(D0.mean(axis=0)).ss
    for name, part in two_way_parts(D0).items():
        noise = part.var(axis=0, ddof=1).sum() / len(D0)
        assert corrected[name] == pytest.approx(raw[name] - noise, abs=1e-12)


def test_strata_take_off_the_variance_of_the_mean_of_each_level() -> None:
    levels = ["t1"] * 6 + ["t3"] * 5 + ["t2"] * 9
    corrected = scenario_corrected(D0, three_way_parts, levels)
    groups = [D0[:6], D0[11:], D0[6:11]]  # levels in sorted order
    means = np.stack([group.mean(axis=0) for group in groups])
    noise = dict.fromkeys(corrected.ss, 0.0)
    for place, group in enumerate(groups):
        away = np.zeros((len(group), 3, 3, 3))
        away[:, place] = group - group.mean(axis=0)
        for name, part in three_way_parts(away).items():
            noise[name] += (part**2).sum() / (len(group) * (len(group) - 1))
    raw = three_way(means)
    assert corrected.ss == pytest.approx({name: raw.ss[name] - noise[name] for name in noise}, abs=1e-12)
    assert (corrected.df, corrected.n) == (raw.df, 27)
    assert corrected.mean == pytest.approx(raw.mean)


def test_it_is_unbiased_with_tied_seats() -> None:
    rng, truth = np.random.default_rng(1), np.array([[0.0, 0.4], [-0.4, 0.0]])
    noise = rng.normal(size=(4000, 4, 2, 2))
    tied = truth + noise - noise.swapaxes(-2, -1)  # as when the two seats of one run share one outcome
    found = np.array([list(scenario_corrected(x, diallel_parts).ss.values()) for x in tied])
    assert found.mean(axis=0) == pytest.approx([0, 0.32, 0, 0], abs=0.1)
    raw = np.array([diallel(x.mean(axis=0)).ss["edge"] for x in tied])
    assert raw.mean() > 1.0


def test_it_is_unbiased_with_scenarios_in_archetypes() -> None:
    rng = np.random.default_rng(2)
    t, m, p = np.ogrid[:3, :2, :2]
    truth = 0.5 * m + 0.3 * p + 0.4 * ((t == 1) & (m == p))
    levels = np.repeat([0, 1, 2], [2, 3, 4])
    found = [
        list(
            scenario_corrected(
                truth[levels] + rng.normal(size=(9, 2, 2)), three_way_parts, levels
            ).ss.values()
        )
        for _ in range(3000)
    ]
    expected, se = three_way(truth).ss, np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - list(expected.values())) < 4 * se).all()
    assert (se < 0.05).all()


def test_resampling_centres_on_the_corrected_shares_while_raw_ones_drift_up() -> None:
    weights = np.random.default_rng(3).multinomial(20, np.full(20, 1 / 20), 2000).astype(float)
    drawn = corrected_squares(D0)(weights)["interaction"]
    corrected, raw = EXPECTED["ss_ustat"]["interaction"], EXPECTED["ss_cells"]["interaction"]
    means = np.tensordot(weights, D0, 1) / 20
    resampled = (two_way_parts(means)["interaction"] ** 2).sum(axis=(1, 2))
    assert drawn.mean() == pytest.approx(corrected, rel=0.03)
    assert resampled.mean() > raw + 0.8 * (raw - corrected)


def test_a_resample_of_one_scenario_says_nothing() -> None:
    found = corrected_squares(D0[:2])(np.array([[2.0, 0.0], [1.0, 1.0]]))
    assert np.isnan(found["model"]).tolist() == [True, False]


def test_negative_parts_are_kept_and_only_shares_of_a_split_are_clipped() -> None:
    tables = np.array([[[0, 1], [1, 0]], [[1, 0], [0, 1]], [[1, 1], [0, 0]], [[1, 1], [0, 0]]], float)
    split = scenario_corrected(tables)
    assert split.ss["interaction"] < 0
    assert split.shares["interaction"] == 0
    assert sum(split.shares.values()) == pytest.approx(1)
    shares = corrected_shares({name: np.array([ss]) for name, ss in split.ss.items()})
    assert shares["interaction"][0] < 0
    assert {name: max(share[0], 0.0) for name, share in shares.items()} == pytest.approx(split.shares)


def test_nothing_beyond_noise_has_no_shares() -> None:
    found = corrected_shares({"model": np.array([-1.0, 0.0]), "partner": np.array([-2.0, 0.0])})
    assert np.isnan(found["model"]).all()
    constant = scenario_corrected(np.full((4, 3, 3), 0.1))
    assert set(constant.ss.values()) == {0.0}
    assert constant.shares is None


@given(arrays(float, (3, 3), elements=scores), st.integers(2, 5))
def test_identical_scenarios_need_no_correction(x, n) -> None:
    assume(np.ptp(x) > 0)
    assert scenario_corrected(np.stack([x] * n)).ss == pytest.approx(two_way(x).ss, abs=1e-12)


@given(arrays(float, (6, 2, 3), elements=scores))
def test_one_level_is_as_good_as_none(x) -> None:
    pooled, found = scenario_corrected(x), scenario_corrected(x, three_way_parts, ["t1"] * 6)
    assert {name: found.ss[name] for name in pooled.ss} == pytest.approx(pooled.ss, abs=1e-12)
    assert found.ss["task"] == pytest.approx(0, abs=1e-12)


def test_too_few_scenarios() -> None:
    assert scenario_corrected([]) is scenario_corrected(np.empty((3, 0, 0))) is None
    assert scenario_corrected(D0[:1]) is scenario_corrected(D0[:3], three_way_parts, [0, 0, 1]) is None
    assert binomial_noise([], 6) is binomial_noise([[0.5]], 1) is None


def test_undefined_cells_are_counted() -> None:
    table = [[0.1, None], [0.3, float("nan")]]
    split = scenario_corrected([table, [[1, 2], [3, 4]]])
    assert (split.ss, split.total, split.mean, split.shares, split.n_missing) == (None, None, None, None, 2)
    assert without_noise(split, 0.1) is split
    assert binomial_noise(table, 6) is None


def test_strata_of_different_length() -> None:
    with pytest.raises(ValueError, match="strata of 2 scenarios, but there are 3"):
        scenario_corrected(D0[:3], three_way_parts, [0, 1])
