"""What each agent scores over all partners."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dyad.tables.draws import Draws
from dyad.tables.profile import profile
from tests.tables.made import design, frame, occupancy, row


def cells(values: dict[str, float], scenarios: int = 3) -> list[dict[str, object]]:
    return [
        row("adherence", value * 10, 10.0, agent=pair[0], partner=pair[1], scenario=f"s{s}")
        for (pair, value), s in product(values.items(), range(scenarios))
    ]


def test_every_partner_counts_the_same() -> None:
    unequal = [*cells({"XX": 0.2, "XY": 0.4, "YX": 0.6, "YY": 1.0}), *cells({"XY": 0.4})]
    found = {r["agent"]: r for r in profile(frame(unequal))}
    assert found["X"]["value"] == pytest.approx(0.3)  # not .333, of two cells with X once and Y twice
    assert found["Y"]["value"] == pytest.approx(0.8)
    assert (found["X"]["scenarios"], found["X"]["n"]) == (3, 90.0)
    assert found["X"]["low"] is None  # no draws


def test_agents_are_compared_on_the_partners_that_all_had() -> None:
    found = {r["agent"]: r for r in profile(frame(cells({"XX": 0.2, "XY": 0.4, "YY": 1.0})))}
    assert (found["X"]["value"], found["Y"]["value"]) == (pytest.approx(0.4), pytest.approx(1.0))
    assert found["X"]["note"] == "1 partner(s) left out: some agent has no score with them"


def test_without_a_partner_in_common_there_is_no_number() -> None:
    found = list(profile(frame(cells({"XY": 0.4, "YX": 0.6}))))
    assert [(r["value"], r["note"]) for r in found] == [(None, "no partner in common")] * 2


def test_the_interval_is_of_scenarios() -> None:
    made = design(np.random.default_rng(3), archetypes=("t1_1",), scenarios=6)
    (one, *_) = profile(made, Draws(400, 0))
    assert one["low"] < one["value"] < one["high"]
    assert one["interval"] == "bootstrap"
    again = list(profile(made, Draws(400, 0)))
    assert again[0] == one
    (alone, *_) = profile(frame(cells({"XX": 0.5}, scenarios=1)), Draws(400, 0))
    assert (alone["low"], alone["note"]) == (None, "one scenario: no interval")


def floor(shares: dict[str, float]) -> list[dict[str, object]]:
    """Two scenarios; the first of a pair has so much of the floor, the second the rest."""
    runs = ((pair, 100 * a, s) for (pair, a), s in product(shares.items(), ("s0", "s1")))
    return [r for pair, a, s in runs for r in occupancy(a, 100 - a, pair, s)]


def test_the_floor_that_an_agent_shares_with_itself_does_not_count() -> None:
    met = floor({"XX": 0.7, "YY": 0.4, "ZZ": 0.5, "XY": 0.8, "XZ": 0.6, "YZ": 0.3})
    found = {r["agent"]: r for r in profile(frame(met))}
    assert {a: r["value"] for a, r in found.items()} == pytest.approx({"X": 0.7, "Y": 0.25, "Z": 0.55})
    assert {(r["n"], r["note"]) for r in found.values()} == {(400.0, "")}
    without = {r["agent"]: r["value"] for r in profile(frame(floor({"XY": 0.8, "XZ": 0.6, "YZ": 0.3})))}
    assert without == {agent: r["value"] for agent, r in found.items()}  # self-play was not needed


def test_without_a_round_robin_all_are_compared_on_the_same_partner() -> None:
    found = {r["agent"]: r for r in profile(frame(floor({"XZ": 0.6, "YZ": 0.3, "ZZ": 0.7})))}
    assert {a: r["value"] for a, r in found.items()} == pytest.approx({"X": 0.6, "Y": 0.3, "Z": 0.5})
    assert found["X"]["note"] == "2 partner(s) left out: some agent has no score with them"
