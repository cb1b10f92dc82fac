"""Score matrices and turn-taking from rows whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from dyad.stats import wilson
from dyad.tables import COLUMNS, of_judge, summary
from dyad.tables.cells import pool
from dyad.tables.scores import matrices, turn_cells
from dyad.tables.turns import run_means
from tests.tables.made import Row, design, frame, occupancy, pair, row


def cells(frame_: pd.DataFrame) -> dict[tuple[str, str, str], Row]:
    return {(r["archetype"], r["agent"], r["partner"]): r for r in matrices(frame_)}


def test_a_score_of_the_pair_counts_for_both_agents_and_once_in_self_play() -> None:
    found = cells(frame([pair(1, "XY"), pair(0, "YX"), pair(1, "XY"), pair(1, "XX"), pair(None, "XX")]))
    assert {k[1:]: (r["hits"], r["n"], r["missing"]) for k, r in found.items()} == {
        ("X", "Y"): (2.0, 3.0, 0),
        ("Y", "X"): (2.0, 3.0, 0),
        ("X", "X"): (1.0, 1.0, 1),
    }


def test_tables_show_one_judge() -> None:
    said = {"mechanical": [1.0, 1.0], "model": [0.0, None], "human:AB": [0.0]}
    rows = [
        row("adherence", value, judge=judge, run_id=f"r{i}")
        for judge, values in said.items()
        for i, value in enumerate(values)
    ]
    table = frame([*rows, row("occupancy", 3, 4)])
    shown = {judge: summary(of_judge(table, judge)) for judge in said}
    cells = {judge: next(r for r in own if r["table"] == "matrix") for judge, own in shown.items()}
    assert {judge: (x["value"], x["n"], x["missing"]) for judge, x in cells.items()} == {
        "mechanical": (1.0, 2.0, 0), "model": (0.0, 1.0, 1), "human:AB": (0.0, 1.0, 0),
    }  # fmt: skip
    turns = [[r["value"] for r in own if r["table"] == "turns"] for own in shown.values()]
    assert turns == [[0.75]] * 3
    with pytest.raises(ValueError, match="several judges"):
        summary(table)


def test_scores_of_a_seat_stay_with_it() -> None:
    about = {"archetype": "t4_1"}
    found = cells(
        frame(
            [
                row("won", 1, **about),
                row("won", 0, agent="Y", partner="X", seat="b", role="b", **about),
                row("won", 1, agent="X", partner="X", **about),
                row("won", 0, agent="X", partner="X", seat="b", role="b", **about),
            ]
        )
    )
    assert {k[1:]: r["value"] for k, r in found.items()} == {
        ("X", "Y"): 1.0,
        ("Y", "X"): 0.0,
        ("X", "X"): 0.5,
    }


def contest(decided: int, runs: int = 6, measure: str = "won", scenario: str = "s0") -> list[Row]:
    """Self-play of T4-1: of so many decided runs one seat wins."""
    return [
        row(
            measure,
            float(won),
            n,
            archetype="t4_1",
            partner="X",
            seat=seat,
            role=seat,
            scenario=scenario,
            run_id=f"{scenario}{run}",
        )
        for run in range(runs)
        for n in [1.0 if measure == "won" else float(run < decided)]
        for seat, won in (("a", run < decided and run % 2 == 0), ("b", run < decided and run % 2 == 1))
    ]


@pytest.mark.parametrize("measure", ["won", "won_if_decided"])
def test_what_an_agent_shares_with_itself_is_half_of_what_its_pairs_have(measure: str) -> None:
    cell, pairs = pool(frame(contest(6, measure=measure)), measure), wilson(6, 6)
    assert (cell.value, cell.n, cell.observations, cell.hits) == (0.5, 6, 6, 3)
    assert (cell.low, cell.high, cell.interval) == (pairs.low / 2, pairs.high / 2, "wilson")


def test_half_of_what_some_pairs_have_has_half_their_interval() -> None:
    (cell,) = cells(frame([*contest(6), *contest(3, scenario="s1"), *contest(4, scenario="s2")])).values()
    shares = np.array([1.0, 0.5, 2 / 3])
    half = student.ppf(0.975, 2) * shares.std(ddof=1) / math.sqrt(3)
    assert cell["value"] == pytest.approx(shares.mean() / 2)
    assert (cell["low"], cell["high"]) == pytest.approx(((shares.mean() - half) / 2, 0.5))
    assert (cell["n"], cell["observations"], cell["interval"]) == (18, 18, "scenarios")


def test_a_run_that_scores_one_seat_is_whole_in_self_play() -> None:
    claims = [r | {"archetype": "t4_3", "run_id": f"{r['run_id']}{r['seat']}"} for r in contest(6)]
    (cell,) = cells(frame([r | {"measure": "won_if_decided", "role": "a"} for r in claims])).values()
    assert (cell["value"], cell["n"], cell["low"]) == (0.5, 12, wilson(6, 12).low)


def test_a_share_of_the_floor_with_oneself_is_known_in_turn_taking_too() -> None:
    rows = frame([*occupancy(300, 100, "XX", "s0"), *occupancy(20, 500, "XX", "s1")])
    for (cell,) in (turn_cells(rows), run_means(rows)):
        assert (cell["value"], cell["low"], cell["interval"]) == (0.5, None, "pinned")
        assert cell["observations"] == 2
    silent = frame([*occupancy(0, 0, "XX", "s0"), *occupancy(20, 500, "XX", "s1")])
    (cell,) = run_means(silent)
    assert (cell["n"], cell["missing"], cell["note"]) == (1, 0, "1 without an opportunity")


def test_only_the_scored_role_makes_an_asymmetric_matrix() -> None:
    about = {"archetype": "t1_2"}
    found = cells(
        frame(
            [
                row("adherence", 1, **about),
                row("adherence", 0, role="b", **about),
            ]
        )
    )
    assert found["t1_2", "X", "Y"]["value"] == 1.0


def test_floor_shares_are_half_in_self_play_and_add_to_one() -> None:
    rows = [*occupancy(300, 100, "XX", "s0"), *occupancy(20, 500, "XX", "s1"), *occupancy(90, 210, "XY")]
    found = cells(frame(rows))
    diagonal = found["t3_1", "X", "X"]
    assert (diagonal["value"], diagonal["low"], diagonal["interval"]) == (0.5, None, "pinned")
    assert diagonal["hits"] / diagonal["n"] == 0.5  # by construction, not by force
    assert found["t3_1", "X", "Y"]["value"] + found["t3_1", "Y", "X"]["value"] == pytest.approx(1.0)
    assert cells(frame([])) == {}


def test_every_row_has_every_column() -> None:
    rows = summary(design(np.random.default_rng(1)))
    assert {r["table"] for r in rows} >= {"matrix", "turns", "turns_mean", "measures", "missing", "eta"}
    assert all(set(r) == set(COLUMNS) for r in rows)
    assert summary(frame([])) == []


def test_turn_taking_pools_all_tasks() -> None:
    rows = [row("tor_pause", 1, 4), row("tor_pause", 2, 4, archetype="t2"), row("tor_pause", None, 0)]
    (cell,) = turn_cells(frame(rows))
    assert (cell["value"], cell["missing"], cell["archetype"], cell["unit"]) == (0.375, 1, "", "share")


def test_draws_of_a_free_conversation_stand_in_for_scenarios() -> None:
    free = [row("tor_end", k, 4, archetype="t0", repetition=k, run_id=f"r{k}") for k in (1, 2, 3)]
    told = [row("tor_end", 1, 4, archetype="t2", repetition=k, run_id=f"q{k}") for k in (1, 2, 3)]
    pooled = {
        name: next(r for r in summary(frame(rows)) if r["table"] == "turns")
        for name, rows in (("free", free), ("told", told))
    }
    assert (pooled["free"]["scenarios"], pooled["free"]["interval"]) == (3, "scenarios")
    assert (pooled["told"]["scenarios"], pooled["told"]["interval"]) == (1, "wilson")
    half = student.ppf(0.975, 2) * 0.25 / math.sqrt(3)  # of the means .25, .5 and .75
    assert pooled["free"]["high"] == pytest.approx(min(0.5 + half, 1.0))
    assert pooled["free"]["low"] == pytest.approx(max(0.5 - half, 0.0))


def test_a_free_conversation_has_no_matrix() -> None:
    tables = {r["table"] for r in summary(frame([row("occupancy", 1, 4, archetype="t0")]))}
    assert tables == {"turns", "turns_mean", "measures", "missing"}
