"""Agreement against the libraries that others use: krippendorff, irrCAC, statsmodels and scipy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dyad.stats import agreement, bennett, contingency, fleiss_kappa, gwet_ac1, krippendorff_alpha

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
TABLES = [GOLDEN["agreement"][name]["table"] for name in ("t1", "t2", "t3")]
Labels = NDArray[np.float64]


def raters(count: int, seed: int, missing: float = 0.0, items: int = 60, labels: int = 4) -> Labels:
    """Labels 1 … `labels` of raters [count, items] who see the same thing more or less; NaN is missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, labels + 1, items)
    off = rng.integers(-1, 2, (count, items)) * (rng.random((count, items)) < 0.4)
    seen = np.clip(truth + off, 1, labels).astype(float)
    return np.where(rng.random((count, items)) < missing, np.nan, seen)


def given(labels: Labels) -> list[list[float | None]]:
    return [[None if np.isnan(x) else float(x) for x in rater] for rater in labels]


def of_table(table: Any) -> tuple[list[int], list[int]]:
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return [i for i, _ in cells], [j for _, j in cells]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize(("count", "missing"), [(2, 0.0), (3, 0.3), (5, 0.6)])
def test_alpha_is_that_of_krippendorff(level: Any, count: int, missing: float) -> None:
    oracle = pytest.importorskip("krippendorff")
    labels = raters(count, seed=count, missing=missing)
    wanted = oracle.alpha(reliability_data=labels, level_of_measurement=level)
    assert krippendorff_alpha(given(labels), level) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("table", TABLES, ids=["t1", "t2", "t3"])
def test_printed_tables_are_those_of_irrcac(table: Any) -> None:
    pandas, oracle = pytest.importorskip("pandas"), pytest.importorskip("irrCAC.raw")
    first, second = of_table(table)
    found = oracle.CAC(pandas.DataFrame({"a": first, "b": second}), digits=12)
    ours = agreement(first, second, range(len(table)))
    for value, wanted in ((ours.ac1, found.gwet()), (ours.bennett, found.bp()), (ours.pi, found.fleiss())):
        assert value == pytest.approx(wanted["est"]["coefficient_value"], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_two_raters_are_those_of_irrcac_and_statsmodels(seed: int) -> None:
    pandas, oracle = pytest.importorskip("pandas"), pytest.importorskip("irrCAC.raw")
    cohens_kappa = pytest.importorskip("statsmodels.stats.inter_rater").cohens_kappa
    first, second = raters(2, seed).astype(int).tolist()
    table = contingency(first, second, range(1, 5))
    found = oracle.CAC(pandas.DataFrame({"a": first, "b": second}), categories=[1, 2, 3, 4], digits=12)
    assert gwet_ac1(table) == pytest.approx(found.gwet()["est"]["coefficient_value"], abs=1e-9)
    assert bennett(table) == pytest.approx(found.bp()["est"]["coefficient_value"], abs=1e-9)
    ours = agreement(first, second, range(1, 5), ordered=True)
    assert ours.kappa == pytest.approx(cohens_kappa(table).kappa)
    assert ours.kappa_linear == pytest.approx(cohens_kappa(table, wt="linear").kappa)
    assert ours.kappa_quadratic == pytest.approx(cohens_kappa(table, wt="quadratic").kappa)


@pytest.mark.parametrize("seed", range(5))
def test_many_raters_are_those_of_statsmodels_and_irrcac(seed: int) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    pandas, oracle = pytest.importorskip("pandas"), pytest.importorskip("irrCAC.raw")
    labels = raters(4, seed).astype(int)
    counts = np.stack([(labels == label).sum(axis=0) for label in range(1, 5)], axis=1)
    assert fleiss_kappa(counts) == pytest.approx(inter_rater.fleiss_kappa(counts))
    found = oracle.CAC(pandas.DataFrame(labels.T), digits=12).fleiss()
    assert fleiss_kappa(counts) == pytest.approx(found["est"]["coefficient_value"], abs=1e-9)


def test_the_standard_table_of_fleiss() -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    table = GOLDEN["agreement"]["fleiss"]["table"]
    assert fleiss_kappa(table) == pytest.approx(inter_rater.fleiss_kappa(np.array(table)))
