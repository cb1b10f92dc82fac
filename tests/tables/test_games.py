"""Balance and games from the published pools."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dyad.tables.draws import NONE, Draws
from dyad.tables.games import balance, games
from tests.tables.made import Row, frame, row

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))
VECTORS, PUBLISHED, RECOMPUTED = GOLDEN["vectors"], GOLDEN["published"], GOLDEN["recomputed"]
MEASURES = {"t3_2": "occupancy", "t4_2": "leak", "t4_3": "won_if_decided", "t4_4": "gap_share"}
SOME = Draws(bootstrap=100)
Matrix = Sequence[Sequence[float | None]]


def cells(archetype: str, measure: str, matrix: Matrix, n: Any = 120, scenarios: int = 3) -> pd.DataFrame:
    """One row per cell and scenario; n of all cells, or of each."""
    rows = []
    for i, line in enumerate(matrix):
        for j, x in enumerate(line):
            size = n if isinstance(n, int) else n[i][j]
            for s in range(scenarios):
                about = {"archetype": archetype, "agent": f"m{i}", "partner": f"m{j}", "scenario": f"s{s}"}
                value = None if x is None else x * size
                rows.append(row(measure, value, 0 if x is None else size, **about))
    return frame(rows)


def one(rows: pd.DataFrame) -> Row:
    (found,) = balance(rows)
    return found


def test_balance_of_published_pools() -> None:
    requests = one(cells("t3_2", "granted", [[0.09], [0.19], [0.17]]))
    assert requests["value"] == pytest.approx(RECOMPUTED["balance"]["T3-2_agreement"])
    attacks = one(cells("t4_2", "leak", PUBLISHED["matrices3"]["T4-2"]))
    assert attacks["value"] == pytest.approx(RECOMPUTED["balance"]["T4-2"], abs=5e-7)
    deals = PUBLISHED["table11"]["claim_n"]
    shares = [
        [k / n for k, n in zip(*x, strict=True)] for x in zip(RECOMPUTED["claim_k"], deals, strict=True)
    ]
    claims = one(cells("t4_3", "won_if_decided", shares, deals, scenarios=1))
    assert (claims["hits"], claims["n"]) == (pytest.approx(238), 423)
    assert claims["value"] == pytest.approx(RECOMPUTED["balance"]["T4-3_pooled"], abs=5e-7)
    prices = one(cells("t4_4", "gap_share", PUBLISHED["table11"]["negotiation"], 30))
    assert prices["value"] == pytest.approx(RECOMPUTED["balance"]["T4-4_mean"], abs=5e-4)
    assert prices["agent"] == prices["partner"] == ""


def test_balance_of_no_deal() -> None:
    found = one(cells("t4_3", "won_if_decided", [[None, None], [None, None]]))
    assert (found["value"], found["note"]) == (None, "nothing is known")
    assert list(balance(frame([]))) == []


def told(rows: pd.DataFrame, draws: Draws = NONE) -> dict[str, Any]:
    """Value row, and the strategy of each side by agent."""
    found = list(games(rows, draws))
    value = next(r for r in found if r["term"] == "value")
    sides = ("row strategy", "column strategy")
    return {"value": value} | {s: {r["agent"]: r["value"] for r in found if r["term"] == s} for s in sides}


@pytest.mark.parametrize("name", [name for name in VECTORS["games"] if name != "2x2"])
def test_values_of_published_pools(name: str) -> None:
    key, size = name.split("_")
    archetype, expected = key.lower().replace("-", "_"), VECTORS["games"][name]
    matrix = PUBLISHED[f"matrices{size[0]}"][key]
    found = told(cells(archetype, MEASURES[archetype], matrix), SOME)
    assert found["value"]["value"] == pytest.approx(expected["value"])
    assert list(found["row strategy"].values()) == pytest.approx(expected["row"], abs=1e-6)
    assert list(found["column strategy"].values()) == pytest.approx(expected["col"], abs=1e-6)
    assert (found["value"]["low"], found["value"]["scenarios"]) == (None, 3)
    assert found["value"]["note"] == "the same in every resample: no interval"


def test_the_value_has_an_interval_where_scenarios_differ() -> None:
    easy, hard = ([[0.2, 0.4], [0.3, 0.1]], [[0.6, 0.8], [0.7, 0.5]])
    rows = pd.concat(
        [cells("t4_2", "leak", easy, 6, 4), cells("t4_2", "leak", hard, 6, 4).assign(scenario="hard")]
    )
    rows["scenario"] += rows.groupby(["agent", "partner", "scenario"]).cumcount().astype(str)
    found = told(rows, SOME)["value"]
    assert found["value"] == pytest.approx(0.45)
    assert 0.25 < found["low"] < 0.45 < found["high"] < 0.65
    assert found["interval"] == "bootstrap"
    assert told(rows, SOME) == told(rows, SOME)


def test_a_constant_table_is_worth_its_constant() -> None:
    found = told(cells("t4_2", "leak", [[0.3] * 3] * 3), SOME)
    assert found["value"]["value"] == pytest.approx(0.3)
    assert list(found["row strategy"].values()) == pytest.approx([1 / 3] * 3, abs=1e-6)


@pytest.mark.parametrize(
    ("matrix", "note"),
    [
        ([[0.3]], "one agent: no game"),
        ([[0.3, None], [0.2, 0.1]], "empty cells: no game"),
        ([[0.3, math.nan], [0.2, 0.1]], "empty cells: no game"),
        ([[None, None], [None, None]], "empty cells: no game"),
    ],
)
def test_no_game(matrix: Matrix, note: str) -> None:
    (found,) = games(cells("t4_2", "leak", matrix), SOME)
    assert (found["term"], found["value"], found["note"]) == ("value", None, note)


def test_one_scenario_has_a_value_and_no_interval() -> None:
    found = told(cells("t4_2", "leak", [[0.3, 0.1], [0.0, 0.2]], scenarios=1), SOME)["value"]
    assert (found["low"], found["note"]) == (None, "one scenario: no interval")
    assert found["value"] == pytest.approx(0.15)
    assert list(games(frame([]), SOME)) == []
