"""Kaplan–Meier curves: steps, bands, numbers at risk."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.report.figures.curves import Curve, Plot, band_path, curves, small_curves, step_path, time_ticks

PLOT = Plot(left=0, top=0, width=600, height=100, end_s=60)
TIMES = (5.0, 8.0, 12.0, 20.0)
LEFT = (5 / 6, 4 / 6, 0.5, 2 / 6)
CURVE = Curve("shy", TIMES, LEFT, (None,) * 4, (None,) * 4, ((0, 6), (30, 2), (60, 2)), "12.0", 4, 6)


def test_survival_steps_at_their_times() -> None:
    assert step_path(CURVE, PLOT) == "M0.0 0.0H50.0V16.7H80.0V33.3H120.0V50.0H200.0V66.7H600.0"


def test_a_curve_without_events_stays_flat_to_the_last_time_at_risk() -> None:
    curve = Curve("x", (), (), (), (), ((0, 3), (30, 3), (60, 0)), "n.r.", 0, 3)
    assert step_path(curve, PLOT) == "M0.0 0.0H300.0"
    assert band_path(curve, PLOT) == ""


def test_a_band_goes_there_along_its_upper_edge_and_back_along_its_lower_one() -> None:
    curve = CURVE._replace(low=(None, 0.4, 0.3, None), high=(None, 0.9, 0.8, None))
    assert band_path(curve, PLOT) == "M80.0 10.0V10.0H120.0V20.0H600.0V70.0H120.0V60.0H80.0Z"


@given(st.lists(st.integers(1, 750), min_size=1, max_size=750, unique=True))
def test_many_steps_are_drawn_as_few_and_end_where_the_curve_ends(ticks: list[int]) -> None:
    times = [tick * 0.08 for tick in sorted(ticks)]
    shares = [1 - (i + 1) / len(times) for i in range(len(times))]
    none = [None] * len(times)
    path = step_path(Curve("x", times, shares, none, none, ((0.0, 9),), "", 9, 9), PLOT)
    assert path.count("V") <= PLOT.width / 2 + 1
    assert path.endswith(f"V100.0H{PLOT.x(times[-1]):.1f}")


def test_median_events_and_numbers_at_risk_are_printed() -> None:
    figure = curves([CURVE], 60.0, "time")
    assert "<td>12.0</td><td>4</td><td>6</td>" in figure
    found = re.findall(r'<text x="([\d.]+)" y="\d+\.\d" text-anchor="middle">(\d+)</text>', figure)
    assert found == [("38.0", "6"), ("248.0", "2"), ("458.0", "2")]
    assert "12.0" not in small_curves([CURVE], 60.0, "time")


def test_a_median_that_is_not_reached_says_so() -> None:
    assert '<abbr title="not reached">n.r.</abbr>' in curves([CURVE._replace(median="n.r.")], 60.0, "time")


@pytest.mark.parametrize("end_s", [0.4, 1, 7, 30, 60, 61, 300, 9000])
def test_time_ticks_are_few_and_end_inside(end_s: float) -> None:
    ticks = time_ticks(end_s)
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= 7
    assert end_s / 2 < ticks[-1] <= end_s * 1.001
