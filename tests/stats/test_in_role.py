"""Occupancy of a role, from entries, deviations and ends."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import role_occupancy, role_spans

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]
VECTOR = GOLDEN["in_role_occupancy"]
moment = st.one_of(st.none(), st.integers(0, 12))


def test_the_worked_runs():
    entries, deviations = zip(*VECTOR["runs"], strict=True)
    spans = role_spans(entries, deviations, [VECTOR["tau"]] * len(entries))
    assert (spans[:, 1] - spans[:, 0]).tolist() == VECTOR["times"]
    found = role_occupancy(spans, [float(t) for t in VECTOR["P"]])
    assert found.shares == pytest.approx(list(VECTOR["P"].values()), abs=5e-5)
    assert found.mean_time == pytest.approx(VECTOR["mean"], abs=1e-6)
    assert (found.n, found.n_missing) == (6, 0)


def test_a_seat_is_in_role_at_its_entry_and_not_at_its_deviation_or_end():
    spans = role_spans([10, 10], [20, None], [60, 30])
    assert role_occupancy(spans, [9, 10, 19, 20, 29, 30]).shares == (0, 1, 1, 0.5, 0.5, 0)


def test_a_deviation_that_is_not_after_the_entry_is_none():
    assert role_spans([10, 10, None], [10, 4, 5], [60, 60, 60]).tolist() == [[10, 60], [10, 60], [60, 60]]


def test_without_an_end_a_run_is_missing():
    found = role_occupancy(role_spans([1, 2], [None, None], [None, 6]), [5])
    assert (found.n, found.n_missing, found.mean_time, found.shares) == (1, 1, 4, (1,))
    assert role_occupancy(role_spans([], [], [])) is role_occupancy(role_spans([1], [None], [None])) is None
    with pytest.raises(ValueError, match="must match"):
        role_spans([1], [2], [])


@given(st.lists(st.tuples(moment, moment, st.integers(1, 12)), min_size=1, max_size=20))
def test_mean_time_is_the_sum_of_shares_over_ticks(runs):
    found = role_occupancy(role_spans(*zip(*runs, strict=True)), range(13))
    assert found.mean_time == pytest.approx(sum(found.shares))
