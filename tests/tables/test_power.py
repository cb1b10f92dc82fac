"""What a design can see."""

from __future__ import annotations

import math

import pytest

from dyad.tables.power import mde

HITS_0_OF_18 = [(0.0, 6.0)] * 3


@pytest.mark.parametrize(
    ("scenarios", "runs", "expected"),
    [
        (20, 3, 0.251), (20, 6, 0.188), (20, 12, 0.147), (40, 3, 0.177), (40, 6, 0.133), (60, 2, 0.173),
        (60, 6, 0.109), (100, 2, 0.134),
    ],
)  # fmt: skip
def test_smallest_difference_is_that_of_the_power_table(scenarios: int, runs: int, expected: float) -> None:
    found = mde(scenarios, runs)
    assert found == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(("scenarios", "runs"), [(0, 6.0), (20, 0.0), (20, math.nan)])
def test_no_design_sees_no_difference(scenarios: int, runs: float) -> None:
    assert mde(scenarios, runs) is None
