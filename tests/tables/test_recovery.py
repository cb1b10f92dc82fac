"""What goes in comes out: known effects, through rows and all tables, and tests that keep their level.

Seeds are fixed; more and larger simulations are in bench/coverage.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dyad.spec import Archetype
from dyad.stats import component_test, model_test, partner_test, two_way_parts
from dyad.tables import Draws, summary
from dyad.tables.controls import controls
from dyad.tables.diallel import diallels
from dyad.tables.synthetic import CUT, EFFECTS, Effects, Truth, scenario_means, study

pytestmark = pytest.mark.xdist_group("recovery")  # what is set up once is set up by one worker

ARCHETYPES: tuple[Archetype, ...] = ("t1_2", "t2", "t3_1", "t4_2")
OPENER, ROLE = 0.06, 0.04
WITH_ALL = {
    name: replace(e, opener=OPENER, role=ROLE, cycle=0.03, premium=0.05) for name, e in EFFECTS.items()
}
# How far the farthest value of a table may lie from its truth: about four standard errors of 30 scenarios.
FAR = {
    "matrix": 0.16, "turns": 0.3, "contrast": 0.2, "effects": 0.08, "factor": 0.08, "hurdle": 0.25,
    "eta_corrected": 0.4, "diallel_corrected": 0.4, "game": 0.1, "km": 6.0, "rmst": 4.0, "in_role": 0.12,
    "incidence": 0.15,
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    """Rows of all tables whose truth is known, with `true`."""
    rows = summary(study(scenarios=30, archetypes=ARCHETYPES, effects=WITH_ALL, seed=5), Draws(250, 0))
    known = Truth(WITH_ALL)
    kept = [row | {"true": known.value(row)} for row in rows if row["value"] is not None]
    return pd.DataFrame([row for row in kept if row["true"] is not None])


@pytest.mark.parametrize("table", FAR)
def test_every_table_recovers_the_truth(found: pd.DataFrame, table: str) -> None:
    own = found[found["table"] == table]
    assert len(own)
    errors = own["value"].astype(float) - own["true"].astype(float)
    assert errors.abs().max() < FAR[table]
    assert abs(errors.mean()) < FAR[table] / 3


def test_intervals_hold_the_truth(found: pd.DataFrame) -> None:
    own = found[found["low"].notna() & ~found["table"].isin(("incidence", "in_role"))]  # these are curves
    low, high, true = (own[name].astype(float) for name in ("low", "high", "true"))
    assert len(own) > 200
    assert ((low - 1e-9 <= true) & (true <= high + 1e-9)).mean() > 0.9


def test_factors_are_seen_where_they_are(found: pd.DataFrame) -> None:
    factors = found[found["table"] == "factor"].set_index(["archetype", "term"])
    assert set(factors.loc[["t1_2", "t4_2"]].index.get_level_values("term")) == {"opener"}
    assert (factors["low"] > 0).mean() > 0.8


def test_interaction_shares_are_those_of_what_was_put_in() -> None:
    cyclic = {"t3_1": Effects(edge=(0.0,), cycle=0.15, icc=0.05)}
    rows = diallels(study(scenarios=40, archetypes=("t3_1",), effects=cyclic, seed=2))
    shares = {row["term"]: row["value"] for row in rows if row["table"] == "diallel"}
    assert shares["cycle"] > 0.95


def test_cut_channel_shows_what_hearing_is_worth() -> None:
    deaf = {"t4_2": Effects(base=0.45, heard=0.25)}
    both = ((60.0, "clean"), (60.0, CUT))
    frame = study(scenarios=40, archetypes=("t4_2",), effects=deaf, conditions=both, seed=3)
    gains = [row for row in controls(frame) if row["term"] == "sham gain" and row["measure"] == "leak"]
    of_agents = [row["value"] for row in gains if row["agent"] and not row["partner"]]
    assert len(of_agents) == 3
    assert of_agents == pytest.approx([0.25] * 3, abs=0.08)


def rejected(tests: list[Any]) -> float:
    return float(np.mean([test.p <= 0.05 for test in tests]))


def means(effects: Effects, studies: int = 300) -> Any:
    return scenario_means("t4_2", effects, 6, (studies, 20), np.random.default_rng(4))


@pytest.mark.parametrize("icc", [0.0, 0.2])
def test_interaction_test_keeps_its_level_without_interaction(icc: float) -> None:
    rng = np.random.default_rng(0)
    tables = means(Effects(icc=icc))
    assert (
        0.01 < rejected([component_test(x, two_way_parts, "interaction", rng, 199) for x in tables]) <= 0.06
    )


def test_interaction_test_sees_an_interaction() -> None:
    rng = np.random.default_rng(0)
    tables = means(Effects(cycle=0.1), 50)
    assert rejected([component_test(x, two_way_parts, "interaction", rng, 199) for x in tables]) > 0.9


@pytest.mark.parametrize("test", [model_test, partner_test])
def test_label_tests_keep_their_level_where_all_models_are_equal(test: Any) -> None:
    rng = np.random.default_rng(0)
    tables = means(Effects(lift=(0.0,), edge=(0.0,)), 200)
    assert 0.005 < rejected([test(x, rng, 199) for x in tables]) <= 0.085
