"""What each agent scores over all partners."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dyad.tables.draws import Draws
from dyad.tables.profile import profile
from tests.tables.made import design, frame, row


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
