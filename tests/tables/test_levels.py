"""How often the tests of η² reject where nothing is to be found, and where something is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dyad.stats.values import Floats
from dyad.tables.cells import Cells
from dyad.tables.designs import Design
from dyad.tables.draws import Draws
from dyad.tables.synthetic import Effects, scenario_means
from dyad.tables.variance import shares

STUDIES, SCENARIOS, RUNS, AGENTS = 400, 20, 12, 3
TERMS = ("model", "partner", "interaction")


def rejected(tables: Floats, archetype: str, measure: str) -> dict[str, float]:
    """The share of studies, given as scenario means [N, S, M, P], in which each test rejects at 5 %."""
    names, agents = tuple(f"s{k}" for k in range(SCENARIOS)), tuple("XYZ")
    hits = dict.fromkeys(TERMS, 0)
    for seed, x in enumerate(tables):
        cells = Cells(x, np.ones_like(x), agents, agents, names, (archetype,) * SCENARIOS)
        design = Design(cells, cells.archetypes, {"archetype": archetype, "measure": measure})
        for row in shares(design, Draws(0, 199, seed)):
            if row["p"] is not None:
                hits[row["term"]] += row["p"] <= 0.05
    return {term: count / len(tables) for term, count in hits.items()}


def seats(rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(AGENTS) for j in range(i, AGENTS))


def won(decided: float, rng: np.random.Generator) -> Floats:
    """Scores of T4-1 with equal agents: of a run that is decided one seat wins, of the others none."""
    x = np.empty((STUDIES, SCENARIOS, AGENTS, AGENTS))
    for i, j in seats(rng):
        runs = rng.binomial(RUNS, decided, x.shape[:2])
        first = rng.binomial(runs, 0.5) if i != j else runs / 2
        x[..., i, j], x[..., j, i] = first / RUNS, (runs - first) / RUNS
    return x


def correlated(rho: float, rng: np.random.Generator) -> Floats:
    """Means of a measure that both seats of a recording have, correlated by rho; in self-play of both."""
    x = np.empty((STUDIES, SCENARIOS, AGENTS, AGENTS))
    for i, j in seats(rng):
        both = rng.multivariate_normal((0, 0), ((1, rho), (rho, 1)), (*x.shape[:2], RUNS)).mean(axis=-2)
        x[..., i, j], x[..., j, i] = (both[..., 0], both[..., 1]) if i != j else [both.mean(axis=-1)] * 2
    return x


@pytest.mark.parametrize("decided", [0.9, 0.7, 0.5])
def test_at_most_one_seat_of_a_run_wins_and_tests_keep_their_level(decided: float) -> None:
    found = rejected(won(decided, np.random.default_rng(1)), "t4_1", "won")
    assert max(found.values()) <= 0.07, found


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.5])
def test_seats_of_one_recording_are_correlated_and_tests_keep_their_level(rho: float) -> None:
    found = rejected(correlated(rho, np.random.default_rng(2)), "archetype", "tor_end")
    assert max(found.values()) <= 0.07, found


def test_a_cycle_is_seen() -> None:
    cyclic = scenario_means("t4_2", Effects(cycle=0.08), 6, (100, SCENARIOS), np.random.default_rng(3))
    assert rejected(cyclic, "t1_1", "adherence")["interaction"] >= 0.8
