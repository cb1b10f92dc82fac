"""All tables of a study."""

from __future__ import annotations

from typing import Any

import pytest

from dyad.measure.catalogue import MEASURES
from dyad.tables import HEADLINE, summary
from tests.tables.made import frame, row

HITS_0_OF_18 = [(0.0, 6.0)] * 3


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
