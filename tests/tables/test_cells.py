"""Cells: pooling and intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from dyad.stats import wilson
from dyad.tables.cells import pool, pool_each
from tests.tables.made import by_scenario, design

HITS_0_OF_18 = [(0.0, 6.0)] * 3


def test_cells_add_counts_and_divide_last() -> None:
    cell = pool(by_scenario("tor_end", [(1, 2), (6, 8), (None, 0), (0, 0)]), "tor_end")
    assert (cell.value, cell.hits, cell.n, cell.scenarios, cell.missing) == (0.7, 7.0, 10.0, 2, 1)


@pytest.mark.parametrize("sums", [[], [(0, 0), (0, 0)], [(None, 0)]])
def test_a_cell_without_opportunities_is_missing(sums: list[tuple[float | None, float]]) -> None:
    cell = pool(by_scenario("tor_end", sums), "tor_end")
    assert cell[:4] == (None, None, None, "")
    assert cell.missing == sum(value is None for value, _ in sums)


def test_interval_over_scenarios_is_that_of_their_means() -> None:
    """Cluster SE .127475 of .5 .25 .75 .5 0 (dyad's statistics, cells)."""
    cell = pool(by_scenario("adherence", [(2, 4), (1, 4), (3, 4), (2, 4), (0, 4)]), "adherence")
    half = student.ppf(0.975, 4) * 0.127475
    assert cell.value == pytest.approx(0.4)
    assert cell.interval == "scenarios"
    assert cell.high == pytest.approx(0.4 + half, abs=1e-5)
    assert cell.low == pytest.approx(max(0.4 - half, 0.0), abs=1e-5)


def test_unequal_scenarios_give_the_interval_of_the_ratio() -> None:
    hits, n = np.array([9.0, 1.0, 4.0]), np.array([10.0, 4.0, 6.0])
    cell = pool(by_scenario("tor_end", zip(hits, n, strict=True)), "tor_end")
    ratio = hits.sum() / n.sum()
    se = np.sqrt(3 / 2 * ((hits - ratio * n) ** 2).sum()) / n.sum()
    assert cell.value == ratio
    assert cell.high == min(1.0, ratio + student.ppf(0.975, 2) * se)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=8))
def test_a_value_lies_inside_its_interval(pairs: list[tuple[int, int]]) -> None:
    sums = [(float(min(k, n)), float(n)) for k, n in pairs]
    cell = pool(by_scenario("tor_end", sums), "tor_end")
    assert cell.value is not None
    assert cell.low is not None
    assert cell.high is not None
    assert 0 <= cell.low <= cell.value + 1e-12
    assert cell.value - 1e-12 <= cell.high <= 1
    assert cell.low < cell.high  # no data proves a share exactly


@pytest.mark.parametrize(("sums", "k"), [(HITS_0_OF_18, 0), ([(6.0, 6.0)] * 3, 18), ([(2.0, 6.0)] * 3, 6)])
def test_scenarios_that_agree_do_not_make_a_share_certain(sums: list[tuple[float, float]], k: int) -> None:
    cell = pool(by_scenario("won", sums), "won")
    expected = wilson(k, 18)
    assert expected is not None
    assert (cell.low, cell.high, cell.interval) == (expected.low, expected.high, "wilson")


def test_one_scenario_has_wilson_and_unlike_ticks_nothing() -> None:
    assert pool(by_scenario("adherence", [(55, 120)]), "adherence").low == pytest.approx(0.3719, abs=5e-5)
    assert pool(by_scenario("occupancy", [(300, 700)]), "occupancy")[1:4] == (None, None, "")
    assert pool(by_scenario("backchannels", [(0, 3), (0, 2)]), "backchannels")[1:4] == (None, None, "")


def test_a_rate_per_minute_is_never_negative_and_may_exceed_one() -> None:
    cell = pool(by_scenario("backchannels", [(0, 1), (0, 1), (9, 1)]), "backchannels")
    assert (cell.value, cell.low, cell.interval) == (3.0, 0.0, "scenarios")
    assert cell.high == pytest.approx(3 + student.ppf(0.975, 2) * 3)


def test_a_share_of_the_gap_may_be_negative() -> None:
    cell = pool(by_scenario("gap_share", [(-0.4, 1), (0.1, 1), (1.5, 1)]), "gap_share")
    assert cell.low is not None
    assert cell.low < -0.4
    assert cell.high is not None
    assert cell.high > 1


def test_groups_are_pooled_as_each_alone() -> None:
    rows = design(np.random.default_rng(3))
    rows.loc[::7, ["value", "n"]] = np.nan, 0.0
    keys = ("archetype", "measure", "agent", "partner")
    groups = list(pool_each(rows, keys))
    assert len(groups) == rows.groupby(list(keys)).ngroups
    for about, cell in groups:
        own = rows[(rows[list(keys)] == pd.Series(about)).all(axis=1)]
        assert cell == pool(own, about["measure"])
        assert cell.missing == own["value"].isna().sum()
        assert cell.hits == own["value"].sum()
    assert list(pool_each(rows[:0], keys)) == []
