"""Occupancy of the role, from rows whose answer is known."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from dyad.tables.draws import NONE, Draws
from dyad.tables.in_role import role_occupancy
from tests.tables.made import Row, frame, row
from tests.tables.timed import seat, seats

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]
VECTOR = GOLDEN["in_role_occupancy"]
DRAWS = Draws(200, 0)


def worked(mode: str) -> list[Row]:
    """The worked runs, their seconds taken as ticks of a window of 60."""
    runs = enumerate(VECTOR["runs"])
    return [r for k, run in runs for r in seat(*run, mode, 60, run_id=f"r{k}", window=4.8)]


@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_the_worked_runs(mode: str) -> None:
    found = [r for r in role_occupancy(frame(worked(mode)), NONE) if not r["partner"]]
    assert found[0]["term"] == "mean time"
    assert found[0]["value"] == pytest.approx(VECTOR["mean"] * 0.08, abs=1e-6)
    assert (found[0]["n"], found[0]["unit"], found[0]["at"]) == (6, "s", None)
    shares = {r["at"]: r["value"] for r in found[1:]}
    expected = {round(float(t) * 0.08, 2): p for t, p in VECTOR["P"].items() if t != "59.9"}
    assert {t: shares[t] for t in expected} == pytest.approx(expected, abs=5e-5)
    assert (max(shares), shares[max(shares)]) == (4.72, pytest.approx(VECTOR["P"]["59.9"], abs=5e-5))


def test_marks_are_twelfths_of_the_window_and_its_last_tick() -> None:
    found = role_occupancy(frame(seats()), NONE)
    at = [r["at"] for r in found if (r["agent"], r["partner"], r["term"]) == ("X", "", "share")]
    assert at == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 59.92]


def test_the_interval_is_over_scenarios() -> None:
    rows = [
        r for s in range(10) for k in range(20)
        for r in seat(50 * s, None, scenario=f"s{s}", run_id=f"{s}/{k}")
    ]  # fmt: skip
    (found,) = [
        r
        for r in role_occupancy(frame(rows), Draws(4000, 0))
        if r["term"] == "mean time" and not r["partner"]
    ]
    assert found["value"] == pytest.approx((750 - 225) * 0.08)
    assert found["sd"] == pytest.approx(np.std([4 * s for s in range(10)]) / math.sqrt(10), rel=0.05)
    assert found["low"] < found["value"] < found["high"]


def test_each_partner_has_its_own() -> None:
    found = [r for r in role_occupancy(frame(seats()), DRAWS) if r["term"] == "mean time"]
    assert [(r["agent"], r["partner"]) for r in found] == [(a, p) for a in "XY" for p in ("", "X", "Y")]
    over_all, *cells = (r["value"] for r in found[:3])
    assert over_all == pytest.approx(sum(cells) / 2)


def test_what_cannot_be_had_is_none_and_says_why() -> None:
    assert list(role_occupancy(frame([]), DRAWS)) == []
    one = list(role_occupancy(frame([*seat(9, 20)]), DRAWS))
    assert {r["note"] for r in one} == {"one scenario: no interval"}
    for known in (4.0, None):
        lost = role_occupancy(frame([row("entry", known), row("deviation", None, 0.0)]), DRAWS)
        assert {(r["value"], r["missing"], r["note"]) for r in lost} == {(None, 1, "all times missing")}
    alike = [r for s in "pqr" for r in seat(None, None, scenario=s, run_id=s)]
    never = list(role_occupancy(frame(alike), DRAWS))
    assert {(r["value"], r["note"]) for r in never} == {(0.0, "the same in every resample: no interval")}
