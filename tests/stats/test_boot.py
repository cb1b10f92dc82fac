import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import bootstrap, cluster_mean, eta_squared, jackknife_se, resamples

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
D0 = np.array(VECTORS["d0"]["d0_counts"]).reshape(20, 3, 3) / 6


def mean_of(x):
    values = np.asarray(x, float)
    return lambda weights: {"mean": weights @ values / weights.sum(axis=1)}


def rng(seed=7):
    return np.random.default_rng(seed)


def boot(x, **options):
    return bootstrap(mean_of(x), len(x), rng=rng(), **options).get("mean")


def test_few_scenarios_are_enumerated():
    found = boot([0.2, 0.5, 0.9])
    assert (found.value, found.sd) == pytest.approx((0.533333, 0.165552), abs=1e-6)
    assert (found.n, found.draws, found.n_missing) == (3, 27, 0)


def test_spread_of_eta_squared_of_d0():
    def shares(weights):
        return eta_squared(np.tensordot(weights, D0, 1) / 20)

    found = bootstrap(shares, 20, rng=rng())
    assert [found[name].sd for name in ("model", "partner", "interaction")] == pytest.approx(
        [0.105, 0.117, 0.106], abs=0.008
    )
    for name, share in zip(found, VECTORS["d0"]["eta2_cells"], strict=True):
        assert found[name].value == pytest.approx(share, abs=1e-6)
        assert found[name].low < share < found[name].high


def test_same_seed_same_interval():
    x = D0.mean(axis=(1, 2))
    again = [bootstrap(mean_of(x), 20, rng=rng(seed), draws=50) for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]


@pytest.mark.parametrize(
    ("n", "strata", "t"), [(60, None, 2.000995), (20, None, 2.093024), (40, 2, 2.024394)]
)
def test_interval_of_a_mean_is_that_of_students_t(n, strata, t):
    x = rng(0).normal(size=n)
    labels = None if strata is None else np.arange(n) % strata
    x -= 0.0 if strata is None else np.array([x[labels == label].mean() for label in range(strata)])[labels]
    found = boot(x, strata=labels, draws=100_000)
    per_stratum = n if strata is None else n // strata
    se = found.sd * np.sqrt(per_stratum / (per_stratum - 1))
    assert (found.high - found.low) / (2 * t) == pytest.approx(se, rel=0.02)


def test_interval_of_two_scenarios_reaches_from_the_one_to_the_other():
    found = boot([0.2, 0.6])
    assert (found.low, found.high) == pytest.approx((0.2, 0.6), abs=1e-3)


def test_strata_keep_their_size():
    archetype = ["t1", "t2", "t1", "t2", "t1", "t2"]
    share = [float(name == "t1") for name in archetype]
    found = boot(share, strata=archetype, draws=20)
    assert (found.value, found.sd) == (0.5, 0)
    assert boot(share, draws=100).sd > 0
    weights = resamples(6, rng(), archetype, 20)
    assert (weights[:, ::2].sum(axis=1) == 3).all()
    assert (weights[:, 1::2].sum(axis=1) == 3).all()


def test_strata_are_enumerated_too():
    found = boot([0.0, 1.0, 0.0, 1.0], strata=[0, 0, 1, 1])
    assert found.draws == 16
    assert found.sd == pytest.approx(1 / 4)


def test_too_few_scenarios_give_none():
    assert boot([0.3]) is None
    assert boot([]) is None
    assert boot([1.0, 2.0, 3.0], strata=[0, 0, 1]) is None
    assert boot([1.0, 2.0, 3.0], draws=0) is None
    assert jackknife_se(mean_of([0.3]), 1) == {"mean": None}


def test_undefined_draws_are_counted():
    def largest(x):
        def statistic(weights):
            top = np.where(weights > 0, x, -np.inf).max(axis=1)
            return {"largest": np.where(top > 1, top, np.nan)}

        return statistic

    found = bootstrap(largest([1.0, 2.0]), 2, rng=rng())["largest"]
    assert (found.value, found.draws, found.n_missing) == (2, 4, 1)
    assert bootstrap(largest([1.0, 1.0]), 2, rng=rng()) == {}
    assert jackknife_se(largest([1.0, 2.0]), 2) == {"largest": None}


def defined_with(first):
    """A mean that is known in resamples that hold one of the first scenarios."""

    def statistic(weights):
        mean = weights @ np.arange(weights.shape[1]) / weights.sum(axis=1)
        return {"mean": np.where(weights[:, :first].any(axis=1), mean, np.nan)}

    return statistic


def test_undefined_draws_that_are_few_leave_an_interval_and_are_counted():
    found = bootstrap(defined_with(4), 10, rng=rng())["mean"]  # (6/10)**10 = .6 % of draws have none of them
    assert 0 < found.n_missing < 0.02 * found.draws
    assert found.low < found.value < found.high


@pytest.mark.parametrize("first", [1, 2])  # 35 % and 11 %
def test_undefined_draws_that_are_many_leave_no_interval(first):
    found = bootstrap(defined_with(first), 10, rng=rng())["mean"]
    assert found.n_missing > 0.05 * found.draws
    assert (found.value, found.low, found.high) == (4.5, None, None)


def test_strata_of_different_length():
    with pytest.raises(ValueError, match="strata of 4 scenarios, but there are 3"):
        boot([1.0, 2.0, 3.0], strata=[0, 0, 1, 1])


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_jackknife_of_a_mean_is_the_cluster_se(values):
    found = jackknife_se(mean_of(values), len(values))["mean"]
    assert found == pytest.approx(cluster_mean(values).se, abs=1e-12)


@given(st.floats(0, 1), st.integers(2, 9))
def test_identical_scenarios_have_no_spread(value, n):
    found = boot([value] * n, draws=20)
    assert found.sd == pytest.approx(0, abs=1e-12)
    assert found.low == pytest.approx(found.high) == pytest.approx(value)


@given(st.integers(2, 6), st.integers(0, 300))
def test_every_resample_draws_as_many_scenarios(n, draws):
    weights = resamples(n, rng(), draws=draws)
    assert (weights.sum(axis=1) == n).all()
    assert len(weights) == (n**n if n**n <= draws else draws)
