import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import permutation_test

from dyad.stats import (
    component_test,
    diallel_parts,
    model_test,
    paired_test,
    partner_test,
    three_way_parts,
    two_way_parts,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "statistics.json"
VECTORS = json.loads(GOLDEN.read_text(encoding="utf-8"))["vectors"]
P0 = VECTORS["permutation_p0"]
D0 = np.array(VECTORS["d0"]["d0_counts"]).reshape(20, 3, 3) / 6
SHARES = st.integers(0, 12).map(lambda hits: hits / 12)


def rng(seed=7):
    return np.random.default_rng(seed)


def tables(*shape):
    return arrays(float, shape, elements=SHARES)


@pytest.mark.parametrize(("test", "name"), [(partner_test, "partner"), (model_test, "model")])
def test_labels_inside_blocks_are_enumerated(test, name):
    found, expected = test(P0["x_smp"], rng()), P0[name]
    assert found.value == pytest.approx(expected["stat"], abs=1e-6)
    assert (found.p, found.draws, found.n) == (expected["p"], expected["total"], 3)
    assert found.exact


def test_signs_of_interactions_are_enumerated():
    expected = P0["interaction"]
    contrasts = np.array(expected["contrasts"])
    found = component_test(P0["x_smp"], two_way_parts, "interaction", rng())
    assert found.value == pytest.approx(4 * contrasts.mean() ** 2)  # the four cells of a contrast
    assert (found.p, found.draws, found.exact) == (expected["p"], expected["total"], True)
    assert paired_test(contrasts, rng()).p == expected["p"]


def test_tests_of_d0():
    found = [partner_test(D0, rng()), model_test(D0, rng())]
    found.append(component_test(D0, two_way_parts, "interaction", rng()))
    assert [test.p for test in found] == pytest.approx([0.001, 0.0004, 0.0012], abs=8e-4)
    assert [(test.draws, test.exact) for test in found] == [(10_000, False)] * 3


def test_random_exchanges_agree_with_all_of_them():
    x = rng(1).random((17, 3))
    every, some = paired_test(x[:16, 0], rng()), paired_test(x[:, 0] - 0.5, rng(), 200_000)
    assert (every.draws, every.exact) == (2**16, True)
    signs = 1 - 2 * (np.arange(2**17)[:, None] >> np.arange(17) & 1)
    means = np.abs(signs @ (x[:, 0] - 0.5)) / 17
    assert some.p == pytest.approx((means >= means[0] - 1e-12).mean(), abs=0.005)


def test_paired_test_is_that_of_scipy():
    x, y = D0[:9, 0, 2], D0[:9, 0, 0]

    def squared_mean(x, y, axis):
        return np.mean(x - y, axis=axis) ** 2

    oracle = permutation_test((x, y), squared_mean, permutation_type="samples", alternative="greater")
    assert paired_test(x - y, rng()).p == pytest.approx(oracle.pvalue)


def test_no_p_is_zero_and_the_seed_decides():
    x = np.tile([[0.0, 0.5, 1.0]], (20, 3, 1))
    assert partner_test(x, rng(), 99).p == 1 / 100
    noise = rng(2).random((20, 3, 3))
    again = [partner_test(noise, rng(seed), 500).p for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


def test_nothing_to_tell_apart_gives_one():
    flat = np.full((20, 3, 3), 0.1)
    additive = 0.1 + np.add.outer([0.1, 0.2, 0.3], [0.5, 0.7, 0.2]) + rng(3).random((20, 1, 1))
    assert partner_test(flat, rng()).p == model_test(flat, rng()).p == 1
    assert component_test(additive, two_way_parts, "interaction", rng()).p == 1
    assert partner_test(D0[:, :, :1], rng()).p == 1
    assert paired_test([0.0, 0.0, 0.0], rng()).p == 1
    assert paired_test([0.3], rng()).p == 1


def test_no_data_or_no_draws_give_none():
    assert paired_test([], rng()) is None
    assert paired_test([math.nan, None], rng()) is None
    assert partner_test(np.empty((0, 3, 3)), rng()) is None
    assert partner_test(D0, rng(), 0) is None
    assert component_test(D0, two_way_parts, "model", rng(), 0) is None
    assert paired_test([0.1, 0.2], rng(), 0) is None


def test_incomplete_scenarios_are_left_out_and_counted():
    broken = D0.copy()
    broken[3, 1, 1] = math.nan
    whole = np.delete(D0, 3, axis=0)
    found, expected = partner_test(broken, rng()), partner_test(whole, rng())
    assert (found.value, found.p, found.n, found.n_missing) == (expected.value, expected.p, 19, 1)
    found = paired_test([0.1, None, 0.3, math.nan], rng())
    assert (found.n, found.n_missing, found.p) == (2, 2, 0.5)


@pytest.mark.parametrize("name", ["lift", "edge", "chemistry", "cycle"])
def test_statistic_is_the_sum_of_squares_of_a_diallel_component(name):
    ss = VECTORS["d0"]["ss_cells"]
    found = component_test(D0, diallel_parts, name, rng(), 99)
    assert found.value == pytest.approx(ss[name], abs=1e-6)


def test_any_decomposition_can_be_tested():
    x = rng(4).random((6, 2, 3, 3))
    x[..., 0, 0] += 2
    assert component_test(x, three_way_parts, "interaction", rng()).p == 2 / 64
    with pytest.raises(KeyError):
        component_test(x, three_way_parts, "lift", rng())


def test_level_of_the_interaction_test():
    """Without an interaction it rejects at its nominal 5 %, though models, partners and scenarios differ."""
    r = rng(5)
    base = np.add.outer([0.1, 0.3, 0.6], [0.2, 0.0, 0.3])
    rejected = 0
    for _ in range(400):
        x = base + r.normal(size=(8, 1, 1)) + r.normal(size=(8, 3, 1)) + r.standard_t(4, size=(8, 3, 3))
        rejected += component_test(x, two_way_parts, "interaction", r).p <= 0.05
    assert rejected / 400 <= 0.06


@given(tables(3, 2, 2), st.permutations(range(3)), st.booleans())
def test_order_of_scenarios_and_labels_does_not_matter(x, order, swap):
    other = x[list(order)][..., ::-1] if swap else x[list(order)]
    for test in (partner_test, model_test):
        assert test(other, rng()).p == test(x, rng()).p
    found = [component_test(t, two_way_parts, "interaction", rng()).p for t in (x, other)]
    assert found[0] == found[1]


@given(arrays(float, st.integers(1, 9), elements=st.floats(-1, 1)), st.sampled_from([-1.0, 3.0, -0.25]))
def test_sign_and_scale_of_differences_do_not_matter(differences, factor):
    kept = np.round(differences, 3)
    assert paired_test(factor * kept, rng()).p == paired_test(kept, rng()).p


@given(tables(4, 3, 3))
def test_model_test_is_the_partner_test_of_the_other_way_round(x):
    found, turned = model_test(x, rng(), 50), partner_test(x.swapaxes(1, 2), rng(), 50)
    assert found == turned
    assert 0 < found.p <= 1
