"""Survival curves from rows whose answer is known."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dyad.tables.draws import Draws
from dyad.tables.samples import sample, seats_in_role
from dyad.tables.times import survival
from tests.tables.made import Row, frame, row
from tests.tables.timed import seat, seats

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]
DRAWS = Draws(200, 100)
A = GOLDEN["km"]["A"]
CURVE_A = [(min(t, 44.8) if t < 60 else t, bool(seen)) for t, seen in zip(A["t"], A["e"], strict=True)]
SHORT = {"end": 60, "window": 4.8}  # the worked runs, their seconds taken as ticks


def times(values: Iterable[tuple[float | None, bool]], **about: Any) -> list[Row]:
    return [row("entry", at, observed=seen, **about) for at, seen in values]


def found(rows: Iterable[Row], draws: Draws = DRAWS, **where: Any) -> list[Row]:
    """Rows over all partners that are as asked."""
    where = {"partner": "", "measure": "entry"} | where
    return [r for r in survival(frame(rows), draws) if all(r[name] == value for name, value in where.items())]


def curve(rows: Iterable[Row], term: str, measure: str = "deviation") -> dict[int, float]:
    """Survival by tick, where it falls."""
    points = {round(r["at"] / 0.08): r["value"] for r in found(rows, term=term, measure=measure)}
    before = [1.0, *points.values()]
    return {t: s for (t, s), last in zip(points.items(), before, strict=False) if s < last}


def exact(vector: dict[str, str]) -> Any:
    return pytest.approx({int(t): float(Fraction(s)) for t, s in vector.items()})


def test_curves_agree_with_lifelines_and_have_the_exact_median() -> None:
    from lifelines import KaplanMeierFitter

    rows = times([*CURVE_A, (None, True)])
    (median,) = found(rows, term="median")
    assert (median["value"], median["hits"], median["n"], median["missing"]) == (20.0, 7.0, 10, 1)
    points = found(rows, term="survival")
    fitted = KaplanMeierFitter().fit([at for at, _ in CURVE_A], [seen for _, seen in CURVE_A])
    expected = fitted.survival_function_["KM_estimate"].drop(0.0)
    assert {r["at"]: r["value"] for r in points} == pytest.approx(expected.to_dict())
    assert {r["at"]: r["n"] for r in points} == fitted.event_table["at_risk"].drop(0.0).to_dict()
    bounds = fitted.confidence_interval_.drop(0.0)
    for end, column in zip(("low", "high"), bounds, strict=True):
        assert {r["at"]: r[end] for r in points} == pytest.approx(bounds[column].to_dict())


def test_a_median_that_is_not_reached_is_missing_and_says_so() -> None:
    (median,) = found(times([(5, True), (60, False), (60, False)]), term="median")
    assert (median["value"], median["low"], median["note"]) == (None, None, "n.r.")


def test_curves_are_kept_apart_by_archetype_measure_agent_and_partner() -> None:
    rows = [*seats(agents="XY"), *(r | {"archetype": "t1_2", "task": "t1"} for r in seats(1, agents="X"))]
    medians = [r for r in survival(frame(rows)) if r["term"] == "median"]
    who = {("t1_1", a, p) for a in "XY" for p in ("", *"XY")} | {("t1_2", "X", p) for p in ("", "X")}
    assert {(r["archetype"], r["agent"], r["partner"]) for r in medians if r["measure"] == "entry"} == who
    assert {(r["archetype"], r["agent"], r["partner"]) for r in medians if r["measure"] == "deviation"} == who
    for agent in "XY":
        own = [r for r in medians if (r["archetype"], r["measure"], r["agent"]) == ("t1_1", "entry", agent)]
        assert own[0]["n"] == sum(r["n"] for r in own[1:]) == 24


@pytest.mark.parametrize(("mode", "rule"), [("paper", "paper"), ("strict", "gap_time")])
def test_deviation_is_as_the_mode_says(mode: str, rule: str) -> None:
    runs = GOLDEN["deviation"]["runs"]
    rows = [r for k, run in enumerate(runs) for r in seat(*run, mode, run_id=f"r{k}", **SHORT)]
    vector = GOLDEN["deviation"][rule]
    assert curve(rows, "survival") == exact(dict(zip(vector["t"], vector["S"], strict=True)))
    (median,) = found(rows, term="median", measure="deviation")
    assert median["value"] == pytest.approx(vector["median"] * 0.08)


def truncated_runs(mode: str, copies: int) -> list[Row]:
    v = GOLDEN["left_truncation"]
    runs = list(zip(v["entry"], v["exit"], v["event"], strict=True)) * copies
    return [
        r
        for k, (entry, exit_, event) in enumerate(runs)
        for r in seat(entry, exit_ if event else None, mode, run_id=f"r{k}", **SHORT)
    ]


@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_left_truncation_starts_when_five_are_at_risk(mode: str) -> None:
    rows = truncated_runs(mode, 2)
    assert curve(rows, "truncated survival") == exact(GOLDEN["left_truncation"]["S"])
    (median,) = found(rows, term="truncated median", measure="deviation")
    assert (median["at"], median["value"], median["n"]) == (0.8, 4.0, 10)  # the third pair enters at tick 10


def test_with_too_few_at_risk_there_is_gap_time_instead() -> None:
    (median,) = found(truncated_runs("paper", 1), term="truncated median", measure="deviation")
    assert (median["value"], median["note"]) == (None, "never 5 at risk at once")
    assert curve(truncated_runs("paper", 1), "gap survival") == exact(GOLDEN["left_truncation"]["gap_time"])
    assert not found(truncated_runs("strict", 1), term="gap median", measure="deviation")  # is the rule there
    assert curve(truncated_runs("strict", 1), "survival") == exact(GOLDEN["left_truncation"]["gap_time"])


@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_seats_are_put_together_again_from_their_rows(mode: str) -> None:
    told = [(2, None, 60), (4, 30, 60), (12, None, 40), (None, None, 60), (0, 1, 60)]
    rows = [
        r
        for k, (on, off, end) in enumerate(told)
        for r in seat(on, off, mode, end, run_id=f"r{k}", window=4.8)
    ]
    joined = seats_in_role(frame(rows))
    assert joined["entry"].tolist() == pytest.approx([2, 4, 12, np.nan, 0], nan_ok=True)
    assert joined["deviation"].tolist() == pytest.approx([np.nan, 30, np.nan, np.nan, 1], nan_ok=True)
    assert joined["end"].tolist() == [60, 60, 40, 60, 60]


def test_the_interval_of_a_median_is_that_of_the_medians_of_resampled_scenarios() -> None:
    rows = seats(scenarios=3, runs=5)
    (median,) = found(rows, Draws(27, 0), agent="X", term="median")  # all 27 resamples
    own = [r for r in rows if r["measure"] == "entry" and r["agent"] == "X"]
    by_hand = []
    for picks in np.ndindex(3, 3, 3):
        drawn = [r for pick in picks for r in own if r["scenario"] == f"s{pick}"]
        reached = sample(frame(drawn)).curve()
        assert reached is not None
        by_hand.append(math.inf if reached.median is None else round(reached.median * 0.08, 2))
    low, high = sorted(by_hand)[0], sorted(by_hand)[26]
    assert (median["low"], median["high"], median["interval"]) == (low, high, "bootstrap")


def test_an_upper_end_that_is_not_reached_says_so() -> None:
    rows = [r | {"scenario": f"s{s}"} for s in (0, 1) for r in times([(8.0, True)] * 3)]
    rows += [r | {"scenario": f"s{s}"} for s in (2, 3) for r in times([(60.0, False)] * 3)]
    (median,) = found(rows, term="median")  # survival is one half, and more in many resamples
    assert (median["value"], median["low"], median["high"]) == (8.0, 8.0, None)
    assert median["note"] == "upper end not reached"


def test_responses_have_no_curve_since_the_partner_goes_on_for_want_of_one() -> None:
    waits = [(0.8, True), (0.8, True), (1.6, False)]
    rows = [row("response_time", at, observed=seen, archetype="t2", mode="strict") for at, seen in waits]
    assert not list(survival(frame(rows)))


ONE, LOST = "one scenario: no interval", "all times missing"
NOTHING = {
    "nobody enters": (
        [r for k in range(6) for r in seat(None, None, run_id=f"r{k}")],
        "n.r.",
        "nobody at risk",
    ),
    "all censored": ([r for k in range(6) for r in seat(9, None, run_id=f"r{k}")], ONE, "n.r."),
    "no label": ([row("entry", None, 0.0), row("deviation", None, 0.0)], LOST, LOST),
    "one run": (list(seat(9, 20)), ONE, ONE),
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_cannot_be_had_is_none_and_says_why(name: str) -> None:
    rows, entry, deviation = NOTHING[name]
    made = list(survival(frame(rows), DRAWS))
    notes = {r["measure"]: r["note"] for r in made if r["term"] == "median" and not r["partner"]}
    assert notes == {"entry": entry, "deviation": deviation}
    for r in made:
        assert all(math.isfinite(x) for x in r.values() if isinstance(x, float))
    assert all(r["note"] for r in made if r["term"].endswith("median") and r["value"] is None)


def test_no_rows_no_curves() -> None:
    assert list(survival(frame([]), DRAWS)) == []
