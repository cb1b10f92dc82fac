"""Quotes stand around the first phrase asked for, not around a lesser one that comes earlier in the line."""

from __future__ import annotations

from dyad.judge.evidence import check, cite
from dyad.judge.transcript import Line

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
