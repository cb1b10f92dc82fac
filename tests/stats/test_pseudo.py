"""Pseudo-values of restricted means and their clustered contrast."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import kaplan_meier, rmst
from dyad.stats.pseudo import clustered_contrast, rmst_pseudo_values

TAU = 10


@given(st.lists(st.integers(1, 20), min_size=1, max_size=20))
def test_without_censoring_they_are_the_shortened_times(times):
    followed = [t <= TAU for t in times]  # whoever is censored is so after tau
    assert rmst_pseudo_values(times, followed, TAU) == pytest.approx(np.minimum(times, TAU))


@pytest.mark.parametrize("seed", range(3))
def test_each_is_what_the_mean_owes_to_its_run(seed):
    rng = np.random.default_rng(seed)
    times, events = np.append(rng.integers(1, 15, 29), [30, 30]), np.append(rng.integers(0, 2, 29), [0, 0])
    whole, n = rmst(kaplan_meier(times, events), TAU).value, len(times)
    for i, value in enumerate(rmst_pseudo_values(times, events, TAU)):
        left_out = rmst(kaplan_meier(np.delete(times, i), np.delete(events, i)), TAU).value
        assert value == pytest.approx(n * whole - (n - 1) * left_out)


def test_missing_runs_are_missing_and_an_undefined_mean_has_none():
    found = rmst_pseudo_values([4, None, 12], [1, 1, 0], TAU)
    assert found == pytest.approx([4, np.nan, 10], nan_ok=True)
    assert np.isnan(rmst_pseudo_values([4, 8], [1, 0], TAU)).all()
    assert rmst_pseudo_values([], [], TAU).size == 0


def clusters(seed, count=12, effect=2.0):
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(count), 6)
    first = np.tile([True, False], 3 * count)
    return rng.normal(size=6 * count) + effect * first + rng.normal(size=count)[label], first, label


def test_the_contrast_is_the_difference_of_means_with_a_sandwich_by_hand():
    y, first, label = clusters(0)
    found = clustered_contrast(y, first, label)
    assert found.value == pytest.approx(y[first].mean() - y[~first].mean())
    design = np.column_stack((np.ones(len(y)), first))
    bread = np.linalg.inv(design.T @ design)
    residual, meat = y - design @ (bread @ design.T @ y), np.zeros((2, 2))
    for k in range(12):
        own = design[label == k]
        leverage = own @ bread @ own.T
        score = own.T @ np.linalg.solve(np.eye(len(own)) - leverage, residual[label == k])
        meat += np.outer(score, score)
    assert found.se == pytest.approx(np.sqrt((bread @ meat @ bread)[1, 1]))
    assert found.low < found.value < found.high
    assert (found.n, found.clusters, found.n_missing) == (72, 12, 0)


def test_the_test_is_that_of_the_interval():
    found = clustered_contrast(*clusters(1, effect=0.3))
    at_p = clustered_contrast(*clusters(1, effect=0.3), level=1 - found.p)
    assert min(abs(at_p.low), abs(at_p.high)) == pytest.approx(0, abs=1e-9)


def test_missing_values_are_left_out():
    y, first, label = clusters(2)
    y[:3] = np.nan
    found = clustered_contrast(y, first, label)
    assert (found.n, found.n_missing) == (69, 3)
    assert found.value == pytest.approx(y[3:][first[3:]].mean() - y[3:][~first[3:]].mean())


@pytest.mark.parametrize(
    ("values", "first", "label"),
    [
        ([1, 2, 3, 4], [1, 0, 1, 0], [0, 0, 1, 1]),
        ([1, 2, 3], [1, 1, 1], [0, 1, 2]),
        ([1, 2, 1, 2, 1, 2], [1, 0] * 3, [0, 0, 1, 1, 2, 2]),
        ([np.nan] * 4, [1, 0, 1, 0], [0, 1, 2, 3]),
    ],
)
def test_no_contrast_where_there_is_none(values, first, label):
    assert clustered_contrast(values, first, label) is None
