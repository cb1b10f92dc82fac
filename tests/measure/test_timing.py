"""Entry and deviation times, through to the survival curve."""

from fractions import Fraction as F

import pytest

from dyad.measure.timing import InRole, deviation_times, entry_times
from dyad.stats import kaplan_meier

SEATS = [InRole(e, d, 60) for e, d in [(4, 30), (6, None), (10, 25), (None, None), (2, 50)]]


def test_entry_is_censored_at_the_end() -> None:
    found = entry_times(SEATS)
    assert found.times.tolist() == [4, 6, 10, 60, 2]
    assert found.events.tolist() == [True, True, True, False, True]
    assert found.entries is None


def test_paper_clock() -> None:
    found = deviation_times(SEATS, "paper")
    assert found.times.tolist() == [30, 60, 25, 50]
    assert found.events.tolist() == [True, False, True, True]
    curve = kaplan_meier(found.times, found.events)
    assert curve is not None
    assert curve.times[:3] == (25, 30, 50)
    assert curve.survival[:3] == (F(3, 4), F(1, 2), F(1, 4))
    assert curve.median == 30


def test_gap_time() -> None:
    found = deviation_times(SEATS, "gap")
    curve = kaplan_meier(found.times, found.events)
    assert curve is not None
    assert curve.times[:3] == (15, 26, 48)
    assert curve.survival[:3] == (F(3, 4), F(1, 2), F(1, 4))
    assert curve.median == 26


def test_left_truncation() -> None:
    # Entries 2 4 10 12 25; exits 60 (censored) 30 20 60 (censored) 50.
    seats = [InRole(e, d, 60) for e, d in [(2, None), (4, 30), (10, 20), (12, None), (25, 50)]]
    found = deviation_times(seats, "truncated")
    assert found.entries is not None
    curve = kaplan_meier(found.times, found.events, found.entries)
    assert curve is not None
    assert [curve.at(t) for t in (20, 30, 50)] == [F(3, 4), F(9, 16), F(3, 8)]


@pytest.mark.parametrize("deviation", [3, 4])
def test_a_deviation_not_after_its_entry_is_none(deviation: int) -> None:
    found = deviation_times([InRole(4, deviation, 60)], "gap")
    assert (found.times.tolist(), found.events.tolist()) == ([56], [False])


def test_without_any_entry_there_is_nothing_at_risk() -> None:
    found = deviation_times([InRole(None, None, 60)], "paper")
    assert found.times.size == found.events.size == 0
