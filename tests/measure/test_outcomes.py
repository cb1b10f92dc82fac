"""Arithmetic of task outcomes against worked and published numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.measure.conversation import words_found
from dyad.measure.outcomes import gap_share, grounded, pooled, surplus_share
from dyad.measure.turns import Count


def test_a_solved_run_need_not_be_grounded() -> None:
    voiced = [6.0, 12.5, 30.1, None]
    assert pooled(voiced).rate == 0.75
    assert not grounded(True, voiced, 41.0)
    assert grounded(True, [*voiced[:3], 41.0], 41.0)
    assert not grounded(True, [*voiced[:3], 41.1], 41.0)
    assert not grounded(False, voiced[:3], 41.0)
    assert not grounded(True, voiced[:3], None)


def test_share_of_the_opening_gap() -> None:
    assert gap_share(420, 300, 500) == 0.60
    assert gap_share(141, 90, 180) == pytest.approx(0.566667, abs=5e-7)
    assert gap_share(520, 300, 500) > 1
    with pytest.raises(ValueError, match="300"):
        gap_share(1, 300, 300)


@given(st.integers(0, 999), st.integers(0, 999), st.integers(0, 999))
def test_both_sides_share_the_gap(price: int, low: int, high: int) -> None:
    if low != high:
        assert gap_share(price, low, high) + gap_share(price, high, low) == pytest.approx(1)


def test_share_of_the_room_between_the_limits() -> None:
    assert surplus_share(141, 120, 150) == pytest.approx(0.70)
    assert surplus_share(141, 120, 140) > 1
    for buyer in (120, 110):
        with pytest.raises(ValueError, match="no room"):
            surplus_share(115, 120, buyer)


def test_words_that_an_asr_finds() -> None:
    text = "Swallowing is like glass and my head has a pulse"
    assert words_found(text, "swallow is like glass in my hat") == Count(2, 5)
    assert words_found("", "anything").rate is None
    assert words_found("quatre-vingts chaises", "80 chaises", "fr") == Count(1, 1)
    assert words_found("残りはヒマワリ", "のこりはひまわり") == Count(5, 6)
