"""All tables of a study."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from dyad.measure.catalogue import MEASURES
from dyad.stats import holm
from dyad.tables import HEADLINE, Draws, summary
from tests.tables.leaks import D0, leaks
from tests.tables.made import frame, row


def test_headlines_are_measures() -> None:
    assert set(HEADLINE.values()) <= set(MEASURES)


@pytest.mark.parametrize(
    ("column", "values", "names"),
    [
        ("twin", ("", "full"), {"no twin", "twin full"}),
        ("lang", ("en", "fr"), {"en", "fr"}),
        ("channel", ("clean", "gain 0 both ways"), {"clean", "gain 0 both ways"}),
        ("window", (30.0, 60.0), {"30 s", "60 s"}),
    ],
)
def test_nothing_is_pooled_over_conditions(column: str, values: tuple[Any, ...], names: set[str]) -> None:
    rows = [
        row("occupancy", hits, 10.0, **{column: value})
        for hits, value in zip((2.0, 8.0), values, strict=True)
    ]
    cells = [r for r in summary(frame(rows)) if r["table"] == "turns" and r["measure"] == "occupancy"]
    assert {r["condition"] for r in cells} == names
    assert sorted(r["value"] for r in cells) == [0.2, 0.8]


def test_every_test_is_adjusted_within_its_family() -> None:
    rows = summary(leaks(D0), Draws(20, 500))
    tested = [r for r in rows if r["p"] is not None]
    assert {r["table"] for r in tested} >= {"contrast", "factor"}
    assert all(r["p"] <= r["p_adjusted"] <= 1 for r in tested)
    assert all(r["p_adjusted"] is None for r in rows if r["p"] is None)
    contrasts = [r for r in tested if r["table"] == "contrast"]
    for single in (False, True):  # contrasts with one partner are no part of the overall answer
        family = [r for r in contrasts if bool(r["partner"]) == single]
        assert family
        assert [r["p_adjusted"] for r in family] == holm([r["p"] for r in family])


def test_controls_stand_in_the_condition_that_they_are_about() -> None:
    both = pd.concat([leaks(D0), leaks(D0 // 2, channel="gain 0 both ways")], ignore_index=True)
    found = [r for r in summary(both, Draws(0, 500)) if r["table"] == "control"]
    assert {(r["term"], r["agent"], r["condition"]) for r in found} == {("sham gain", x, "") for x in "PMR"}
    assert all(r["p_adjusted"] is not None for r in found)
