"""Arithmetic of task outcomes against worked and published numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.measure.conversation import words_found
from dyad.measure.outcomes import balance, decided_rate, gap_share, grounded, pooled
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


def test_balance_of_the_published_claims() -> None:
    claims = [(26, 68), (16, 49), (14, 54), (37, 49), (22, 41), (11, 21), (58, 65), (34, 40), (20, 36)]
    assert (
        balance(Count(*cell) for cell in claims)
        == pytest.approx(238 / 423)
        == pytest.approx(0.562648, abs=5e-7)
    )
    assert balance([Count(9, 100), Count(19, 100), Count(17, 100)]) == pytest.approx(0.15)
    assert balance([Count(0, 0)]) is None
    assert balance([]) is None


def test_decided_runs_follow_from_win_rates() -> None:
    assert decided_rate(0.11, 0.45) == pytest.approx(0.56)
    assert decided_rate(0.24, 0.24) == pytest.approx(0.48)


def test_words_that_an_asr_finds() -> None:
    text = "Swallowing is like glass and my head has a pulse"
    assert words_found(text, "swallow is like glass in my hat") == Count(2, 5)
    assert words_found("", "anything").rate is None
    assert words_found("quatre-vingts chaises", "80 chaises", "fr") == Count(1, 1)
    assert words_found("残りはヒマワリ", "のこりはひまわり") == Count(5, 6)
