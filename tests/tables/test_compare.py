"""Two studies side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.stats import Sought, holm
from dyad.tables import COLUMNS
from dyad.tables.compare import COMPARED, compare
from dyad.tables.draws import Draws
from dyad.tables.rows import Row
from tests.tables.leaks import AGENTS, D0, leaks
from tests.tables.made import design, frame, occupancy, pair

DRAWS = Draws(0, 10_000)
OTHER = np.maximum(D0 - 2, 0)
LINES = {"twin": "", "lang": "en", "channel": "clean"}


def of(rows: list[Row], agent: str = "", partner: str = "") -> Row:
    (found,) = [r for r in rows if (r["agent"], r["partner"]) == (agent, partner)]
    return found


def test_overall_and_every_cell() -> None:
    rows = compare(leaks(D0), leaks(OTHER), DRAWS)
    assert len(rows) == 1 + 9
    assert set(rows[0]) == {*COLUMNS, *COMPARED}
    d = (OTHER - D0) / 6
    overall, cell = of(rows), of(rows, "M", "P")
    assert overall["value"] == pytest.approx(d.mean())
    assert (overall["first"], overall["second"]) == pytest.approx((D0.mean() / 6, OTHER.mean() / 6))
    assert cell["value"] == pytest.approx(d[:, 1, 0].mean())
    assert (cell["scenarios"], cell["table"], cell["measure"]) == (20, "difference", "leak")
    se = d[:, 1, 0].std(ddof=1) / 20**0.5
    assert (cell["mde"], cell["floor"]) == pytest.approx(
        (Sought(tests=9).seen(20) * se, 2.093024 * se), abs=1e-6
    )
    assert overall["p"] == 1 / 10_001
    assert overall["p_adjusted"] == overall["p"]  # a family of its own
    assert holm([r["p"] for r in rows[1:]]) == [r["p_adjusted"] for r in rows[1:]]
    assert overall["note"] == ""


def test_a_difference_below_the_floor_is_none() -> None:
    moved = D0.copy()
    moved[:2, 0, 0] = 6
    rows = compare(leaks(D0), leaks(moved), DRAWS)
    assert of(rows, "P", "P")["note"] == "not distinguishable"
    assert 0 < of(rows, "P", "P")["value"] < of(rows, "P", "P")["floor"]
    assert of(rows, "M", "M")["note"] == "not distinguishable, no difference in any scenario"


def test_a_study_with_itself() -> None:
    rows = compare(leaks(D0), leaks(D0), DRAWS)
    assert {(r["value"], r["p"], r["p_adjusted"], r["low"]) for r in rows} == {(0, 1, 1, None)}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=8, max_size=8), min_size=2, max_size=4))
def test_the_other_way_round(hits: list[list[int]]) -> None:
    x = np.array(hits).reshape(-1, 2, 2, 2)
    one, other = (leaks(x[..., i], ("X", "Y"), runs=2) for i in (0, 1))
    there, back = compare(one, other, DRAWS), compare(other, one, DRAWS)
    for a, b in zip(there, back, strict=True):
        assert (a["value"], a["first"], a["second"]) == (-b["value"], b["second"], b["first"])
        assert [a[key] for key in ("p", "p_adjusted", "note", "agent")] == [
            b[key] for key in ("p", "p_adjusted", "note", "agent")
        ]
        if a["low"] is not None:
            assert (a["low"], a["high"]) == pytest.approx((-b["high"], -b["low"]))


def test_only_what_both_have_is_compared() -> None:
    first, second = leaks(D0), leaks(OTHER[3:], agents=("P", "M", "Z"))
    second["scenario"] = second["scenario"].map({f"s{i:02d}": f"s{i + 3:02d}" for i in range(17)})
    rows = compare(first, second, DRAWS)
    assert {(r["agent"], r["partner"]) for r in rows} == {("", ""), *((a, p) for a in "PM" for p in "PM")}
    assert {r["scenarios"] for r in rows} == {17}
    both = (OTHER - D0)[3:, :2, :2] / 6
    assert of(rows)["value"] == pytest.approx(both.mean())
    assert not compare(first, leaks(D0, agents=("A", "B", "C")), DRAWS)
    assert not compare(first, first.assign(scenario=first["scenario"] + "x"), DRAWS)
    assert not compare(first, frame([]), DRAWS)


def test_a_value_that_one_lacks_is_taken_from_neither() -> None:
    first, second = leaks(D0), leaks(OTHER)
    lost = (second["scenario"] == "s04") & (second["agent"] == "P") & (second["partner"] == "R")
    found = of(compare(first, second[~lost], DRAWS), "P", "R")
    kept = np.delete(D0[:, 0, 2], 4) / 6
    assert (found["scenarios"], found["missing"]) == (19, 1)
    assert found["first"] == pytest.approx(kept.mean())


def test_conditions_are_paired_with_themselves() -> None:
    def lines(first: Any, second: Any) -> pd.DataFrame:
        return pd.concat([leaks(first), leaks(second, channel="noise")], ignore_index=True)

    rows = compare(lines(D0, OTHER), lines(OTHER, OTHER), DRAWS)
    found = {r["condition"]: r["value"] for r in rows if not r["agent"]}
    assert found == pytest.approx({"clean": (OTHER - D0).mean() / 6, "noise": 0.0})
    assert {r["condition"] for r in compare(lines(D0, D0), leaks(D0), DRAWS)} == {"clean"}


def test_single_conditions_are_compared_whatever_they_are() -> None:
    rows = compare(leaks(D0), leaks(OTHER, channel="noise"), DRAWS)
    assert of(rows)["value"] == pytest.approx((OTHER - D0).mean() / 6)


def test_turn_taking_and_the_floor() -> None:
    first, second = (design(np.random.default_rng(seed)).assign(**LINES) for seed in (1, 2))
    rows = compare(first, second, DRAWS)
    assert {r["measure"] for r in rows} == {"tor_pause", "tor_end", "barge_in", "backchannels", "adherence"}
    assert {r["archetype"] for r in rows if r["measure"] == "tor_end"} == {""}
    met = frame(
        r | LINES for s in range(3) for who in ("XX", "XY") for r in occupancy(6, 4.0 - s, who, f"s{s}")
    )
    floor = [r for r in compare(met, met, DRAWS) if r["archetype"] == "t3_1"]
    assert {(r["agent"], r["partner"]) for r in floor} == {("X", "Y"), ("Y", "X")}


def test_a_score_of_the_pair_is_one_cell() -> None:
    def solved(value: float) -> pd.DataFrame:
        return frame(pair(value, who, f"s{s}") | LINES for s in range(3) for who in ("XX", "XY"))

    rows = compare(solved(0.0), solved(1.0), DRAWS)
    assert [(r["agent"], r["partner"], r["value"]) for r in rows] == [
        ("", "", 1),
        ("X", "X", 1),
        ("X", "Y", 1),
    ]
    assert {r["note"] for r in rows} == {
        f"not distinguishable: too few scenarios for {tests}, the same in every scenario: no interval"
        for tests in ("1 test", "2 tests")
    }


def test_one_scenario() -> None:
    rows = compare(leaks(D0[:1]), leaks(OTHER[:1]), DRAWS)
    assert {r["note"] for r in rows} == {
        f"not distinguishable: too few scenarios for {tests}, one scenario: no interval"
        for tests in ("1 test", "9 tests")
    }
    assert {r["floor"] for r in rows} == {None}
    assert len(AGENTS) ** 2 + 1 == len(rows)
