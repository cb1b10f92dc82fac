"""Rows of made-up runs, for tests of tables."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dyad.measure.catalogue import MEASURES
from dyad.measure.rows import COLUMNS
from dyad.spec.scenario import task_of

Row = dict[str, Any]


def row(measure: str, value: float | None, n: float = 1.0, **about: Any) -> Row:
    base = {
        "run_id": "r", "study": "s", "suite": "dyad", "archetype": "t1_1", "scenario": "s0",
        "pairing": "p", "agent": "X", "partner": "Y", "seat": "a", "role": "a", "kind": "k", "opener": "a",
        "repetition": 0, "seed": 0, "window": 60.0, "judge": "", "mode": "paper", "measure": measure,
        "value": value, "n": n, "unit": MEASURES[measure].unit, "better": 0, "observed": True,
    }  # fmt: skip
    made = base | about
    return made | {"task": task_of(made["archetype"])}


def frame(rows: Iterable[Row]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS)).astype({"value": float})


def by_scenario(measure: str, sums: Iterable[tuple[float | None, float]]) -> pd.DataFrame:
    return frame(row(measure, value, n, scenario=f"s{i}") for i, (value, n) in enumerate(sums))


def pair(value: float | None, agents: str, scenario: str = "s0") -> Row:
    about = {"archetype": "t2", "seat": "", "role": "", "scenario": scenario}
    return row("solved", value, 0.0 if value is None else 1.0, agent=agents[0], partner=agents[1], **about)


def occupancy(a: float, b: float, agents: str, scenario: str = "s0") -> list[Row]:
    x, y = agents
    about = {"archetype": "t3_1", "scenario": scenario}
    return [
        row("occupancy", a, a + b, agent=x, partner=y, **about),
        row("occupancy", b, a + b, agent=y, partner=x, seat="b", role="b", **about),
    ]


def design(
    rng: np.random.Generator,
    archetypes: tuple[str, ...] = ("t1_1", "t3_1", "t3_2"),
    agents: str = "XYZ",
    scenarios: int = 3,
) -> pd.DataFrame:
    """Random counts of turn-taking and T1-1 scores in a full design."""
    rows = []
    for archetype, agent, partner, s in product(archetypes, agents, agents, range(scenarios)):
        about = {"archetype": archetype, "agent": agent, "partner": partner, "scenario": f"{archetype}_{s}"}
        for measure in ("tor_pause", "tor_end", "barge_in"):
            n = int(rng.integers(4, 20))
            rows.append(row(measure, float(rng.integers(0, n + 1)), n, **about))
        rows.append(row("backchannels", float(rng.poisson(3)), 1.0, **about))
        if archetype == "t1_1":
            rows.append(row("adherence", float(rng.integers(0, 2)), 1.0, **about))
    return frame(rows)
