"""Entry and deviation times, through to the survival curve."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dyad.measure.timing import InRole, Rule, Times, deviation_times, entry_times
from dyad.stats import kaplan_meier

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
WINDOW_S = 60
SEATS = [InRole(entry, deviation, WINDOW_S) for entry, deviation in GOLDEN["deviation"]["runs"]]


def check(found: Times, survival: dict[float, str], median: Any = ...) -> None:
    """Compare a curve with exact fractions at some times."""
    curve = kaplan_meier(found.times, found.events, found.entries)
    assert curve is not None
    assert {t: curve.at(t) for t in survival} == {t: Fraction(share) for t, share in survival.items()}
    assert median is ... or curve.median == median


def test_entry_is_censored_at_the_end() -> None:
    found = entry_times(SEATS)
    assert found.times.tolist() == [4, 6, 10, 60, 2]
    assert found.events.tolist() == [True, True, True, False, True]
    assert found.entries is None


@pytest.mark.parametrize("name", ["C", "D"])
def test_median_time_to_entry(name: str) -> None:
    """Half of the seats have entered, or never did (n.r.)."""
    example = GOLDEN["km"][name]
    seats = [
        InRole(t if e else None, None, WINDOW_S) for t, e in zip(example["t"], example["e"], strict=True)
    ]
    events = [t for t, e in zip(example["t"], example["e"], strict=True) if e]
    check(entry_times(seats), dict(zip(events, example["S"], strict=True)), example["median"])


@pytest.mark.parametrize(("rule", "name"), [("paper", "paper"), ("gap", "gap_time")])
def test_deviation(rule: Rule, name: str) -> None:
    printed = GOLDEN["deviation"][name]
    found = deviation_times(SEATS, rule)
    assert len(found.times) == 4  # the seat that never entered is not at risk
    check(found, dict(zip(printed["t"], printed["S"], strict=True)), printed["median"])


@pytest.mark.parametrize(
    ("rule", "name"), [("truncated", "S"), ("gap", "gap_time"), ("paper", "ignoring_entry")]
)
def test_three_rules_for_the_same_runs(rule: Rule, name: str) -> None:
    example = GOLDEN["left_truncation"]
    columns = (example[key] for key in ("entry", "exit", "event"))
    seats = [
        InRole(entry, exit_ if event else None, WINDOW_S)
        for entry, exit_, event in zip(*columns, strict=True)
    ]
    check(deviation_times(seats, rule), {float(t): share for t, share in example[name].items()})


@pytest.mark.parametrize("deviation", [3, 4])
def test_a_deviation_not_after_its_entry_is_none(deviation: int) -> None:
    found = deviation_times([InRole(4, deviation, 60)], "gap")
    assert (found.times.tolist(), found.events.tolist()) == ([56], [False])


def test_without_any_entry_there_is_nothing_at_risk() -> None:
    found = deviation_times([InRole(None, None, 60)], "paper")
    assert found.times.size == found.events.size == 0
