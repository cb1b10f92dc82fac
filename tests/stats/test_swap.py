"""Differences of restricted means, and their test by exchanging groups in whole scenarios."""

from itertools import product

import numpy as np
import pytest

from dyad.stats import kaplan_meier, rmst
from dyad.stats.curves import risk_table
from dyad.stats.events import read_events
from dyad.stats.swap import mean_differences, swap_test

TAU = 20


def table_of(times, events, units, n_units):
    return risk_table(read_events(times, events), units, n_units)


def two_groups(seed, scenarios=5, runs=4, shift=0):
    """Times, events and units of two groups; those of group two come after those of group one."""
    rng = np.random.default_rng(seed)
    n = 2 * scenarios * runs
    units = np.repeat(np.arange(2 * scenarios), runs)
    times = rng.integers(1, 25, n) + shift * (units >= scenarios)
    return times, times <= TAU, units


def by_hand(times, events, units, scenarios, kept):
    """The difference where the groups of each scenario that is not kept are exchanged."""
    first = np.array([kept[u % scenarios] == (u < scenarios) for u in units])
    one, two = (rmst(kaplan_meier(times[own], events[own]), TAU).value for own in (first, ~first))
    return one - two


def test_every_exchange_is_the_difference_of_the_groups_that_it_makes():
    times, events, units = two_groups(1)
    table = table_of(times, events, units, 10)
    choices = np.array(list(product((0, 1), repeat=5)), float)
    expected = [by_hand(times, events, units, 5, kept) for kept in choices]
    assert mean_differences(table, np.hstack((choices, 1 - choices)), TAU) == pytest.approx(expected)
    hits = sum(abs(x) >= abs(expected[-1]) - 1e-9 for x in expected)
    assert swap_test(table, TAU, np.random.default_rng(0), draws=100) == hits / 32


def test_random_exchanges_come_near_to_all_of_them():
    table = table_of(*two_groups(2, scenarios=10, shift=2), 20)
    exact = swap_test(table, TAU, np.random.default_rng(0), draws=1024)
    assert swap_test(table, TAU, np.random.default_rng(0), draws=1023) == pytest.approx(exact, abs=0.05)


def test_a_clear_difference_has_the_smallest_p_that_there_is():
    table = table_of(*two_groups(3, scenarios=8, shift=25), 16)
    assert swap_test(table, TAU, np.random.default_rng(0), draws=1000) == 2 / 256


def test_no_test_without_draws_or_without_a_difference():
    table = table_of([3, 4], [1, 1], [0, 1], 2)
    assert swap_test(table, TAU, np.random.default_rng(0), draws=0) is None
    assert swap_test(table_of([3, 4], [0, 0], [0, 1], 2), TAU, np.random.default_rng(0), draws=9) is None
    assert swap_test(table, TAU, np.random.default_rng(0), draws=9) == 1.0
