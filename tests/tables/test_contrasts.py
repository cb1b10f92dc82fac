"""Contrasts of agents with the same partners."""

from __future__ import annotations

import numpy as np
import pytest

from dyad.tables.contrasts import contrasts
from dyad.tables.draws import Draws
from dyad.tables.rows import Row
from dyad.tables.scores import TURN_TAKING
from tests.tables.leaks import D0, leaks
from tests.tables.made import design, frame, occupancy, pair, row

DRAWS = Draws(0, 10_000)


def of(rows: list[Row], term: str, partner: str = "") -> Row:
    (found,) = [r for r in rows if (r["term"], r["partner"]) == (term, partner)]
    return found


def test_every_pair_of_agents_with_every_partner() -> None:
    rows = list(contrasts(leaks(D0), DRAWS))
    assert len(rows) == 3 * (1 + 3)
    assert {(r["agent"], r["term"]) for r in rows} == {("M", "M − P"), ("M", "M − R"), ("P", "P − R")}
    assert {(r["archetype"], r["measure"], r["scenarios"]) for r in rows} == {("t4_2", "leak", 20)}


def test_one_partner_and_the_mean_of_all() -> None:
    """Agents and partners exchanged, D0 holds the vector of a paired contrast."""
    rows = list(contrasts(leaks(D0.swapaxes(1, 2)), DRAWS))
    found = of(rows, "P − R", "P")
    assert found["value"] == pytest.approx(-0.216667, abs=1e-6)
    assert found["mde"] == pytest.approx(2.953588 * 0.048516, abs=2e-6)
    assert found["p"] == pytest.approx(0.001, abs=1e-3)
    each = [of(rows, "P − R", partner)["value"] for partner in "PMR"]
    assert of(rows, "P − R")["value"] == pytest.approx(np.mean(each))
    assert of(rows, "P − R")["mde"] < found["mde"]


def test_exchanging_two_agents_flips_the_sign() -> None:
    named = {name: [*contrasts(leaks(D0, tuple(name)), DRAWS)] for name in ("PMR", "PRM")}
    one, other = (of(rows, "M − R") for rows in named.values())
    assert other["value"] == pytest.approx(-one["value"])
    assert (other["low"], other["high"]) == pytest.approx((-one["high"], -one["low"]))
    assert other["mde"] == pytest.approx(one["mde"])


def test_a_partner_that_only_one_has_met_is_none_in_common() -> None:
    met = leaks(D0)
    rows = list(contrasts(met[~((met["agent"] == "P") & (met["partner"] == "R"))], DRAWS))
    assert {r["partner"] for r in rows if r["term"] == "P − R"} == {"", "P", "M"}
    assert {r["partner"] for r in rows if r["term"] == "M − R"} == {"", "P", "M", "R"}
    crossed = met[met["agent"] != met["partner"]]
    (mean,) = [r for r in contrasts(crossed) if r["term"] == "P − R"]  # of M alone: it has no row of its own
    assert mean["partner"] == ""
    assert not list(contrasts(met[met["agent"] == "P"]))


def test_a_scenario_counts_with_the_partners_that_it_has() -> None:
    met = leaks(D0)
    lost = (met["scenario"] == "s00") & (met["agent"] == "P") & (met["partner"] == "P")
    rows, whole = ([*contrasts(part)] for part in (met[~lost], met))
    assert of(rows, "P − R", "P")["scenarios"] == 19
    assert of(rows, "P − R", "P")["missing"] == 1
    assert (of(rows, "P − R")["scenarios"], of(whole, "P − R")["scenarios"]) == (20, 20)
    assert of(rows, "P − R", "M") == of(whole, "P − R", "M")


def test_scores_of_the_pair_and_turn_taking() -> None:
    met = [(f"s{s}", who, float(s % 3 == 0 or "X" in who)) for s in range(4) for who in ("XX", "XY", "YY")]
    solved = frame(pair(value, who, scenario) for scenario, who, value in met)
    (mean,) = [r for r in contrasts(solved) if r["partner"] == "Y"]
    assert (mean["measure"], mean["term"], mean["value"]) == ("solved", "X − Y", 0.5)
    rows = list(contrasts(design(np.random.default_rng(1)), DRAWS))
    assert {r["measure"] for r in rows if not r["archetype"]} == set(TURN_TAKING) - {"occupancy"}
    assert {r["unit"] for r in rows if r["measure"] == "backchannels"} == {"per_min"}


def test_occupancy_of_competitors_is_paired_with_half() -> None:
    met = [(f"s{s}", 4.0 - s, who) for s in range(3) for who in ("XX", "XY", "YY")]
    rows = frame(r for scenario, b, who in met for r in occupancy(6.0, b, who, scenario))
    found = of([r for r in contrasts(rows) if r["archetype"] == "t3_1"], "X − Y", "Y")
    assert found["value"] == pytest.approx(np.mean([6 / (10 - s) - 0.5 for s in range(3)]))


def test_one_scenario_and_missing_values() -> None:
    single = [r for r in contrasts(leaks(D0[:1]), DRAWS) if not r["partner"]]
    assert {r["note"] for r in single} == {"one scenario: no interval"}
    lost = [row("leak", None, archetype="t4_2", agent=agent) for agent in "XY"]
    assert not list(contrasts(frame(lost)))
    assert not list(contrasts(frame([])))
