import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import cluster_mean, complete_scenarios, pooled_rate, rate, wilson

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]


def test_cluster_mean():
    found = cluster_mean([0.5, 0.25, 0.75, 0.5, 0])
    assert (found.value, found.sd, found.se) == pytest.approx((0.4, 0.285044, 0.127475), abs=1e-6)
    assert (found.n, found.n_missing) == (5, 0)


def test_paired_contrast_is_the_cluster_mean_of_differences():
    counts = np.array(VECTORS["d0"]["d0_counts"]) / 6
    found = cluster_mean(counts[:, 2] - counts[:, 0])
    assert (found.value, found.se) == pytest.approx((0.216667, 0.048516), abs=1e-6)


def test_cluster_mean_counts_missing_scenarios():
    found = cluster_mean([0.5, None, float("nan")])
    assert (found.value, found.sd, found.se, found.n, found.n_missing) == (0.5, None, None, 1, 2)
    assert cluster_mean([]) is cluster_mean([None]) is None


@pytest.mark.parametrize(
    ("hits", "low", "high"),
    [(55, 0.3719, 0.5474), (6, 0.0231, 0.1048), (0, 0, 0.0310), (75, 0.5358, 0.7065)],
)
def test_wilson(hits, low, high):
    found = wilson(hits, 120)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5.1e-5)
    assert (found.value, found.n) == (hits / 120, 120)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(counts):
    hits, n = counts
    found, mirror = wilson(hits, n), wilson(n - hits, n)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert (found.low, found.high) == pytest.approx((1 - mirror.high, 1 - mirror.low))


def test_wilson_against_statsmodels():
    confint = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    found = wilson(7, 31, level=0.9)
    assert (found.low, found.high) == pytest.approx(confint(7, 31, alpha=0.1, method="wilson"))


def test_rates():
    assert rate(2, 3) == 2 / 3
    assert rate(0, 3) == 0
    assert rate(0, 0) is wilson(0, 0) is None


def test_pooled_rate_prints_both_definitions():
    found = pooled_rate([1, 0, 2, 1], [2, 0, 8, None])
    assert (found.value, found.run_mean) == (3 / 10, 3 / 8)
    assert (found.hits, found.opportunities, found.n, found.n_missing) == (3, 10, 2, 2)
    assert pooled_rate([], []) is pooled_rate([0], [0]) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: rate(3, 2),
        lambda: wilson(-1, 5),
        lambda: pooled_rate([3], [2]),
        lambda: pooled_rate([1], [2, 3]),
    ],
)
def test_impossible_counts(call):
    with pytest.raises(ValueError, match="hits"):
        call()


def test_complete_scenarios():
    whole, dropped = complete_scenarios([[[1, 2]], [[None, 2]], [[3, 4]]])
    assert (whole.tolist(), dropped) == ([[[1, 2]], [[3, 4]]], 1)
    assert complete_scenarios([])[1] == 0
