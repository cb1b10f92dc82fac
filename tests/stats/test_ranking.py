"""Bradley–Terry, lifts of deciding and α-rank: published pools, other libraries, and bad input."""

from __future__ import annotations

import json
import math
from itertools import permutations
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.stats import ELO, additive_logit, alpha_rank, bradley_terry

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))
VECTORS, MATRICES = GOLDEN["vectors"], GOLDEN["published"]
ROCK_PAPER_SCISSORS = np.array(VECTORS["nash_averaging"]["rps"]["x"])

wins = st.builds(
    lambda n, seed: np.random.default_rng(seed).integers(1, 30, (n, n)).astype(float),
    st.integers(2, 6),
    st.integers(0, 10**6),
)


def test_two_models() -> None:
    two = VECTORS["bradley_terry"]["two"]
    assert bradley_terry(np.array(two["w"], float)) == pytest.approx(two["log"], abs=1e-6)


@pytest.mark.parametrize("size", [3, 4])
def test_published_pools(size: int) -> None:
    expected = VECTORS["bradley_terry"]
    strengths = bradley_terry(240 * np.array(MATRICES[f"matrices{size}"]["T4-1"]))
    assert strengths == pytest.approx(expected[f"T4-1_{size}x{size}"], abs=1e-6)
    if size == 4:
        assert strengths * ELO == pytest.approx(expected["elo_4x4"], abs=0.05)


@given(wins)
@settings(max_examples=40)
def test_strengths_are_those_of_choix(w: Any) -> None:
    n = len(w)
    strengths = bradley_terry(w)
    np.fill_diagonal(w, 0)
    pairs = [(i, j) for i, j in permutations(range(n), 2) for _ in range(int(w[i, j]))]
    assert strengths == pytest.approx(choix.opt_pairwise(n, pairs), abs=1e-4)
    odds = np.subtract.outer(strengths, strengths)
    expected = ((w + w.T) / (1 + np.exp(-odds))).sum(axis=1)
    assert expected == pytest.approx(w.sum(axis=1), abs=1e-6)  # the likelihood is at its top
    assert strengths.sum() == pytest.approx(0, abs=1e-9)


@given(wins, st.floats(0.1, 10))
def test_strengths_follow_the_shares_of_wins(w: Any, times: float) -> None:
    strengths = bradley_terry(np.stack([w, times * w, w.T]))
    assert strengths[1] == pytest.approx(strengths[0], abs=1e-8)
    assert strengths[2] == pytest.approx(-strengths[0], abs=1e-8)


@pytest.mark.parametrize(
    "w",
    [
        [[0, 5, 5], [3, 0, 4], [0, 0, 0]],  # never wins
        [[0, 5, 5], [0, 0, 4], [0, 2, 0]],  # never loses
        [[0, 5, 0, 0], [3, 0, 0, 0], [0, 0, 0, 2], [0, 0, 4, 0]],  # two pools that never met
        np.zeros((3, 3)),
    ],
)
def test_no_finite_estimate_without_the_named_correction(w: Any) -> None:
    table = np.array(w, float)
    assert np.isnan(bradley_terry(table)).all()
    half = bradley_terry(table, half=True)
    assert np.isfinite(half).all()
    off = 1 - np.eye(len(table))
    assert half == pytest.approx(bradley_terry(table + off / 2))


def test_wins_over_others_connect_models_that_never_met() -> None:
    ring = np.array([[0, 4, 0], [0, 0, 4], [4, 0, 0]], float)
    assert bradley_terry(ring) == pytest.approx([0, 0, 0], abs=1e-9)
    both = bradley_terry(np.stack([ring, np.zeros((3, 3))]))
    assert np.isfinite(both[0]).all()
    assert np.isnan(both[1]).all()
    assert bradley_terry(np.zeros((1, 1))) == pytest.approx([0])


def deciding(lifts: list[float], scenarios: int, runs: int, mean: float = -0.4) -> tuple[Any, Any]:
    """Expected decisions of all pairs, so that the fit must find what they were made from."""
    logit = mean + np.add.outer(lifts, lifts)
    n = np.full((scenarios, len(lifts), len(lifts)), float(runs))
    return n / (1 + np.exp(-logit)), n


