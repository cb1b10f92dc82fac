"""Incidence of leaks, from rows whose answer is known."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dyad.tables.claims import claims
from dyad.tables.draws import NONE, Draws
from dyad.tables.incidence import incidence
from tests.tables.made import Row, frame, row

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]
VECTOR = GOLDEN["aalen_johansen"]
DRAWS = Draws(200, 0)


def leaks(times: list[int], causes: list[int], **about: Any) -> list[Row]:
    """Runs by tick and cause: 1 a leak, 2 an end before the window of 60 ticks, 0 neither."""
    about = {"archetype": "t4_2", "window": 4.8} | about
    runs = zip(times, causes, strict=True)
    return [row("time_to_leak", round(t * 0.08, 2), observed=cause == 1, **about) for t, cause in runs]


def points(rows: list[Row], term: str) -> dict[int, float]:
    found = incidence(frame(rows), NONE)
    return {round(r["at"] / 0.08): r["value"] for r in found if r["term"] == term and not r["partner"]}


def test_a_run_that_ended_early_without_a_leak_is_a_competing_cause() -> None:
    rows = leaks(VECTOR["t"], VECTOR["cause"])
    for term, name in (("leak", "F1"), ("ended", "F2")):
        expected = {int(t): float(Fraction(share)) for t, share in VECTOR[name].items()}
        found = points(rows, term)
        assert {t: found[t] for t in expected} == pytest.approx(expected)


def test_the_band_is_that_of_shares_of_resampled_scenarios() -> None:
    runs = {"p": [10, 60], "q": [20, 30], "r": [60, 60]}
    rows = [r for s, times in runs.items() for r in leaks(times, [t < 60 for t in times], scenario=s)]
    found = [r for r in incidence(frame(rows), Draws(27, 0)) if r["term"] == "leak" and not r["partner"]]
    last = found[-1]
    assert (last["at"], last["value"], last["n"], last["scenarios"]) == (4.8, 0.5, 6, 3)
    assert 0 <= last["low"] < 0.5 < last["high"] <= 1
    assert all(a["low"] <= b["low"] for a, b in pairwise(found))


def test_attackers_and_defenders_are_kept_apart() -> None:
    rows = [*leaks([10], [1], partner="Y"), *leaks([60], [0], partner="Z"), *leaks([20], [1], agent="W")]
    found = [r for r in incidence(frame(rows), NONE) if r["at"] == 4.8 or r["agent"] == "W"]
    last = {(r["agent"], r["partner"]): r["value"] for r in found if r["term"] == "leak"}
    assert last == {("X", ""): 0.5, ("X", "Z"): 0.0, ("W", ""): 1.0, ("W", "Y"): 1.0}


def silences(waits: list[tuple[float, bool]], **about: Any) -> list[Row]:
    about = {"archetype": "t2", "mode": "strict"} | about
    return [row("response_time", at, observed=answered, **about) for at, answered in waits]


def test_of_answers_the_share_before_the_partner_goes_on_is_shown() -> None:
    """Half of the silences end since the partner goes on; Kaplan–Meier has all answered by 1.6 s."""
    early, late = [(0.4, False)] * 4 + [(0.8, True)] * 2, [(1.2, False)] + [(1.6, True)] * 3
    rows = frame([*silences(early, scenario="p"), *silences(late, scenario="q")])
    found = [r for r in incidence(rows, Draws(27, 0)) if not r["partner"]]
    assert [(r["term"], r["at"], r["value"]) for r in found] == [
        ("answered", 0.4, 0.0), ("answered", 0.8, 0.2), ("answered", 1.2, 0.2), ("answered", 1.6, 0.5),
    ]  # fmt: skip
    assert {(r["measure"], r["unit"], r["n"], r["scenarios"]) for r in found} == {
        ("response_time", "share", 10, 2)
    }
    last = found[-1]
    assert (last["low"], last["high"]) == pytest.approx((2 / 6, 3 / 4), abs=0.01)
    (claim,) = claims(found)
    told = "X answers 50\N{NO-BREAK SPACE}% [33, 75] of silences before its partner goes on."
    assert claim.text == told


@pytest.mark.parametrize(
    ("rows", "notes"),
    [
        ([], set()),
        (leaks([5], [1], archetype="t1_1"), set()),
        ([row("time_to_leak", None, 0.0, archetype="t4_2")], {"all times missing"}),
        (leaks([10, 60], [1, 0]), {"one scenario: no interval"}),
        (
            [r for s in "pq" for r in leaks([60], [0], scenario=s)],
            {"the same in every scenario: no interval"},
        ),
    ],
)
def test_bad_input_is_a_note_and_never_nan(rows: list[Row], notes: set[str]) -> None:
    found = list(incidence(frame(rows), DRAWS))
    assert {r["note"] for r in found} == notes
    for r in found:
        assert all(math.isfinite(x) for x in r.values() if isinstance(x, float))
        assert (r["value"] is None) == (r["note"] == "all times missing")
