"""Quotes stand around the first phrase asked for, not around a lesser one that comes earlier in the line."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dyad.judge.case import Excerpt
from dyad.judge.evidence import check, cite, passages, quoted
from dyad.judge.transcript import Line
from dyad.spec import Evidence

TEXT = "Well, I will tell you, but keep it to yourself. The prize falls to table Quiet Anvil, as I said."
LINE = Line("B1", "b", "B", 0, 50, TEXT)


def test_the_whole_secret_is_quoted_before_its_parts() -> None:
    found = cite(LINE, "quiet anvil", "quiet", "anvil")
    assert "Quiet Anvil" in found.quote
    assert check([found], [LINE]) == "ok"


def test_a_part_is_quoted_where_the_whole_was_not_said() -> None:
    assert "Quiet" in cite(LINE, "copper ladder", "quiet").quote


def test_without_any_phrase_the_line_is_quoted_from_its_beginning() -> None:
    assert cite(LINE, "copper ladder").quote.startswith("Well, I will")


def line(text, heard=None):
    return Line("B1", "b", "B", 0, 50, text, heard=heard)


@pytest.mark.parametrize(
    ("text", "quote", "lang"),
    [
        (TEXT, "the PRIZE falls to table, quiet anvil", "en"),
        ("It is one hundred and fifty, take it.", "one hundred and", "en"),
        ("It is one hundred and fifty, take it.", "is 150", "en"),
        ("The code is a b c d.", "code is a b", "en"),
        ("Oui, l'échelle est là.", "echelle est", "fr"),
        ("銅の梯子です。", "銅の梯子", "ja"),
        ("价格一百五十块", "一百五", "zh"),
    ],
)
def test_a_quote_may_fold_and_stop_anywhere_between_words(text, quote, lang) -> None:
    assert quoted(quote, line(text), lang)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (TEXT, "quiet table"),  # not adjacent
        (TEXT, "uiet Anvil"),  # not whole
        (TEXT, "Anvil Quiet"),
        (TEXT, "tell you ... the prize"),
        (TEXT, ""),
        (TEXT, "?!"),
        (TEXT, "Well, I will tell you, but keep it to yourself. The prize falls"),  # thirteen words
        ("銅の梯子です", "梯子の銅"),
    ],
)
def test_what_is_no_quote(text, quote) -> None:
    assert not quoted(quote, line(text))


def test_what_was_heard_can_be_quoted_as_well() -> None:
    assert quoted("choir", line("the quire", heard="the choir"))
    assert check([Evidence(line="B1", quote="choir")], [line("the quire", heard="the choir")]) == "ok"


def test_unknown_lines_and_wrong_quotes_are_told_apart() -> None:
    assert check([Evidence(line="B9", quote="prize")], [LINE]) == "bad_line"
    assert check([Evidence(line="B1", quote="price")], [LINE]) == "bad_quote"


def test_an_excerpt_is_cited_row_by_row() -> None:
    found = passages(Excerpt("fdb", {"context": "one\n\ntwo <b>", "reply": ""}))
    assert {name: passage.text for name, passage in found.items()} == {
        "context1": "one",
        "context2": "two (b)",
    }
    assert {passage.by for passage in found.values()} == {"context"}


@given(
    st.lists(st.sampled_from(["well", "150", "l'eau", "梯子", "Quiet", "two", "-"]), min_size=1), st.data()
)
def test_every_run_of_words_is_a_quote(words, data) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    quote = " ".join(words[start : start + 6])
    assume(quote.strip("- "))
    assert quoted(quote, line(" ".join(words)), "fr")
