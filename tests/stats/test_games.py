"""Zero-sum games, Nash averaging and teammates: published pools, closed forms and rules for all games."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dyad.stats import (
    best_response_proximity,
    game_values,
    log_odds,
    nash_average,
    self_minus_cross,
    transitive_share,
    zero_sum,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))
VECTORS = GOLDEN["vectors"]
SIZES = st.integers(1, 5)


def published(name: str) -> Any:
    archetype, size = name.split("_")
    return np.array(GOLDEN["published"][f"matrices{size[0]}"][archetype])


def payoffs(rows: int, columns: int, seed: int, ties: bool = False) -> Any:
    drawn = np.random.default_rng(seed).random((rows, columns))
    return np.round(4 * drawn) if ties else drawn


tables = st.builds(payoffs, SIZES, SIZES, st.integers(0, 10**6), st.booleans())
squares = st.builds(lambda n, seed: payoffs(n, n, seed), st.integers(2, 5), st.integers(0, 10**6))


@pytest.mark.parametrize("name", VECTORS["games"])
def test_values_and_strategies(name: str) -> None:
    expected = VECTORS["games"][name]
    game = zero_sum(expected.get("A", None) or published(name))
    assert game is not None
    assert game.value == pytest.approx(expected["value"], abs=1e-9)
    assert game.row == pytest.approx(expected["row"], abs=1e-6)
    assert game.column == pytest.approx(expected["col"], abs=1e-6)


@given(tables)
def test_both_sides_can_hold_the_value(table: Any) -> None:
    game = zero_sum(table)
    assert game is not None
    row, column = np.array(game.row), np.array(game.column)
    assert min(row.min(), column.min()) >= 0
    assert (row.sum(), column.sum()) == (pytest.approx(1), pytest.approx(1))
    assert (row @ table).min() == pytest.approx(game.value, abs=1e-5)
    assert (table @ column).max() == pytest.approx(game.value, abs=1e-5)
    assert table.min(axis=1).max() - 1e-9 <= game.value <= table.max(axis=0).min() + 1e-9


@given(tables)
def test_the_dual_programme_has_the_same_value(table: Any) -> None:
    rows, columns = table.shape
    dual = linprog(
        np.r_[np.zeros(columns), 1.0],
        A_ub=np.hstack([table, -np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=[[1.0] * columns + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * columns + [(None, None)],
    )
    assert game_values(table[None])[0] == pytest.approx(dual.fun, abs=1e-7)


@given(tables, st.floats(0, 1), st.floats(-2, 2))
@settings(max_examples=40)
def test_what_does_not_change_a_value(table: Any, part: float, shift: float) -> None:
    value = game_values(table[None])[0]
    mix = np.full(len(table), part / len(table)) + (1 - part) * np.eye(len(table))[0]
    dominated = np.vstack([table, mix @ table - 0.1])
    assert game_values(dominated[None])[0] == pytest.approx(value, abs=1e-7)
    assert game_values(-table.T[None])[0] == pytest.approx(-value, abs=1e-7)
    assert game_values((table + shift)[None])[0] == pytest.approx(value + shift, abs=1e-7)


@given(squares)
def test_a_game_that_is_the_same_for_both_sides_is_worth_a_half(table: Any) -> None:
    shares = 0.5 + (table - table.T) / 2
    assert game_values(shares[None])[0] == pytest.approx(0.5, abs=1e-7)


def test_many_games_at_once_are_the_games_one_by_one() -> None:
    many = np.random.default_rng(3).random((40, 3, 4))
    many[7, 1, 1] = math.nan
    values = game_values(many)
    assert math.isnan(values[7])
    for i in (0, 8, 39):
        game = zero_sum(many[i])
        assert game is not None
        assert values[i] == pytest.approx(game.value)
    assert np.isnan(game_values(np.full((2, 2, 2), math.nan))).all()


def test_equal_models_are_sent_equally_often() -> None:
    game = zero_sum(np.full((3, 2), 0.4))
    assert game is not None
    assert game.row == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert game.column == pytest.approx([1 / 2] * 2, abs=1e-6)
    twins = zero_sum([[3, 1], [0, 2], [0, 2]])  # the second row of a known game, twice
    assert twins is not None
    assert twins.row == pytest.approx([1 / 2, 1 / 4, 1 / 4], abs=1e-6)


@given(st.lists(st.floats(-0.4, 0.4), min_size=3, max_size=3).filter(lambda x: max(x) > 0.1))
@settings(max_examples=40)
def test_no_optimal_strategy_is_more_even(gains: list[float]) -> None:
    table = np.column_stack(
        [np.full(3, 0.4), 0.4 + np.array(gains)]
    )  # the first column pays .4 whatever comes
    game = zero_sum(table)
    assert game is not None
    assert game.value == pytest.approx(0.4)
    others = np.vstack([np.eye(3), np.random.default_rng(0).dirichlet(np.ones(3), 200)])
    optimal = others[others @ gains >= 0]
    assert len(optimal) > 0
    entropy = -(optimal * np.log(np.maximum(optimal, 1e-300))).sum(axis=1)
    own = np.array(game.row)
    assert entropy.max() <= -(own * np.log(np.maximum(own, 1e-300))).sum() + 1e-5


def test_nothing_to_play() -> None:
    assert zero_sum([]) is None
    assert zero_sum([[0.5, None], [0.1, 0.2]]) is None
    only = zero_sum([[0.3]])
    assert only is not None
    assert (only.value, only.row, only.column) == (pytest.approx(0.3), (1.0,), (1.0,))


@pytest.mark.parametrize("name", VECTORS["nash_averaging"])
def test_nash_average(name: str) -> None:
    expected = VECTORS["nash_averaging"][name]
    average = nash_average(log_odds(np.array(expected["x"]) if "x" in expected else published(name)))
    assert average is not None
    assert average.probability == pytest.approx(expected["p"], abs=1e-6)
    assert average.skill == pytest.approx(expected["skill"], abs=1e-6)


@given(squares)
@settings(max_examples=40)
def test_nobody_beats_the_nash_average_and_copies_do_not_change_it(table: Any) -> None:
    odds = 3 * (table - table.T)
    average = nash_average(odds)
    copied = nash_average(np.block([[odds, odds[:, :1]], [odds[:1], np.zeros((1, 1))]]))
    assert average is not None
    assert copied is not None
    assert max(average.skill) <= 1e-5
    assert copied.skill[:-1] == pytest.approx(average.skill, abs=1e-4)


def test_what_has_no_nash_average() -> None:
    assert nash_average([]) is None
    assert nash_average([[0, math.nan], [math.nan, 0]]) is None
    with pytest.raises(ValueError, match="antisymmetric"):
        nash_average([[0, 1], [1, 0]])


def test_log_odds_are_the_logit_of_complementary_shares() -> None:
    shares = published("T3-1_4x4")
    assert log_odds(shares) == pytest.approx(np.log(shares / (1 - shares)))


def test_half_a_count_only_where_somebody_won() -> None:
    won = np.array([[5.0, 3.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    plain, half = log_odds(won), log_odds(won, half=True)
    assert np.isnan(plain[~np.eye(3, dtype=bool)]).all()
    assert (half[0, 1], half[1, 0]) == (pytest.approx(math.log(7)), pytest.approx(-math.log(7)))
    assert half[1, 2] == pytest.approx(-math.log(5))
    assert np.isnan([half[0, 2], half[2, 0]]).all()  # nobody knows: these two never met
    assert (plain.diagonal() == 0).all()


@pytest.mark.parametrize("name", VECTORS["transitive_share"])
def test_transitive_share(name: str) -> None:
    odds, expected = log_odds(published(name)), VECTORS["transitive_share"][name]
    assert transitive_share(odds) == pytest.approx(expected["share"], abs=5e-5)
    assert odds.mean(axis=1) == pytest.approx(expected["r"], abs=1e-6)


def test_an_order_explains_all_and_a_cycle_nothing() -> None:
    order = np.subtract.outer([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])
    cycle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert transitive_share(np.stack([order, cycle])) == pytest.approx([1, 0])
    assert np.isnan(transitive_share(np.zeros((1, 3, 3)))).all()


def test_teammates() -> None:
    near = best_response_proximity(published("T2_3x3"))
    assert near == pytest.approx(np.array(VECTORS["best_response_proximity_T2_3x3"]), abs=5e-5)
    gain = self_minus_cross(published("T2_4x4"))
    assert gain == pytest.approx(VECTORS["self_minus_cross_T2_4x4"], abs=5e-5)


def test_teammates_whom_nobody_can_be_compared_with() -> None:
    assert np.isnan(self_minus_cross(np.array([[0.4]]))).all()
    near = best_response_proximity(np.array([[0.0, 0.5, math.nan], [0.0, 0.25, 0.1]]))
    assert np.isnan(near[:, [0, 2]]).all()
    assert near[:, 1] == pytest.approx([1, 0.5])
