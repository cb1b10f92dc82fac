"""Rankings from the published pools, and what is said where there is none."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dyad.tables.draws import NONE, Draws
from dyad.tables.ranking import HALF, rankings
from tests.tables.made import Row, frame, row

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))
VECTORS, PUBLISHED = GOLDEN["vectors"], GOLDEN["published"]
SOME = Draws(bootstrap=100)
NAMES = ("PP", "MCPM", "Raon", "LFD")
Matrix = Sequence[Sequence[float]]


def cells(archetype: str, measure: str, matrix: Any, n: float = 240, scenarios: int = 3) -> list[Row]:
    """One row per cell and scenario, of shares of n; NaN has no row."""
    return [
        row(measure, x * n, n, archetype=archetype, agent=NAMES[i], partner=NAMES[j], scenario=f"s{s}")
        for (i, j), x in np.ndenumerate(matrix)
        if not math.isnan(x)
        for s in range(scenarios)
    ]


def ranked(rows: Sequence[Row], term: str, draws: Draws = NONE) -> dict[tuple[str, str], Row]:
    found = [r for r in rankings(frame(rows), draws) if r["term"] == term]
    return {(r["agent"], r["partner"]): r for r in found}


def numbers(rows: Sequence[Row], term: str) -> list[Any]:
    found = ranked(rows, term)
    return [found[name, ""]["value"] for name in NAMES if (name, "") in found]


@pytest.mark.parametrize("size", [3, 4])
def test_wins(size: int) -> None:
    rows = cells("t4_1", "won", PUBLISHED[f"matrices{size}"]["T4-1"])
    assert numbers(rows, "Bradley-Terry") == pytest.approx(
        VECTORS["bradley_terry"][f"T4-1_{size}x{size}"], abs=1e-6
    )
    found = ranked(rows, "Elo", SOME)["PP", ""]
    assert (found["low"], found["note"]) == (None, "the same in every resample: no interval")
    if size == 4:
        assert numbers(rows, "Elo") == pytest.approx(VECTORS["bradley_terry"]["elo_4x4"], abs=0.05)


def test_a_model_without_wins_gets_the_named_correction() -> None:
    rows = cells("t4_1", "won", [[0.0, 0.0], [0.25, 0.0]], n=8)
    next(r for r in rows if r["value"])["value"] += 1.0  # scenarios differ
    found = ranked(rows, "Bradley-Terry", SOME)
    assert found["MCPM", ""]["value"] == pytest.approx(math.log(7.5 / 0.5) / 2)
    assert {r["note"] for r in found.values()} == {HALF}
    assert all(r["low"] is not None for r in found.values())


def test_no_decided_run_between_agents() -> None:
    (found,) = rankings(frame(cells("t4_1", "won", [[0.5, 0.0], [0.0, 0.5]])), SOME)
    assert (found["value"], found["note"]) == (None, "no decided run between two agents")


@pytest.mark.parametrize("size", [3, 4])
def test_the_floor(size: int) -> None:
    rows = cells("t3_1", "occupancy", PUBLISHED[f"matrices{size}"]["T3-1"], n=1000)
    name = f"T3-1_{size}x{size}"
    average, share = VECTORS["nash_averaging"][name], VECTORS["transitive_share"][name]["share"]
    assert numbers(rows, "Nash probability") == pytest.approx(average["p"], abs=1e-6)
    assert numbers(rows, "Nash skill") == pytest.approx(average["skill"], abs=1e-6)
    assert ranked(rows, "transitive share", SOME)["", ""]["value"] == pytest.approx(share, abs=5e-5)
    if size == 4:
        for alpha in (1, 50):
            expected = VECTORS["alpha_rank"][name][f"alpha{alpha}"]
            assert numbers(rows, f"alpha-rank {alpha}") == pytest.approx(expected, abs=5e-5)


def test_intervals_where_scenarios_differ() -> None:
    rng = np.random.default_rng(2)
    rows = []
    for s in range(6):
        matrix = np.clip(PUBLISHED["matrices3"]["T3-1"] + rng.normal(0, 0.1, (3, 3)), 0.1, 0.9)
        matrix = (matrix + 1 - matrix.T) / 2
        rows += [r | {"scenario": f"s{s}"} for r in cells("t3_1", "occupancy", matrix, 100, 1)]
    for term in ("transitive share", "alpha-rank 1"):
        for r in ranked(rows, term, SOME).values():
            assert r["low"] <= r["high"]
            assert r["interval"] == "bootstrap"
    spread = ranked(rows, "transitive share", SOME)["", ""]
    assert spread["low"] < spread["value"] < spread["high"]
    assert list(rankings(frame(rows), SOME)) == list(rankings(frame(rows), SOME))


def test_a_floor_that_one_model_never_gets() -> None:
    rows = cells("t3_1", "occupancy", [[0.5, 0.0], [1.0, 0.5]], n=10)
    found = ranked(rows, "Nash skill", SOME)
    assert found["PP", ""]["value"] == pytest.approx(math.log(0.5 / 30.5))
    assert found["PP", ""]["note"] == HALF


@pytest.mark.parametrize(("archetype", "measure"), [("t3_1", "occupancy"), ("t2", "solved")])
def test_no_ranking_with_empty_cells(archetype: str, measure: str) -> None:
    whole = np.array([[0.5, 0.4, 0.3], [0.6, 0.5, 0.2], [0.7, 0.8, 0.5]])
    whole[0, 2] = whole[2, 0] = math.nan
    (found,) = rankings(frame(cells(archetype, measure, whole)), SOME)
    assert (found["value"], found["note"]) == (None, "empty cells: no ranking")


@pytest.mark.parametrize(("archetype", "measure"), [("t4_1", "won"), ("t3_1", "occupancy"), ("t2", "solved")])
def test_one_agent_is_no_pool(archetype: str, measure: str) -> None:
    (found,) = rankings(frame(cells(archetype, measure, [[0.5]])), SOME)
    assert (found["value"], found["note"]) == (None, "one agent: nothing to rank")


def test_teammates() -> None:
    rows = cells("t2", "solved", PUBLISHED["matrices3"]["T2"])
    near = ranked(rows, "best-response proximity")
    for i, line in enumerate(VECTORS["best_response_proximity_T2_3x3"]):
        assert [near[NAMES[i], p]["value"] for p in NAMES[:3]] == pytest.approx(line, abs=5e-5)
    worst = {key: r["value"] for key, r in ranked(rows, "worst partner").items()}
    assert worst == pytest.approx({("PP", "PP"): 0.05, ("MCPM", "PP"): 0.07, ("Raon", "PP"): 0.23})
    pool = cells("t2", "solved", PUBLISHED["matrices4"]["T2"])
    expected = VECTORS["self_minus_cross_T2_4x4"]
    assert numbers(pool, "self minus cross") == pytest.approx(expected, abs=5e-5)


def test_a_partner_with_whom_nobody_succeeds() -> None:
    near = ranked(cells("t2", "solved", [[0.0, 0.0], [0.0, 0.4]]), "best-response proximity", SOME)
    assert (near["PP", "PP"]["value"], near["PP", "PP"]["note"]) == (
        None,
        "nobody succeeds with this partner",
    )
    assert near["PP", "MCPM"]["value"] == 0


def decided(*shares: tuple[str, float], scenarios: int = 4) -> pd.DataFrame:
    pair = {"archetype": "t4_1", "seat": "", "role": ""}
    return frame(
        row("decided", share * 12, 12, **pair, agent=x, partner=y, scenario=f"s{s}")
        for (x, y), share in shares
        for s in range(scenarios)
    )


def test_how_often_a_pair_decides() -> None:
    low, middle, high = (1 / (1 + math.exp(-x)) for x in (-1, 0, 1))
    found = list(rankings(decided(("XX", high), ("XY", middle), ("YY", low)), SOME))
    assert {r["agent"]: r["value"] for r in found} == pytest.approx({"X": 0.5, "Y": -0.5})
    assert {(r["term"], r["unit"], r["n"]) for r in found} == {("decided lift", "log odds", 144)}
    alone = list(rankings(decided(("XX", high), ("XY", middle), ("YY", low), scenarios=1), SOME))
    assert {(r["low"], r["note"]) for r in alone} == {(None, "one scenario: no interval")}


def test_pairs_that_always_decide_have_no_lift() -> None:
    (found,) = rankings(decided(("XX", 1), ("XY", 1), ("YY", 1)), SOME)
    assert found["value"] is None
    assert found["note"].startswith("no finite estimate")


def test_one_scenario() -> None:
    rows = cells("t2", "solved", [[0.1, 0.2], [0.2, 0.3]], scenarios=1)
    found = list(rankings(frame(rows), SOME))
    assert {r["note"] for r in found} == {"one scenario: no interval"}
    assert list(rankings(frame([]), SOME)) == []
