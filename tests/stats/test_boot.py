import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import bootstrap, bootstrap_each, cluster_mean, jackknife_se, two_way

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
D0 = np.array(VECTORS["d0"]["d0_counts"]).reshape(20, 3, 3) / 6


def mean(x):
    return float(x.mean())


def rng(seed=7):
    return np.random.default_rng(seed)


def test_few_scenarios_are_enumerated():
    found = bootstrap(mean, np.array([0.2, 0.5, 0.9]), rng=rng())
    assert (found.value, found.sd) == pytest.approx((0.533333, 0.165552), abs=1e-6)
    assert (found.n, found.draws, found.n_missing) == (3, 27, 0)


def test_spread_of_eta_squared_of_d0():
    found = bootstrap_each(lambda x: two_way(x.mean(axis=0)).shares, D0, rng=rng())
    assert [found[name].sd for name in ("model", "partner", "interaction")] == pytest.approx(
        [0.105, 0.117, 0.106], abs=0.008
    )
    for name, share in zip(found, VECTORS["d0"]["eta2_cells"], strict=True):
        assert found[name].value == pytest.approx(share, abs=1e-6)
        assert found[name].low < share < found[name].high


def test_same_seed_same_interval():
    again = [bootstrap(mean, D0, rng=rng(seed), draws=50) for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


def test_percentile_interval_of_a_mean_agrees_with_its_cluster_se():
    x = rng(0).normal(size=60)
    found, se = bootstrap(mean, x, rng=rng()), cluster_mean(x).se
    assert found.sd == pytest.approx(se, rel=0.06)
    assert (found.high - found.low) / (2 * 1.96) == pytest.approx(se, rel=0.08)


def test_arrays_are_resampled_together():
    scenario = np.arange(8)
    found = bootstrap(lambda a, b: float((a - b).std()), scenario, scenario + 5, rng=rng(), draws=100)
    assert (found.sd, found.low, found.high) == (0, 0, 0)


def test_strata_keep_their_size():
    archetype = np.array(["t1", "t2", "t1", "t2", "t1", "t2"])
    share = np.where(archetype == "t1", 1.0, 0.0)
    found = bootstrap(mean, share, rng=rng(), strata=archetype.tolist(), draws=100)
    assert (found.value, found.sd) == (0.5, 0)
    assert bootstrap(mean, share, rng=rng(), draws=100).sd > 0


def test_strata_are_enumerated_too():
    found = bootstrap(mean, np.array([0.0, 1.0, 0.0, 1.0]), rng=rng(), strata=[0, 0, 1, 1])
    assert found.draws == 16
    assert found.sd == pytest.approx(1 / 4)


def test_too_few_scenarios_give_none():
    assert bootstrap(mean, np.array([0.3]), rng=rng()) is None
    assert bootstrap(mean, np.array([]), rng=rng()) is None
    assert bootstrap(mean, np.array([1.0, 2.0, 3.0]), rng=rng(), strata=[0, 0, 1]) is None
    assert jackknife_se(mean, np.array([0.3])) is None


def test_undefined_draws_are_counted():
    def largest(x):
        return float(x.max()) if x.max() > 1 else None

    found = bootstrap(largest, np.array([1.0, 2.0]), rng=rng())
    assert (found.value, found.draws, found.n_missing) == (2, 4, 1)
    assert bootstrap(largest, np.array([1.0, 1.0]), rng=rng()) is None
    assert jackknife_se(largest, np.array([1.0, 2.0])) is None


def test_arrays_of_different_length():
    with pytest.raises(ValueError, match="same scenarios"):
        bootstrap(mean, np.zeros(3), np.zeros(4), rng=rng())


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_jackknife_of_a_mean_is_the_cluster_se(values):
    assert jackknife_se(mean, np.array(values)) == pytest.approx(cluster_mean(values).se, abs=1e-12)


@given(st.floats(0, 1), st.integers(2, 9))
def test_identical_scenarios_have_no_spread(value, n):
    found = bootstrap(mean, np.full(n, value), rng=rng(), draws=20)
    assert found.sd == pytest.approx(0, abs=1e-12)
    assert found.low == pytest.approx(found.high) == pytest.approx(value)
