"""Act against success."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.report.figures.success import LEFT, SIZE, TOP, Point, iso_path, success


@given(st.floats(0.01, 0.99))
def test_act_times_score_is_the_same_all_along_a_curve(product: float) -> None:
    places = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) ([\d.]+)", iso_path(product))]
    shares = [((x - LEFT) / SIZE, 1 - (y - TOP) / SIZE) for x, y in places]
    assert all(act * then == pytest.approx(product, abs=0.003) for act, then in shares)
    assert shares[0][1] == pytest.approx(1, abs=1e-3)  # from the upper edge
    assert shares[-1][0] == pytest.approx(1, abs=1e-3)  # to the right one


def test_of_two_agents_at_one_place_both_are_seen() -> None:
    figure = success([Point("a", 1.0, 1.0, colour=0), Point("b", 1.0, 1.0, colour=1)], "plot")
    assert re.findall(r'r="(\d)" class="spot (k\d)"', figure) == [("7", "k0"), ("5", "k1")]


def test_points_lie_where_they_should_and_small_ones_below() -> None:
    all_of = Point("bold", 0.5, 0.25, (0.25, 0.75), None)
    figure = success([all_of, Point("bold with shy", 1.0, 1.0, small=True)], "plot")
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="(\d)"', figure)
    corner, middle = (
        (f"{LEFT + SIZE:.1f}", f"{TOP:.1f}"),
        (f"{LEFT + SIZE / 2:.1f}", f"{TOP + SIZE * 0.75:.1f}"),
    )
    assert dots == [(*corner, "3"), (*middle, "7")]
    assert figure.count('class="reach') == 1
    assert "<title>bold with shy</title>" in figure
