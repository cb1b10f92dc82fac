"""Turn-taking as the mean of runs."""

from __future__ import annotations

import math

import pytest
from scipy.stats import t as student

from dyad.tables.scores import turn_cells
from dyad.tables.turns import run_means
from tests.tables.made import frame, row


def test_the_mean_of_runs_differs_from_pooled_events() -> None:
    counts = [(1.0, 2.0, "s0"), (0.0, 0.0, "s0"), (2.0, 8.0, "s1")]
    rows = frame([row("tor_end", hits, n, scenario=s) for hits, n, s in counts] + [row("tor_end", None, 0)])
    (pooled,), (mean,) = turn_cells(rows), run_means(rows)
    assert (pooled["value"], pooled["n"]) == (0.3, 10)
    assert (mean["value"], mean["n"], mean["missing"]) == (0.375, 2, 1)
    assert mean["note"] == "1 without an opportunity"
    half = student.ppf(0.975, 1) * math.sqrt(2 * 0.125**2) / math.sqrt(2)
    assert (mean["low"], mean["high"]) == (max(0, 0.375 - half), pytest.approx(min(1, 0.375 + half)))


def test_with_one_scenario_or_none_there_is_no_interval() -> None:
    (one,) = run_means(frame([row("tor_end", 1, 3), row("tor_end", 2, 3)]))
    assert (one["value"], one["low"], one["interval"]) == (0.5, None, "")
    assert one["note"] == "one scenario: no interval"
    (none,) = run_means(frame([row("tor_end", 0, 0)]))
    assert (none["value"], none["n"], none["note"]) == (None, 0, "1 without an opportunity")
    assert list(run_means(frame([]))) == []
