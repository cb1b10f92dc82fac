"""What is missing, of whom, and why."""

from __future__ import annotations

from typing import Any

from dyad.tables.missing import missing
from tests.tables.made import frame, pair, row


def table(rows: Any) -> dict[tuple[str, str, str], tuple[Any, ...]]:
    found = list(missing(frame(rows)))
    return {(r["archetype"], r["measure"], r["agent"]): (r["hits"], r["n"], r["note"]) for r in found}


def test_nothing_missing_is_said_too() -> None:
    assert table([row("entered", 1), row("entered", 0)]) == {("t1_1", "entered", ""): (0, 2, "")}
    assert table([]) == {}


def test_reasons_are_counted_and_agents_told_apart() -> None:
    rows = [
        row("entered", None, 0, reason="no_words"),
        row("entered", None, 0, reason="recording"),
        row("entered", None, 0, reason="no_words"),
        row("entered", 1),
        row("entered", 1, agent="Y", partner="X"),
    ]
    assert table(rows) == {
        ("t1_1", "entered", ""): (3, 5, "no_words 2, recording 1"),
        ("t1_1", "entered", "X"): (3, 4, "no_words 2, recording 1"),
        ("t1_1", "entered", "Y"): (0, 1, ""),
    }


def test_no_opportunity_is_not_missing() -> None:
    assert table([row("granted_if_asked", 0, 0, archetype="t3_2")])["t3_2", "granted_if_asked", ""][0] == 0


def test_a_score_of_the_pair_is_missing_for_both() -> None:
    found = table([pair(None, "XY"), pair(1, "XX")])
    assert found == {
        ("t2", "solved", ""): (1, 2, "unknown 1"),
        ("t2", "solved", "X"): (1, 2, "unknown 1"),
        ("t2", "solved", "Y"): (1, 1, "unknown 1"),
    }
