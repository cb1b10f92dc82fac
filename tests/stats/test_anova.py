from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import Anova, anova, two_way, without_noise

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))
D0 = GOLDEN["vectors"]["d0"]
HITS = np.array(D0["d0_counts"]).reshape(20, 3, 3).sum(axis=0)
SIX_DIGITS = 1e-6


def of_runs(values: np.ndarray, model: np.ndarray, partner: np.ndarray, shape: tuple[int, int]) -> Anova:
    tables = np.zeros((3, *shape))
    for table, amounts in zip(tables, (np.ones_like(values), values, values**2), strict=True):
        np.add.at(table, (model, partner), amounts)
    return anova(*tables)


def by_statsmodels(values: np.ndarray, model: np.ndarray, partner: np.ndarray, kind: int) -> dict:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    frame = pd.DataFrame({"y": values, "m": model, "p": partner})
    return anova_lm(ols("y ~ C(m) * C(p)", frame).fit(), typ=kind).to_dict("list")


def test_replicates_of_d0() -> None:
    found, expected = anova(np.full((3, 3), 120), HITS, HITS), D0["ss_replicate"]
    sums = [*found.ss.values(), found.residual, found.total]
    assert sums == pytest.approx([value for key, value in expected.items() if key != "df_resid"], abs=5e-7)
    assert (found.df_residual, found.n, found.balanced, found.reason) == (1071, 1080, True, "")
    assert list(found.f.values()) == pytest.approx(D0["F"], abs=SIX_DIGITS)
    assert list(found.omega2.values()) == pytest.approx(D0["omega2"], abs=SIX_DIGITS)
    assert list(found.epsilon2.values()) == pytest.approx(D0["epsilon2"], abs=SIX_DIGITS)
    assert list(found.cell_shares.values()) == pytest.approx(D0["eta2_cells_mse_corrected"], abs=SIX_DIGITS)


def test_shares_of_cells_are_those_of_cell_means_without_the_variance_of_a_mean() -> None:
    found = anova(np.full((3, 3), 120), HITS, HITS)
    split = without_noise(two_way(HITS / 120), found.mse / 120)
    assert found.cell_shares == pytest.approx(split.shares)


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 4))
def test_balanced_sums_are_those_of_cell_means_and_add_up(seed: int, models: int, partners: int) -> None:
    values = np.random.default_rng(seed).normal(size=(models, partners, 3))
    found = anova(np.full((models, partners), 3), values.sum(axis=2), (values**2).sum(axis=2))
    assert found.balanced
    assert sum(found.ss.values()) + found.residual == pytest.approx(found.total)
    cells = two_way(values.mean(axis=2))
    assert found.ss == pytest.approx({name: 3 * ss for name, ss in cells.ss.items()}, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_unbalanced_sums_are_of_type_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model, partner = (
        np.concatenate([np.indices((3, 4)).reshape(2, -1)[axis], rng.integers(0, 3 + axis, 60)])
        for axis in (0, 1)
    )
    model[12:] = rng.integers(0, 3, 60)
    values = 0.4 * model - 0.3 * partner * (model == 1) + rng.normal(size=model.size)
    found, expected = of_runs(values, model, partner, (3, 4)), by_statsmodels(values, model, partner, 2)
    assert not found.balanced
    assert [*found.ss.values(), found.residual] == pytest.approx(expected["sum_sq"])
    assert [*found.df.values(), found.df_residual] == expected["df"]
    assert list(found.f.values()) == pytest.approx(expected["F"][:3])
    assert found.total == pytest.approx(((values - values.mean()) ** 2).sum())


def test_omega_squared_is_about_zero_where_nothing_differs() -> None:
    rng = np.random.default_rng(0)
    drawn = [anova(np.full((3, 3), 30), hits := rng.binomial(30, 0.4, (3, 3)), hits) for _ in range(500)]
    assert np.mean([list(found.omega2.values()) for found in drawn]) == pytest.approx(0, abs=5e-4)
    assert min(found.omega2["model"] for found in drawn) < 0


def test_a_cell_without_runs() -> None:
    found = anova([[3, 0], [3, 3]], [[1, 0], [2, 3]], [[1, 0], [2, 3]])
    assert (found.ss, found.f, found.omega2, found.epsilon2, found.cell_shares) == (None,) * 5
    assert (found.reason, found.n) == ("cells without runs: 1", 9)


def test_one_run_per_cell_has_no_noise_to_compare_with() -> None:
    found = anova(np.ones((2, 2)), [[1, 0], [0, 0]], [[1, 0], [0, 0]])
    assert (found.mse, found.omega2, found.reason) == (None, None, "one run per cell")
    assert found.ss["model"] == pytest.approx(0.25)


def test_runs_that_are_all_alike() -> None:
    found = anova(np.full((3, 3), 7), np.full((3, 3), 0.7), np.full((3, 3), 0.07))
    assert (found.total, found.omega2, found.f, found.reason) == (0.0, None, None, "nothing varies")


def test_runs_that_are_alike_inside_cells() -> None:
    found = anova(np.full((2, 2), 4), [[4, 4], [0, 0]], [[4, 4], [0, 0]])
    assert found.f is None
    assert found.omega2 == found.epsilon2 == pytest.approx({"model": 1, "partner": 0, "interaction": 0})


def test_empty_and_wrong_shapes() -> None:
    assert anova(np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 0))) is None
    with pytest.raises(ValueError, match="must match"):
        anova([[1]], [[1, 2]], [[1]])
