from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dyad.stats import jackknife_se, relations, social_relations
from dyad.stats.srm import COMPONENTS

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))
KENNY = GOLDEN["vectors"]["srm"]
FOUR_DIGITS = 5.1e-5

rounds = st.integers(4, 6).flatmap(
    lambda n: arrays(float, (n, n), elements=st.integers(0, 120).map(lambda hits: hits / 120))
)


def test_six_persons() -> None:
    found = relations(np.array(KENNY["X"], float))
    assert found["mean"] == pytest.approx(KENNY["mean"])
    assert found["actor"] == pytest.approx(KENNY["a"], abs=FOUR_DIGITS)
    assert found["partner"] == pytest.approx(KENNY["b"], abs=FOUR_DIGITS)
    numbers = {
        "ms_sum": KENNY["MS_s"],
        "ms_difference": KENNY["MS_d"],
        "actor variance": KENNY["var_a"],
        "partner variance": KENNY["var_b"],
        "relationship variance": KENNY["var_g"],
        "actor-partner covariance": KENNY["cov_ab"],
        "reciprocity": KENNY["cov_gg"],
    }
    assert {name: float(found[name]) for name in numbers} == pytest.approx(numbers, abs=FOUR_DIGITS)
    assert (found["actor"] ** 2).sum() / 5 == pytest.approx(KENNY["plain_var_a"], abs=FOUR_DIGITS)


def test_the_attack_matrix_of_four_models() -> None:
    found, expected = social_relations(GOLDEN["published"]["matrices4"]["T4-2"]), KENNY["T4-2_4x4"]
    assert [effect.value for effect in found.actor] == pytest.approx(expected["a"], abs=FOUR_DIGITS)
    assert [effect.value for effect in found.partner] == pytest.approx(expected["b"], abs=FOUR_DIGITS)
    variances = [found.components[name].value for name in COMPONENTS[:3]]
    assert variances == pytest.approx([expected[k] for k in ("var_a", "var_b", "var_g")], abs=5.1e-6)
    assert (found.n, found.actor[0].se) == (1, None)


def test_scenarios_are_groups_with_a_jackknife_over_them() -> None:
    tables = np.random.default_rng(4).uniform(size=(7, 5, 5))
    found, each = social_relations(tables), relations(tables)

    def mean(weights: np.ndarray) -> dict[str, np.ndarray]:
        return {name: weights @ each[name] / weights.sum(axis=1) for name in COMPONENTS}

    expected = jackknife_se(mean, 7)
    assert {name: found.components[name].se for name in COMPONENTS} == pytest.approx(expected)
    assert found.components["actor variance"].value == pytest.approx(each["actor variance"].mean())


def test_components_are_unbiased() -> None:
    rng, n, draws = np.random.default_rng(5), 6, 4000
    truth = {"a": 1.0, "b": 0.5, "ab": 0.3, "g": 2.0, "gg": 0.6}
    sides = rng.multivariate_normal(
        [0, 0], [[truth["a"], truth["ab"]], [truth["ab"], truth["b"]]], (draws, n)
    )
    upper = np.triu_indices(n, 1)
    both = rng.multivariate_normal(
        [0, 0], [[truth["g"], truth["gg"]], [truth["gg"], truth["g"]]], (draws, len(upper[0]))
    )
    between = np.zeros((draws, n, n))
    between[:, upper[0], upper[1]], between[:, upper[1], upper[0]] = both[..., 0], both[..., 1]
    found = relations(3 + sides[..., 0][:, :, None] + sides[..., 1][:, None, :] + between)
    means = [found[name].mean() for name in COMPONENTS]
    assert means == pytest.approx([1.0, 0.5, 2.0, 0.3, 0.6], abs=0.05)
    assert found["actor variance"].min() < 0


@given(rounds, st.floats(0, 1))
def test_the_diagonal_does_not_matter_and_effects_add_to_zero(x, value) -> None:
    other = x.copy()
    np.fill_diagonal(other, value)
    one, two = relations(x), relations(other)
    for name in one:
        assert one[name] == pytest.approx(two[name], abs=1e-12)
    assert one["actor"].sum() == pytest.approx(0, abs=1e-12)
    assert one["partner"].sum() == pytest.approx(0, abs=1e-12)


@given(rounds)
def test_exchanging_sides_exchanges_actor_and_partner(x) -> None:
    here, there = relations(x), relations(x.T)
    assert here["actor"] == pytest.approx(there["partner"], abs=1e-12)
    assert here["actor variance"] == pytest.approx(there["partner variance"], abs=1e-12)
    for name in COMPONENTS[2:]:
        assert here[name] == pytest.approx(there[name], abs=1e-12)


def test_a_table_without_relationships_has_none() -> None:
    a, b = np.array([0.3, -0.1, -0.2, 0.0]), np.array([0.1, 0.2, -0.4, 0.1])
    found = social_relations(0.5 + a[:, None] + b[None, :])
    assert [effect.value for effect in found.actor] == pytest.approx(a)
    assert found.components["relationship variance"].value == pytest.approx(0, abs=1e-15)


def test_three_models_have_effects_but_no_components() -> None:
    found = social_relations(GOLDEN["published"]["matrices3"]["T4-2"])
    assert set(found.components.values()) == {None}
    assert sum(effect.value for effect in found.actor) == pytest.approx(0)


def test_scenarios_with_a_hole_are_left_out_unless_it_is_self_play() -> None:
    tables = np.random.default_rng(6).uniform(size=(4, 4, 4))
    tables[:, range(4), range(4)] = np.nan
    assert (social_relations(tables).n, social_relations(tables).n_missing) == (4, 0)
    tables[1, 0, 2] = np.nan
    assert (social_relations(tables).n, social_relations(tables).n_missing) == (3, 1)
    assert social_relations(tables[1:2]) is None


def test_too_few_models_and_wrong_shapes() -> None:
    assert social_relations([[0.1, 0.2], [0.3, 0.4]]) is social_relations(np.empty((0, 4, 4))) is None
    with pytest.raises(ValueError, match="three are needed"):
        relations(np.zeros((2, 2)))
    for shape in ((3, 4), (2, 2, 2, 2)):
        with pytest.raises(ValueError, match="square tables"):
            social_relations(np.zeros(shape))
