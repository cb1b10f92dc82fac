from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dyad.stats import (
    diallel,
    diallel_effects,
    diallel_parts,
    lift_edge,
    self_play_parts,
    self_premium,
    two_way,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))
RECOMPUTED = GOLDEN["recomputed"]
SIX_DIGITS, FOUR_DIGITS = 1e-6, 5.1e-5

scores = st.integers(0, 120).map(lambda hits: hits / 120)
squares = st.integers(2, 5).flatmap(lambda n: arrays(float, (n, n), elements=scores))


def cells(name: str) -> np.ndarray:
    archetype, size = name.split("@")
    return np.array(GOLDEN["published"][f"matrices{size}"][archetype])


@pytest.mark.parametrize("name", RECOMPUTED["diallel"])
def test_published_matrices(name: str) -> None:
    split, effects = diallel(cells(name)), diallel_effects(cells(name))
    shares = split.shares
    found = {
        "lift": shares["lift"],
        "edge": shares["edge"],
        "chem": shares["chemistry"],
        "cycle": shares["cycle"],
        "selfplay": effects.ss_self / split.total,
        "premium": effects.self_premium,
    }
    assert found == pytest.approx(RECOMPUTED["diallel"][name], abs=SIX_DIGITS)


def test_effects_of_the_published_attack_matrix() -> None:
    effects, expected = diallel_effects(cells("T4-2@3")), RECOMPUTED["diallel_effects_T4-2_3x3"]
    assert effects.lift == pytest.approx(expected["lift_g"], abs=FOUR_DIGITS)
    assert effects.edge == pytest.approx(expected["edge_m"], abs=FOUR_DIGITS)


@given(squares)
def test_parts_are_orthogonal_and_rebuild_the_matrix(x) -> None:
    parts = diallel_parts(x)
    assert sum(parts.values()) + x.mean() == pytest.approx(x, abs=1e-12)
    flat = np.stack([part.ravel() for part in parts.values()])
    products = flat @ flat.T
    assert products - np.diag(np.diag(products)) == pytest.approx(np.zeros((4, 4)), abs=1e-12)


@given(squares)
def test_identities(x) -> None:
    split, both = diallel(x).ss, two_way(x).ss
    assert split["lift"] + split["edge"] == pytest.approx(both["model"] + both["partner"], abs=1e-12)
    assert split["chemistry"] + split["cycle"] == pytest.approx(both["interaction"], abs=1e-12)
    assert diallel(x.T).ss == pytest.approx(split, abs=1e-12)
    effects = diallel_effects(x)
    assert split["lift"] == pytest.approx(2 * len(x) * np.square(effects.lift).sum(), abs=1e-12)
    assert split["edge"] == pytest.approx(2 * len(x) * np.square(effects.edge).sum(), abs=1e-12)


@given(squares)
def test_cooperation_has_no_edge_and_competition_no_lift(x) -> None:
    shared = diallel((x + x.T) / 2)
    assert shared.ss["edge"] == shared.ss["cycle"] == 0
    zero_sum = diallel((x - x.T + 1) / 2)
    assert zero_sum.ss["lift"] == pytest.approx(0, abs=1e-25)
    assert zero_sum.ss["chemistry"] == pytest.approx(0, abs=1e-25)


@given(squares, st.permutations(range(5)))
def test_order_of_models_does_not_matter(x, order) -> None:
    order = [i for i in order if i < len(x)]
    assert diallel(x[np.ix_(order, order)]).ss == pytest.approx(diallel(x).ss, abs=1e-12)


@given(squares)
def test_the_self_play_premium_is_a_part_of_chemistry(x) -> None:
    part, effects = self_play_parts(x)["self"], diallel_effects(x)
    assert (part**2).sum() == pytest.approx(effects.ss_self, abs=1e-12)
    assert (part * diallel_parts(x)["chemistry"]).sum() == pytest.approx(effects.ss_self, abs=1e-12)
    off = ~np.eye(len(x), dtype=bool)
    assert effects.self_premium == pytest.approx(np.diag(x).mean() - x[off].mean(), abs=1e-12)


@given(squares)
def test_effects_of_many_tables_are_those_of_each(x) -> None:
    (lift, edge), effects = lift_edge(np.stack([x, x + 1])), diallel_effects(x)
    assert lift == pytest.approx(np.array([effects.lift] * 2), abs=1e-12)
    assert edge == pytest.approx(np.array([effects.edge] * 2), abs=1e-12)
    assert self_premium(np.stack([x, x + 1])) == pytest.approx([effects.self_premium] * 2, abs=1e-12)


def test_empty_is_none() -> None:
    assert diallel([]) is diallel_effects([]) is None


def test_one_model_has_no_premium() -> None:
    effects = diallel_effects([[0.4]])
    assert (effects.lift, effects.edge, effects.self_premium, effects.ss_self) == ((0.0,), (0.0,), None, None)


def test_an_undefined_cell_leaves_effects_undefined() -> None:
    table = [[0.1, None], [0.3, float("nan")]]
    assert (diallel(table).ss, diallel(table).n_missing) == (None, 2)
    effects = diallel_effects(table)
    assert (effects.lift, effects.self_premium, effects.n_missing) == (None, None, 2)


def test_models_must_be_rows_and_columns() -> None:
    with pytest.raises(ValueError, match="shape"):
        diallel([[1, 2]])
