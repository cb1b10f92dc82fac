"""Which numbers share a colour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.suites.colour import Interval, overlap_share, same_colour

INTERVALS = st.tuples(st.floats(-5, 5), st.floats(-5, 5)).map(lambda ends: (min(ends), max(ends)))


@pytest.mark.parametrize(
    ("other", "share", "same"),
    [
        ((0.58, 0.78), 0.25, False),  # 0.2500000000000003 in IEEE doubles, and not more than a quarter
        ((0.60, 0.78), 0.125, False),
        ((0.579, 0.78), 0.25625, True),
        ((0.50, 0.52), 1, True),
        ((0.62, 0.78), 0, False),
        ((0.70, 0.78), 0, False),
        ((0.50, 0.50), 1, True),
        ((0.70, 0.70), 0, False),
    ],
)
def test_share_of_the_shorter_interval(other: Interval, share: float, same: bool):
    assert overlap_share((0.46, 0.62), other) == pytest.approx(share)
    assert same_colour((0.46, 0.62), other) is same


@given(INTERVALS, INTERVALS)
def test_the_order_of_two_intervals_does_not_matter(one: Interval, two: Interval):
    assert overlap_share(one, two) == overlap_share(two, one)
    assert 0 <= overlap_share(one, two) <= 1
    assert overlap_share(one, one) == 1


def test_what_is_not_known_has_no_colour():
    assert not same_colour(None, (0.1, 0.2))
    for bad in ((0.2, 0.1), (float("nan"), 0.2)):
        with pytest.raises(ValueError, match="no interval"):
            overlap_share(bad, (0.1, 0.2))
