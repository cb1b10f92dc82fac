"""Round robins from rows whose answer is known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dyad.stats import component_test, self_play_parts, social_relations
from dyad.tables.diallel import diallels
from dyad.tables.draws import NONE, Draws
from dyad.tables.rows import Row
from tests.tables.made import frame, occupancy, row

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))
D0 = GOLDEN["vectors"]["d0"]
RECOMPUTED = GOLDEN["recomputed"]
PARTS = ["lift", "edge", "chemistry", "cycle"]


def leaks(tables: Iterable[object], agents: str, n: float = 6.0) -> pd.DataFrame:
    """Hits out of n of each scenario and cell."""
    return frame(
        row("leak", float(hits), n, archetype="t4_2", scenario=f"s{s}", agent=a, partner=p)
        for s, table in enumerate(tables)
        for (a, p), hits in zip(product(agents, agents), np.ravel(table), strict=True)
    )


def of_d0() -> pd.DataFrame:
    return leaks(np.array(D0["d0_counts"]).reshape(20, 3, 3), "XYZ")


def published(size: int) -> pd.DataFrame:
    """The attack matrix, the same in two scenarios."""
    return leaks([np.array(GOLDEN["published"][f"matrices{size}"]["T4-2"]) * 100] * 2, "PMRL"[:size], 100.0)


def rows_of(data: pd.DataFrame, table: str, draws: Draws = NONE) -> list[Row]:
    return [r for r in diallels(data, draws) if r["table"] == table]


def values(rows: Iterable[Row]) -> dict[str, float]:
    return {r["term"]: r["value"] for r in rows}


@pytest.mark.parametrize("size", [3, 4])
def test_published_shares_and_premium(size: int) -> None:
    expected = RECOMPUTED["diallel"][f"T4-2@{size}"]
    found = values(rows_of(published(size), "diallel"))
    keys = dict(zip(PARTS, ("lift", "edge", "chem", "cycle"), strict=True))
    assert found == pytest.approx({term: expected[key] for term, key in keys.items()}, abs=1e-6)
    (premium,) = [r for r in rows_of(published(size), "effects") if not r["agent"]]
    assert (premium["term"], premium["value"]) == (
        "self premium",
        pytest.approx(expected["premium"], abs=1e-6),
    )


def test_published_effects() -> None:
    found = {(r["term"], r["agent"]): r["value"] for r in rows_of(published(3), "effects")}
    expected = RECOMPUTED["diallel_effects_T4-2_3x3"]
    assert [found["lift", a] for a in "PMR"] == pytest.approx(expected["lift_g"], abs=5.1e-5)
    assert [found["edge", a] for a in "PMR"] == pytest.approx(expected["edge_m"], abs=5.1e-5)


def test_d0_without_noise() -> None:
    found = values(rows_of(of_d0(), "diallel_corrected"))
    noise = 1 - sum(D0["ss_ustat"][t] for t in PARTS) / sum(D0["ss_cells"][t] for t in PARTS)
    expected = {term: D0["share_ustat"][term] for term in PARTS} | {"noise": noise}
    assert found == pytest.approx(expected, abs=5e-5)


def test_intervals_of_d0() -> None:
    rows = [r for r in diallels(of_d0(), Draws(500, 200)) if r["term"] != "noise"]
    assert {r["table"] for r in rows} == {"diallel", "diallel_corrected", "effects"}
    assert all(r["low"] < r["high"] and r["sd"] > 0 for r in rows)
    assert all(r["low"] < r["value"] < r["high"] for r in rows if r["table"] == "effects")
    edges = [r for r in rows if r["term"] == "edge" and r["agent"]]
    assert [r["unit"] for r in edges] == ["share"] * 3
    assert sum(r["value"] for r in edges) == pytest.approx(0)
    again = [r for r in diallels(of_d0(), Draws(500, 200)) if r["term"] != "noise"]
    assert rows == again


def test_the_premium_is_tested_by_flipping_signs() -> None:
    data = leaks(np.array(D0["d0_counts"]).reshape(20, 3, 3)[:8], "XYZ")
    (premium,) = [r for r in rows_of(data, "effects", Draws(50, 500)) if r["term"] == "self premium"]
    x = np.array(D0["d0_counts"]).reshape(20, 3, 3)[:8] / 6
    test = component_test(x, self_play_parts, "self", np.random.default_rng(0))
    assert test.exact
    assert premium["p"] == pytest.approx(test.p)


def test_self_play_on_one_floor_has_no_premium_by_algebra() -> None:
    rng = np.random.default_rng(1)
    floor = [
        r
        for k, ab in product(range(4), ["XX", "XY", "YY"])
        for r in occupancy(*rng.integers(50, 400, 2), ab, f"s{k}")
    ]
    rows = list(diallels(frame(floor), Draws(50, 50)))
    assert [r["value"] for r in rows if r["term"] == "lift"] == pytest.approx([0, 0, 0, 0], abs=1e-12)
    (premium,) = [r for r in rows if r["term"] == "self premium"]
    assert (premium["value"], premium["p"], premium["note"]) == (pytest.approx(0), None, "0 by algebra")


# -- social relations ------------------------------------------------------------------------------


def test_social_relations_of_four_models() -> None:
    rows, expected = rows_of(published(4), "srm"), GOLDEN["vectors"]["srm"]["T4-2_4x4"]
    found = {(r["term"], r["agent"]): r for r in rows}
    assert [found["actor", a]["value"] for a in "PMRL"] == pytest.approx(expected["a"], abs=5.1e-5)
    assert [found["partner", a]["value"] for a in "PMRL"] == pytest.approx(expected["b"], abs=5.1e-5)
    terms = ("actor variance", "partner variance", "relationship variance")
    variances = [found[term, ""]["value"] for term in terms]
    assert variances == pytest.approx([expected[k] for k in ("var_a", "var_b", "var_g")], abs=5.1e-6)
    assert found["actor variance", ""]["unit"] == "share²"
    assert (found["actor", "P"]["unit"], found["actor", "P"]["n"]) == ("share", 12)


def test_social_relations_over_scenarios_without_self_play() -> None:
    tables = np.random.default_rng(2).integers(0, 7, (5, 4, 4)).astype(float)
    data = leaks(tables, "WXYZ")
    data = data[data["agent"] != data["partner"]]
    rows = list(diallels(data, Draws(50, 50)))
    assert {r["table"] for r in rows} == {"srm"}
    components = social_relations(tables / 6).components
    found = {r["term"]: (r["value"], r["sd"]) for r in rows if not r["agent"]}
    assert found == {name: pytest.approx((mean.value, mean.se)) for name, mean in components.items()}
    assert {(r["scenarios"], r["missing"]) for r in rows} == {(5, 0)}
    hole = (data["scenario"] == "s2") & (data["agent"] == "X")
    assert {(r["scenarios"], r["missing"]) for r in rows_of(data[~hole], "srm")} == {(4, 1)}


def test_one_scenario_has_no_error() -> None:
    rows = rows_of(leaks([np.random.default_rng(3).integers(0, 7, (4, 4))], "WXYZ"), "srm", Draws(50, 50))
    assert {(r["sd"], r["note"]) for r in rows} == {(None, "one scenario: no SE")}
    others = diallels(leaks([np.eye(2)], "XY"), Draws(50, 50))
    assert {r["note"] for r in others if r["table"] != "diallel_corrected"} == {"one scenario: no interval"}


def test_no_scenario_without_a_hole() -> None:
    data = leaks(np.random.default_rng(4).integers(0, 7, (2, 4, 4)), "WXYZ")
    first = (data["scenario"] == "s0") & (data["agent"] == "W")
    second = (data["scenario"] == "s1") & (data["agent"] == "Z")
    (found,) = rows_of(data[~first & ~second], "srm")
    assert (found["value"], found["missing"]) == (None, 2)
    assert found["note"] == "no scenario without an empty cell"


# -- what cannot be had ----------------------------------------------------------------------------


def test_three_models_have_no_social_relations() -> None:
    assert rows_of(of_d0(), "srm") == []


def test_nothing_varies() -> None:
    data = leaks(np.full((3, 3, 3), 2.0), "XYZ")
    rows = list(diallels(data, Draws(50, 50)))
    assert [r["note"] for r in rows if r["table"] == "diallel"] == ["nothing varies"]
    assert {r["value"] for r in rows if r["table"] == "effects"} == {0.0}


def test_too_few_agents() -> None:
    assert list(diallels(frame([]), Draws(50, 50))) == []
    assert list(diallels(leaks([[[1.0]]] * 3, "X"), Draws(50, 50))) == []
    assert list(diallels(of_d0().assign(value=np.nan), Draws(50, 50))) == []
