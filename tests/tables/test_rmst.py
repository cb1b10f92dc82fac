"""Restricted means, their differences and log-rank tests, from rows whose answer is known."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dyad.stats import kaplan_meier, logrank, rmst
from dyad.stats.pseudo import clustered_contrast
from dyad.tables.draws import NONE, Draws
from dyad.tables.rmst import differences, logranks, restricted
from tests.tables.made import Row, frame, row
from tests.tables.timed import seat, seats

DRAWS = Draws(200, 100)


def rows_of(frame_: pd.DataFrame, measure: str, *agents: str) -> pd.DataFrame:
    return frame_[(frame_["measure"] == measure) & frame_["agent"].isin(agents)]


def one(rows: Any, **where: Any) -> Row:
    (found,) = [r for r in rows if all(r[name] == value for name, value in where.items())]
    return found


@pytest.mark.parametrize(
    ("mode", "measure", "tau"),
    [
        ("paper", "entry", 60.0),
        ("paper", "deviation", 60.0),
        ("strict", "entry", 60.0),
        ("strict", "deviation", 30.0),
    ],
)
def test_means_are_those_of_the_curve_up_to_the_window_or_half_of_it(
    mode: str, measure: str, tau: float
) -> None:
    own = frame(seats(mode=mode, runs=8))
    found = one(restricted(own, DRAWS), measure=measure, agent="X", partner="")
    of_x = rows_of(own, measure, "X")
    expected = rmst(kaplan_meier(of_x["value"], of_x["observed"]), tau)
    assert expected is not None
    assert (found["at"], found["n"], found["scenarios"]) == (tau, len(of_x), 4)
    assert found["value"] == pytest.approx(expected.value)
    assert found["low"] < found["value"] < found["high"]


def test_the_interval_is_over_scenarios_and_not_over_seats() -> None:
    """Scenarios that are alike inside and differ between have the SD of their means, however many seats."""
    rows = [
        r for s, k in product(range(8), range(50))
        for r in seat(100 + 50 * s, None, scenario=f"s{s}", run_id=f"{s}/{k}")
    ]  # fmt: skip
    found = one(restricted(frame(rows), Draws(4000, 0)), measure="entry", partner="")
    assert found["sd"] == pytest.approx(np.std([8 + 4 * s for s in range(8)]) / math.sqrt(8), rel=0.05)


def test_a_difference_is_paired_by_scenario() -> None:
    """Scenarios that move both agents alike move the means, and not their difference."""
    rows = [
        r for s, agent, k in product(range(9), "XY", range(4))
        for r in seat(60 * s + 10 + 25 * (agent == "Y") + k + (s % 2), None, agent=agent, partner="Z",
                      scenario=f"s{s}", run_id=f"{s}{agent}{k}")
    ]  # fmt: skip
    own = frame(rows)
    found = one(differences(own, Draws(500, 1000)), measure="entry")
    assert (found["agent"], found["term"], found["partner"]) == ("X", "X − Y", "")
    assert found["value"] == pytest.approx(-25 * 0.08)
    assert found["note"] == "the same in every resample: no interval"
    assert found["p"] == 2 / 2**9
    means = [one(restricted(own, Draws(500, 0)), measure="entry", agent=a, partner="")["sd"] for a in "XY"]
    assert min(means) > 1


def test_the_smallest_difference_is_that_of_the_clustered_standard_error() -> None:
    own = frame(seats(scenarios=12, runs=6, agents="XY"))
    found = one(differences(own, Draws(4000, 0)), measure="entry")
    both = rows_of(own, "entry", "X", "Y")
    by_gee = clustered_contrast(both["value"], both["agent"] == "X", both["scenario"])
    assert by_gee is not None
    assert found["value"] == pytest.approx(by_gee.value)
    assert found["mde"] == pytest.approx(2.801585 * by_gee.se, rel=0.1)


def test_agents_are_compared_over_the_partners_that_both_had() -> None:
    entries = {("X", "X"): 100, ("X", "Y"): 700, ("Y", "X"): 50}
    rows = [
        r
        for s, ((agent, partner), entry) in product("pq", entries.items())
        for r in seat(entry, None, agent=agent, partner=partner, scenario=s, run_id=s + agent + partner)
    ]
    assert one(differences(frame(rows)), measure="entry")["value"] == pytest.approx(50 * 0.08)
    assert one(logranks(frame(rows)), measure="entry")["n"] == 4


def test_logrank_is_stratified_by_scenario_over_all_agents_and_pairs() -> None:
    own = frame(seats(agents="XYZ"))
    found = list(logranks(own))
    terms = {"agents": "XYZ", "X − Y": "XY", "X − Z": "XZ", "Y − Z": "YZ"}
    assert {(r["measure"], r["term"]) for r in found} == set(product(("entry", "deviation"), terms))
    for term, agents in terms.items():
        entry = rows_of(own, "entry", *agents)
        expected = logrank(
            entry["value"], entry["observed"], entry["agent"].tolist(), entry["scenario"].tolist()
        )
        assert expected is not None
        told = one(found, measure="entry", term=term)
        assert (told["value"], told["p"]) == pytest.approx((expected.chi2, expected.p))
        assert (told["n"], told["note"]) == (len(entry), f"df {len(agents) - 1}")


def test_two_agents_have_one_test() -> None:
    assert [r["term"] for r in logranks(frame(seats())) if r["measure"] == "entry"] == ["agents"]


def test_without_draws_there_are_values_and_nothing_that_is_drawn() -> None:
    found = [*restricted(frame(seats()), NONE), *differences(frame(seats()), NONE)]
    assert {(r["low"], r["sd"], r["p"], r["mde"], r["note"]) for r in found} == {(None, None, None, None, "")}
    assert all(r["value"] is not None for r in found)


def one_seat_each(entry: int | None, shared: bool = True, end: int = 750) -> list[Row]:
    """A seat of two agents in two scenarios, the same for both or not."""
    return [
        r
        for agent, s in product("XY", "pq")
        for r in seat(
            entry,
            None,
            end=end,
            agent=agent,
            partner="Z",
            scenario=s if shared else agent + s,
            run_id=agent + s,
        )
    ]


ALIKE = "the same in every resample: no interval"
BAD: dict[str, tuple[list[Row], set[str]]] = {
    "no row": ([], set()),
    "one agent": (seats(agents="X"), {""}),
    "one scenario": (seats(scenarios=1), {"one scenario: no interval"}),
    "no label": ([row("entry", None, 0.0, agent=agent) for agent in "XY"], {"all times missing"}),
    "nobody enters": (one_seat_each(None), {ALIKE}),
    "all end early": (one_seat_each(None, end=300), {"nobody is followed so far"}),
    "no scenario in common": (one_seat_each(50, shared=False), {ALIKE, "no partner or scenario in common"}),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_a_note_and_never_nan(name: str) -> None:
    rows, notes = BAD[name]
    own = frame(rows)
    found = [*restricted(own, DRAWS), *differences(own, DRAWS)]
    assert {r["note"] for r in found} == notes
    for r in [*found, *logranks(own)]:
        assert all(math.isfinite(x) for x in r.values() if isinstance(x, float))
        assert r["value"] is not None or r["note"]
