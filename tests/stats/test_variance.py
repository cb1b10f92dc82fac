from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dyad.stats import (
    degrees_of_freedom,
    diallel_parts,
    eta_squared,
    three_way,
    three_way_parts,
    two_way,
    two_way_parts,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))
VECTORS = GOLDEN["vectors"]
MATRICES = {
    f"{name}@{size}": cells
    for size in (3, 4)
    for name, cells in GOLDEN["published"][f"matrices{size}"].items()
}
SIX_DIGITS = 1e-6

scores = st.integers(0, 120).map(lambda hits: hits / 120)
tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=scores)
)
squares = st.integers(2, 5).flatmap(lambda n: arrays(float, (n, n), elements=scores))


@pytest.mark.parametrize("name", GOLDEN["recomputed"]["eta2"])
def test_published_matrices(name: str) -> None:
    split, expected = two_way(MATRICES[name]), GOLDEN["recomputed"]["eta2"][name]
    found = split.shares | {"mu": split.mean, "sst": split.total}
    expected = {"interaction" if key == "inter" else key: value for key, value in expected.items()}
    assert found == pytest.approx(expected, abs=SIX_DIGITS)


def test_shares_quoted_in_the_text_of_dyafdb() -> None:
    text = GOLDEN["published"]["text"]
    assert round(two_way(MATRICES["T1-1@3"]).shares["model"], 2) == text["eta2_T1-1_model_3"]
    assert round(two_way(MATRICES["T1-2@3"]).shares["model"], 2) == text["eta2_T1-2_model_3"]
    assert round(two_way(MATRICES["T4-2@4"]).shares["partner"], 2) == text["eta2_T4-2_partner_4"]


def test_three_way_small() -> None:
    vector = VECTORS["eta3_2x2x2"]
    split = three_way(vector["x"])
    expected = [vector[key] for key in ("task", "model", "partner", "mxp", "resid")]
    assert list(split.shares) == ["task", "model", "partner", "interaction", "residual"]
    assert list(split.shares.values()) == pytest.approx(expected, abs=SIX_DIGITS)
    assert split.total == pytest.approx(vector["sst"])


def test_three_way_63_cells() -> None:
    t, m, p = np.ogrid[:7, :3, :3]
    x = 0.01 * t + 0.10 * m + 0.05 * p + 0.04 * ((m == 0) & (p == 2)) + 0.02 * ((t == 3) & (m == 1))
    split, vector = three_way(x), VECTORS["eta3_7x3x3"]
    expected = [vector[key] for key in ("task", "model", "partner", "mxp", "resid")]
    assert list(split.shares.values()) == pytest.approx(expected, abs=SIX_DIGITS)
    assert split.total == pytest.approx(vector["sst"], abs=SIX_DIGITS)
    assert split.df == {"task": 6, "model": 2, "partner": 2, "interaction": 4, "residual": 48}


def test_degrees_of_freedom() -> None:
    assert degrees_of_freedom(two_way_parts, (3, 4)) == {"model": 2, "partner": 3, "interaction": 6}
    for n in (1, 2, 3, 4, 6):
        expected = {
            "lift": n - 1,
            "edge": n - 1,
            "chemistry": n * (n - 1) // 2,
            "cycle": (n - 1) * (n - 2) // 2,
        }
        assert degrees_of_freedom(diallel_parts, (n, n)) == expected


def test_against_anova_of_statsmodels() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    x = np.random.default_rng(3).normal(size=(4, 3, 3))
    t, m, p = (axis.ravel() for axis in np.indices(x.shape))
    frame = pd.DataFrame({"y": x.ravel(), "t": t, "m": m, "p": p})
    table = anova_lm(ols("y ~ C(t) + C(m) * C(p)", frame).fit())
    split = three_way(x)
    assert list(split.ss.values()) == pytest.approx(table["sum_sq"].to_numpy())
    assert list(split.df.values()) == table["df"].to_numpy().tolist()


@given(tables)
def test_parts_are_orthogonal_and_add_up(x) -> None:
    parts = two_way_parts(x)
    assert sum(parts.values()) + x.mean() == pytest.approx(x, abs=1e-12)
    split = two_way(x)
    assert sum(split.ss.values()) == pytest.approx(split.total, abs=1e-12)
    assert split.shares is None if np.ptp(x) == 0 else sum(split.shares.values()) == pytest.approx(1)


@given(arrays(float, (3, 2, 3), elements=scores))
def test_three_way_adds_up(x) -> None:
    split = three_way(x)
    assert sum(split.ss.values()) == pytest.approx(split.total, abs=1e-12)
    assert sum(three_way_parts(x).values()) + x.mean() == pytest.approx(x, abs=1e-12)


@given(tables)
def test_transposing_swaps_model_and_partner(x) -> None:
    here, there = two_way(x).ss, two_way(x.T).ss
    swapped = {"model": there["partner"], "partner": there["model"], "interaction": there["interaction"]}
    assert here == pytest.approx(swapped, abs=1e-12)


@given(squares)
def test_model_and_partner_are_equal_by_algebra_in_symmetric_and_complementary_tables(x) -> None:
    for tied in ((x + x.T) / 2, (x - x.T + 1) / 2):
        ss = two_way(tied).ss
        assert ss["model"] == pytest.approx(ss["partner"], rel=1e-12, abs=1e-15)


@given(tables)
def test_shares_of_many_tables_are_those_of_each(x) -> None:
    both = eta_squared(np.stack([x, 2 * x + 1, np.full_like(x, 0.3)]))
    alone = two_way(x).shares
    for name, shares in both.items():
        assert np.isnan(shares[2])
        if alone is None:
            assert np.isnan(shares).all()
        else:
            assert shares[:2] == pytest.approx([alone[name]] * 2, abs=1e-9)


def test_nothing_varies() -> None:
    split = two_way(np.full((3, 3), 0.1))
    assert set(split.ss.values()) == {0.0}
    assert split.shares is None


def test_empty_is_none() -> None:
    assert two_way([]) is three_way([]) is None


def test_one_model() -> None:
    assert two_way([[0.1, 0.3]]).shares == {"model": 0.0, "partner": 1.0, "interaction": 0.0}


def test_undefined_cell_makes_the_split_undefined_and_is_counted() -> None:
    split = two_way([[0.1, None], [0.3, float("nan")]])
    found = (split.ss, split.total, split.mean, split.shares, split.n, split.n_missing)
    assert found == (None, None, None, None, 4, 2)
    assert np.isnan(eta_squared(np.array([[[0.1, np.nan], [0.3, 0.2]]]))["model"]).all()


@pytest.mark.parametrize("call", [lambda: two_way([1, 2]), lambda: three_way([[1]])])
def test_wrong_shapes(call) -> None:
    with pytest.raises(ValueError, match="shape"):
        call()
