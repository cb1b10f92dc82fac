"""Numbers with intervals on one axis."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from dyad.report.figures.forest import LEFT, SHARES, WIDTH, Line, around_zero, forest


def line(
    value: float | None, low: float | None = None, high: float | None = None, clear: bool = False
) -> Line:
    return Line("a − b", value, low, high, "text", clear)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1), st.floats(0, 10) | st.none())
def test_an_axis_has_0_in_its_middle_and_holds_every_line(values: list[float], blind: float | None) -> None:
    axis = around_zero([line(value, value, value) for value in values], blind)
    assert axis.x(0.0) == LEFT + WIDTH / 2
    assert axis.low <= min(values) <= max(values) <= axis.high


def test_a_dot_sits_at_its_value_between_its_ends() -> None:
    figure = forest([line(0.5, 0.25, 1.0, clear=True), line(None)], SHARES, "share")
    (dot,) = re.findall(r'<circle cx="([\d.]+)"[^>]* class="mark clear">', figure)
    assert float(dot) == LEFT + WIDTH / 2
    assert re.findall(r'x1="([\d.]+)" x2="([\d.]+)"[^>]* class="reach"', figure) == [
        (f"{LEFT + WIDTH / 4:.1f}", f"{LEFT + WIDTH:.1f}")
    ]


def test_what_cannot_be_seen_is_a_band_around_0() -> None:
    lines = [line(0.1, 0.0, 0.2)]
    assert "blind" not in forest(lines, around_zero(lines), "x")
    axis = around_zero(lines, 0.2)
    (band,) = re.findall(
        r'<rect x="([\d.]+)"[^>]* width="([\d.]+)"[^>]* class="blind">', forest(lines, axis, "x")
    )
    assert [float(x) for x in band] == [float(LEFT), float(WIDTH)]


def test_a_long_name_stands_whole_above_its_line() -> None:
    name = "an_agent_with_a_very_long_name − another"
    short, long = (forest([line(0.1)._replace(name=n)], SHARES, "x") for n in ("a − b", name))
    assert f">{name}</text>" in long
    assert 'text-anchor="end">a − b</text>' in short
    heights = [float(re.findall(r'viewBox="0 0 490 ([\d.]+)"', figure)[0]) for figure in (short, long)]
    assert heights[1] > heights[0]
