"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.tables.rows import row
from dyad.tables.words import amount, count, estimate, interval, listed, number, probability, share


def test_numbers() -> None:
    shown = {
        0.5: "0.50",
        12.34: "12.3",
        123.4: "123",
        12_345: "12,345",
        -0.25: "−0.25",
        -0.001: "0.00",
        1: "1",
    }
    assert [number(value) for value in shown] == list(shown.values())
    assert {number(None), number(math.nan), number(-math.inf), count(None), count(math.nan)} == {"–"}
    assert count(14.0) == "14"
    assert [amount(sum_) for sum_ in (4.0, 13.5, None, math.nan)] == ["4", "13.5", "–", "–"]


def test_intervals_and_what_has_none() -> None:
    assert interval(0.1, 0.25) == "[0.10, 0.25]"
    assert interval(None, 1) == ""
    assert interval(12.0, None) == "[12.0, –]"  # of a median, an end that is not reached
    assert estimate(row("km", value=None, note="n.r.")) == "n.r."
    assert estimate(row("hurdle", term="bounds", low=0.1, high=0.5)) == "[0.10, 0.50]"
    assert estimate(row("eta", value=0.3, low=0.2, high=0.4)) == "0.30 [0.20, 0.40]"
    assert estimate(row("eta", value=0.8, low=0.65, high=0.79)) == "0.80 (outside its interval)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1e-17, "0"),
        (0.004, "under 1"),
        (0.95, "95"),
        (0.997, "over 99"),
        (1 - 1e-12, "100"),
        (1, "100"),
        (-0.2, "−20"),
    ],
)
def test_shares_are_whole_percentages_that_hide_nothing(value: float, text: str) -> None:
    assert share(value) == f"{text}\N{NO-BREAK SPACE}%"


@given(st.floats(0.005, 0.995))
def test_a_sentence_rounds_a_share_as_its_figure_does(value: float) -> None:
    assert int(share(value).removesuffix("\N{NO-BREAK SPACE}%")) == round(100 * float(number(value)))


@given(st.floats(0, 1))
def test_a_p_value_is_never_0(p: float) -> None:
    assert probability(p) == "< 0.001" or float(probability(p)) > 0


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [listed(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
