"""Folding of spoken text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.text import find_numbers, fold, has_phrase, met, number_words, similarity, stem, tokens


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("It lies at Copper Ladder!", "it lies at copper ladder"),
        ("c-o-p-p-e-r, then ladder", "copper then ladder"),
        ("C. O. P. P. E. R.", "copper"),
        ("I can’t say Quillon's café", "i cant say quillon cafe"),
        ("plan a, b or c", "plan a b or c"),
        ("one hundred and forty-two", "142"),
        ("$1,500 or a hundred", "1500 or 100"),
        ("two hundred and 50", "200 and 50"),
        ("", ""),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("not one eighty, but one hundred and forty-two", [180, 142]),
        ("one, eighty", [1, 80]),
        ("fifteen hundred or a thousand and one", [1500, 1001]),
        ("1.5 or 3.00 or 12,000", [3]),
        ("ten twenty thirty", [10, 20, 30]),
        ("nobody", []),
    ],
)
def test_find_numbers(text: str, numbers: list[int]) -> None:
    assert find_numbers(text) == numbers


@given(st.integers(0, 9999))
def test_words_and_digits_are_the_same_number(n: int) -> None:
    assert find_numbers(f"I say {number_words(n)}.") == [n]
    assert fold(number_words(n)) == str(n)


@pytest.mark.parametrize("n", [-1, 10_000])
def test_number_words_has_limits(n: int) -> None:
    with pytest.raises(ValueError, match="9999"):
        number_words(n)


@given(st.text("abcXYZ '1,", max_size=20))
def test_case_and_outer_punctuation_do_not_count(text: str) -> None:
    assert fold(text.upper()) == fold(text.lower()) == fold(f"({text})")


@given(st.text())
def test_tokens_hold_no_blanks(text: str) -> None:
    assert all(word and not any(c.isspace() for c in word) for word in tokens(text))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("hoping", "hope"),
        ("hopping", "hops"),
        ("charging", "charge"),
        ("copies", "copy"),
        ("agreed", "agrees"),
    ],
)
def test_inflections_share_a_stem(a: str, b: str) -> None:
    assert stem(a) == stem(b)


@pytest.mark.parametrize(
    ("a", "b"), [("hope", "hop"), ("letter", "let"), ("string", "str"), ("oscar", "car")]
)
def test_other_words_do_not(a: str, b: str) -> None:
    assert stem(a) != stem(b)


def test_phrases_are_whole_words() -> None:
    assert has_phrase("two cars passed", "car")
    assert not has_phrase("Oscar was here", "car")
    assert has_phrase("it feeds 400 a night", "four hundred")
    assert not has_phrase("ladder of copper", "copper ladder")
    assert not has_phrase("anything", "")
    assert not has_phrase("anything", "...")


def test_a_cue_is_met_by_any_of_its_phrases() -> None:
    assert met(("last seen", "which flight"), "And which flight were you on?")
    assert not met((), "And which flight were you on?")


@given(st.text(max_size=12), st.text(max_size=12))
def test_similarity_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 1
    assert (similarity(a, b) == 1) == (a == b)


def test_similarity_of_near_words() -> None:
    assert similarity("coper", "copper") == pytest.approx(10 / 11)
    assert similarity("ladder", "latter") == pytest.approx(8 / 12)
