"""Shares as bars."""

from __future__ import annotations

import re

from dyad.report.figures.bars import Bar, bars


def test_bars_have_the_width_of_their_value() -> None:
    figure = bars([Bar("task", 0.25, 0.2, 0.3), Bar("model", None), Bar("rest", 0.75, rest=True)], "share")
    assert re.findall(r'width="([\d.]+)" height="15" rx="2" class="(bar[^"]*)"', figure) == [
        ("50.0", "bar"), ("150.0", "bar residual"),
    ]  # fmt: skip
    assert "0.25 [0.20, 0.30]" in figure
    assert 'd="M150.0' in figure  # 0.2 of 200 pixels, from 110
    assert ">–</text>" in figure


def test_a_long_name_stands_above_its_bar() -> None:
    short, long = (
        bars([Bar("model", 0.25), Bar(name, 0.5)], "share") for name in ("rest", "resists: cascade")
    )
    assert long.count('text-anchor="end"') == short.count('text-anchor="end"') == 2
    longer = bars([Bar("model", 0.25), Bar("resists: cascade_bold", 0.5)], "share")
    assert "text-anchor" not in longer
    assert 'x="110" y="66"' in longer  # the second name, four pixels above its bar
    assert 'viewBox="0 0 470 102"' in longer


def test_what_lies_outside_is_drawn_at_the_end_and_printed_as_it_is() -> None:
    figure = bars([Bar("lift", -0.02, raw=1.4, note="p 0.012")], "share")
    assert 'width="0.0" height="15"' in figure
    assert 'd="M310.0 4.0v19" class="raw"' in figure
    assert "−0.02" in figure
    assert "raw 1.40 · p 0.012" in figure
