"""What a study can see, from its own runs."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from dyad.stats import USUAL, clustering, mde
from dyad.tables.power import detectable, variances
from dyad.tables.rows import Row
from tests.tables.leaks import D0, leaks
from tests.tables.made import frame, occupancy, pair


def by_term(part: object) -> dict[str, Row]:
    return {r["term"]: r for r in detectable(part)}


def test_variances_of_d0() -> None:
    """All nine contrasts of two attackers with one defender, by hand from the counts of successes.

    Its scenarios hold nothing but the noise of runs, so that what they add is estimated below 0.
    """
    x = D0 / 6
    run = (6 * x * (1 - x)).sum(axis=0) / (20 * 5)  # pooled over scenarios, by cell
    pairs = [(0, 1), (0, 2), (1, 2)]
    total = np.mean([(x[:, i] - x[:, j]).var(axis=0, ddof=1) for i, j in pairs])
    found = by_term(leaks(D0))
    assert found["run variance"]["value"] == pytest.approx(run.mean())
    assert total - 2 * run.mean() / 6 < 0 == found["between variance"]["value"]
    assert found["mde"]["value"] == pytest.approx(2.953588 * math.sqrt(2 * run.mean() / 6 / 20), abs=1e-6)
    assert found["mde"]["mde"] == found["mde"]["value"]
    cells = D0.reshape(20, 9).T
    deffs = [clustering([[1.0] * k + [0.0] * (6 - k) for k in cell]).deff for cell in cells]
    assert found["design effect"]["value"] == pytest.approx(np.mean(deffs))
    assert {(r["n"], r["scenarios"]) for r in found.values()} == {(6, 20)}


def test_known_variances_are_found_again() -> None:
    """Scenarios in which each cell has a chance of its own, mean .5: w = 2 x .01, s = .25 - .01."""
    r = np.random.default_rng(8)
    chance = np.clip(0.5 + r.normal(0, 0.1, (400, 2, 2)), 0, 1)
    (found,) = variances(leaks(r.binomial(8, chance), ("X", "Y"), runs=8))
    assert found.between == pytest.approx(0.02, abs=0.01)  # two and a half standard errors
    assert found.run == pytest.approx(0.24, abs=0.004)
    assert (found.runs, found.scenarios, found.clipped) == (8, 400, False)
    assert found.mde == mde(400, 8, found.between, found.run)


def test_a_variance_is_never_below_zero() -> None:
    found = by_term(leaks(np.full((6, 2, 2), 3), ("X", "Y")))  # scenarios alike, runs not
    assert found["between variance"]["value"] == 0
    assert found["between variance"]["note"].startswith("estimated below 0")
    assert found["run variance"]["value"] == pytest.approx(0.3)
    assert found["mde"]["value"] == mde(6, 6, 0.0, 0.3)


def test_single_runs_tell_the_sum_only() -> None:
    hits = np.array([[[0, 1], [1, 1]], [[0, 0], [1, 0]], [[1, 1], [1, 0]]] * 4)
    found = by_term(leaks(hits, ("X", "Y"), runs=1))
    assert {r["value"] for term, r in found.items() if term != "mde"} == {None}
    assert "one run per cell" in found["run variance"]["note"]
    total = np.mean([np.var(hits[:, 0, p] - hits[:, 1, p], ddof=1) for p in (0, 1)])
    assert found["mde"]["value"] == pytest.approx(USUAL.seen(12) * math.sqrt(total / 12), abs=1e-6)


def test_five_scenarios_show_no_difference_however_large() -> None:
    found = by_term(leaks(D0[:5]))
    assert (found["mde"]["value"], found["mde"]["note"]) == (None, "too few scenarios for 1 test")
    assert found["run variance"]["value"] > 0


def test_one_scenario_shows_no_difference_of_scenarios() -> None:
    found = by_term(leaks(D0[:1]))
    assert (found["between variance"]["value"], found["mde"]["value"]) == (None, None)
    assert {found[term]["note"] for term in ("between variance", "mde")} == {"one scenario: no interval"}
    assert found["design effect"]["note"] == "one scenario, or all runs alike"
    assert found["run variance"]["value"] > 0


def test_two_seats_of_one_conversation_are_one_run() -> None:
    seats = [
        seat | {"run_id": f"{i}{s}{who}"}
        for i, s, who in product(range(2), range(3), ("XX", "XY", "YY"))
        for seat in occupancy(6.0, 4.0 + i * s, who, f"s{s}")
    ]
    rows = frame(seats)
    (found,) = variances(rows)
    assert (found.archetype, found.runs) == ("t3_1", 2)  # not 8 / 3, as counting seats would give
    assert not list(variances(rows[rows["agent"] == rows["partner"]]))


def test_nothing_to_compare_gives_no_row() -> None:
    assert not list(detectable(frame([])))
    assert not list(detectable(frame([pair(1.0, "XX"), pair(None, "YX")])))