def test_lifts_are_found_again() -> None:
    found = additive_logit(*deciding([0.5, -0.3, -0.2], 4, 6))
    assert found is not None
    assert found.mean == pytest.approx(-0.4)
    assert found.lift == pytest.approx([0.5, -0.3, -0.2])
    assert (found.n, found.scenarios) == (216, 4)
    assert found.se == pytest.approx([0, 0, 0], abs=1e-6)  # all scenarios are the same


def test_errors_are_those_of_runs_clustered_by_scenario() -> None:
    rng = np.random.default_rng(5)
    n = rng.integers(1, 7, (12, 3, 3)).astype(float)
    hits = rng.binomial(n.astype(int), rng.beta(2, 2, (12, 1, 1))).astype(float)
    found = additive_logit(hits, n)
    assert found is not None
    assert found.se is not None
    cells = np.argwhere(n > 0)
    runs = [  # the same, one run after the other
        (s, i, j, float(k < hits[s, i, j])) for s, i, j in cells for k in range(int(n[s, i, j]))
    ]
    s, i, j, y = (np.array(column) for column in zip(*runs, strict=True))
    seats = np.eye(3)[i] + np.eye(3)[j]
    design = np.column_stack([np.ones(len(y)), seats[:, :2] - seats[:, 2:]])
    fit = sm.Logit(y, design).fit(disp=0, cov_type="cluster", cov_kwds={"groups": s, "use_correction": False})
    assert found.lift[:2] == pytest.approx(fit.params[1:], abs=1e-6)
    scale = math.sqrt(12 / 11 * (len(cells) - 1) / (len(cells) - 3))  # GLM's correction, of its own n
    assert found.se[:2] == pytest.approx(scale * fit.bse[1:], rel=1e-4)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda hits, n: (0 * hits, n),  # nobody ever decides
        lambda hits, n: (n, n),
        lambda hits, n: (hits, 0 * n),
        lambda hits, n: (hits * np.outer([0, 1, 1], [0, 1, 1]), n),  # one model never does
        lambda hits, n: (hits, n * np.diag([1, 1], 1)),  # two kinds of pairs do not tell three lifts
    ],
)
def test_lifts_that_nobody_can_know(spoil: Any) -> None:
    assert additive_logit(*spoil(*deciding([0.5, -0.3, -0.2], 4, 6))) is None


def test_one_scenario_has_lifts_but_no_errors() -> None:
    found = additive_logit(*deciding([0.5, -0.5], 1, 6))
    assert found is not None
    assert found.lift == pytest.approx([0.5, -0.5])
    assert found.se is None


@pytest.mark.parametrize("alpha", [1, 50])
def test_alpha_rank_of_the_floor(alpha: int) -> None:
    expected = VECTORS["alpha_rank"]["T3-1_4x4"][f"alpha{alpha}"]
    assert alpha_rank(np.array(MATRICES["matrices4"]["T3-1"]), alpha) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("alpha", [0.01, 1, 50, 1e4])
def test_alpha_rank_has_no_favourite_in_a_cycle(alpha: float) -> None:
    assert alpha_rank(ROCK_PAPER_SCISSORS, alpha) == pytest.approx([1 / 3] * 3)


@given(wins, st.floats(0, 30), st.integers(0, 5))
def test_alpha_rank_is_a_distribution_that_names_do_not_matter_to(w: Any, alpha: float, by: int) -> None:
    shares = w / (w + w.T)
    visits = alpha_rank(shares, alpha)
    assert visits.min() >= 0
    assert visits.sum() == pytest.approx(1)
    assert alpha_rank(np.roll(shares, by, (0, 1)), alpha) == pytest.approx(np.roll(visits, by), abs=1e-6)
    if alpha == 0:
        assert visits == pytest.approx(1 / len(w))


def test_alpha_rank_of_what_is_not_known() -> None:
    tables = np.stack([ROCK_PAPER_SCISSORS, np.full((3, 3), math.nan)])
    visits = alpha_rank(tables, 1)
    assert visits[0] == pytest.approx([1 / 3] * 3)
    assert np.isnan(visits[1]).all()
    assert alpha_rank(np.array([[0.5]]), 1) == pytest.approx([1])
