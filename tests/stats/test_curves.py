"""Curves of many resamples, against the exact curve of the runs that each resample holds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import kaplan_meier, rmst
from dyad.stats.curves import medians, percentiles, restricted_means, risk_table, survival
from dyad.stats.events import read_events

UNITS = 4

run_lists = st.lists(
    st.tuples(st.integers(1, 9), st.booleans(), st.integers(0, UNITS - 1)), min_size=1, max_size=20
)
weight_rows = st.lists(st.integers(0, 3), min_size=UNITS, max_size=UNITS)


def table_of(times, events, units, n_units, entries=None, start=0.0):
    return risk_table(read_events(times, events, entries), units, n_units, start)


def repeated(runs, weights):
    """The runs of a resample, each as often as its unit was drawn."""
    return [run for run in runs for _ in range(weights[run[-1]])]


def columns(runs):
    return zip(*runs, strict=True) if runs else ((),) * 3


@given(run_lists, st.lists(weight_rows, min_size=1, max_size=5), st.integers(1, 10))
def test_every_resample_is_the_exact_curve_of_its_runs(runs, weights, tau):
    times, events, units = zip(*runs, strict=True)
    table, drawn = table_of(times, events, units, UNITS), np.array(weights, float)
    found_medians, means = medians(table, drawn), restricted_means(table, drawn, tau)
    for row, curve_, median, mean in zip(weights, survival(table, drawn), found_medians, means, strict=True):
        own_times, own_events, _ = columns(repeated(runs, row))
        exact = kaplan_meier(own_times, own_events)
        assert median == (math.inf if exact is None or exact.median is None else exact.median)
        expected = rmst(exact, tau)
        assert math.isnan(mean) if expected is None else mean == pytest.approx(expected.value)
        for time, share in zip(table.times, curve_, strict=True):
            if exact is not None and exact.at(time) is not None:
                assert share == pytest.approx(float(exact.at(time)))


@given(st.integers(2, 60), st.data())
def test_a_survival_of_exactly_one_half_is_a_median_whatever_the_rounding(half, data):
    times = data.draw(st.lists(st.integers(1, 1500), min_size=half, max_size=half, unique=True))
    events = [*times, *[2000] * half]
    table = table_of(events, [1] * half + [0] * half, [0] * 2 * half, 1)
    weights = np.array([[1.0], [7.0], [1000.0]])
    assert medians(table, weights).tolist() == [max(times)] * 3


def test_the_median_is_exact_after_as_many_steps_as_two_minutes_have():
    n = 1500
    table = table_of([*range(1, n + 1), *[n + 1] * n], [1] * n + [0] * n, [0] * 2 * n, 1)
    assert medians(table, np.ones((1, 1))).tolist() == [n]
    one_fewer = table_of([*range(1, n), *[n + 1] * (n + 1)], [1] * (n - 1) + [0] * (n + 1), [0] * 2 * n, 1)
    assert medians(one_fewer, np.ones((1, 1))).tolist() == [math.inf]


@pytest.mark.parametrize("seed", range(3))
def test_late_entry_and_late_start_are_those_of_the_exact_curve(seed):
    rng = np.random.default_rng(seed)
    entry = rng.integers(0, 10, 40)
    times, events, units = entry + rng.integers(1, 15, 40), rng.integers(0, 2, 40), rng.integers(0, UNITS, 40)
    exact = kaplan_meier(times, events, entry, min_at_risk=5)
    table = table_of(times, events, units, UNITS, entry, exact.start)
    once = np.ones((1, UNITS))
    assert survival(table, once)[0] == pytest.approx([float(exact.at(t)) for t in table.times])
    assert restricted_means(table, once, 12)[0] == pytest.approx(rmst(exact, 12).value)


def test_missing_runs_and_empty_tables():
    table = table_of([3, None, 5], [1, 1, None], [0, 0, 1], 2)
    assert (table.times.tolist(), table.at_risk.tolist(), table.last.tolist()) == (
        [3],
        [[1], [0]],
        [3, -np.inf],
    )
    empty = table_of([], [], [], 2)
    assert medians(empty, np.ones((2, 2))).tolist() == [np.inf] * 2
    assert np.isnan(restricted_means(empty, np.ones((2, 2)), 5)).all()


def test_all_censored_is_flat():
    table = table_of([5, 9], [0, 0], [0, 1], 2)
    weights = np.array([[1.0, 1.0], [2.0, 0.0]])
    assert medians(table, weights).tolist() == [np.inf] * 2
    assert restricted_means(table, weights, 9) == pytest.approx([9, np.nan], nan_ok=True)


def test_ends_of_an_interval_are_values_that_occur_also_where_some_are_infinite():
    values = np.array([*range(1, 98), np.inf, np.inf, np.inf], float)
    assert percentiles(values) == (3.0, np.inf)
    assert percentiles(values, 0.9) == (5.0, 95.0)
