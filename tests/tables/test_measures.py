"""Every measure by role."""

from __future__ import annotations

from dyad.measure.catalogue import MEASURES
from dyad.tables.measures import each_measure
from tests.tables.made import frame, pair, row


def test_roles_are_told_apart_and_partners_are_not() -> None:
    about = {"archetype": "t3_2"}
    rows = [
        row("turns", 5, 1, kind="presser", **about),
        row("turns", 8, 1, kind="presser", partner="Z", **about),
        row("turns", 2, 1, kind="avoider", role="b", **about),
    ]
    found = {(r["term"], r["agent"]): (r["value"], r["n"], r["partner"]) for r in each_measure(frame(rows))}
    assert found == {("presser", "X"): (6.5, 2, ""), ("avoider", "X"): (2, 1, "")}


def test_a_score_of_the_pair_counts_for_both_agents() -> None:
    found = {r["agent"]: (r["hits"], r["n"]) for r in each_measure(frame([pair(1, "XY"), pair(0, "XX")]))}
    assert found == {"X": (1, 2), "Y": (1, 1)}


def test_every_measure_has_a_row_but_times_to_events() -> None:
    rows = frame(row(measure, 1.0) for measure in MEASURES)
    found = {r["measure"] for r in each_measure(rows)}
    assert found == {name for name, measure in MEASURES.items() if measure.unit != "s"}
    assert list(each_measure(frame([]))) == []
