"""Cumulative incidence of competing causes."""

import json
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import aalen_johansen, kaplan_meier

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]
VECTOR = GOLDEN["aalen_johansen"]
run_lists = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 2)), min_size=1, max_size=25)


def test_the_worked_example():
    found = aalen_johansen(VECTOR["t"], VECTOR["cause"])
    for cause in (1, 2):
        expected = {float(t): F(value) for t, value in VECTOR[f"F{cause}"].items()}
        assert {t: found.at(cause, t) for t in expected} == expected
    assert found.survival[-1] == F(VECTOR["S_end"])
    assert [found.at(1, 0), found.at(2, 14.9), found.at(7, 30), found.at(1, 61)] == [0, 0, 0, None]
    naive = kaplan_meier(VECTOR["t"], [cause == 1 for cause in VECTOR["cause"]])
    assert 1 - float(naive.survival[-1]) == pytest.approx(VECTOR["naive_1_minus_KM"], abs=1e-6)


def test_tied_causes_share_one_step():
    tied = VECTOR["tied"]
    found = aalen_johansen(tied["t"], tied["cause"])
    assert [found.at(1, 60), found.at(2, 60), found.survival[-1]] == [F(tied[x]) for x in ("F1", "F2", "S")]


def test_missing_runs_are_counted_and_empty_is_none():
    found = aalen_johansen([3, None, 5, 6], [1, 1, None, 0])
    assert (found.n, found.n_missing, found.at(1, 6)) == (2, 2, F(1, 2))
    assert aalen_johansen([], []) is aalen_johansen([3], [None]) is None


@pytest.mark.parametrize("runs", [([1], [0.5]), ([1], [-1]), ([-1], [1]), ([1, 2], [1])])
def test_bad_input(runs):
    with pytest.raises(ValueError, match="must"):
        aalen_johansen(*runs)


@given(run_lists)
def test_causes_and_survival_add_to_one(runs):
    times, causes = zip(*runs, strict=True)
    found = aalen_johansen(times, causes)
    for i, survival in enumerate(found.survival):
        assert survival + sum(steps[i] for steps in found.incidence.values()) == 1
    assert found.survival == kaplan_meier(times, [cause > 0 for cause in causes]).survival


@pytest.mark.parametrize("seed", range(3))
def test_against_statsmodels(seed):
    from statsmodels.duration.survfunc import CumIncidenceRight

    rng = np.random.default_rng(seed)
    times, causes = rng.integers(1, 20, 60), rng.integers(0, 3, 60)
    theirs, found = CumIncidenceRight(times, causes), aalen_johansen(times, causes)
    for cause, expected in zip((1, 2), theirs.cinc, strict=True):
        assert [float(found.at(cause, t)) for t in theirs.times] == pytest.approx(expected.tolist())
