import re
from typing import Any

import pytest

from dyad.report import svg

PLOT = svg.Plot(left=0, top=0, width=600, height=100, end_s=60)


def test_survival_steps_at_their_times(data: dict[str, Any]):
    curve = data["km"][0]["curves"][0]
    falling = svg.step_path(curve, PLOT, falling=True)
    assert falling == "M0.0 0.0H50.0V16.7H80.0V33.3H120.0V50.0H200.0V66.7H600.0V66.7H600.0"
    assert svg.step_path(curve, PLOT, falling=False).startswith("M0.0 100.0H50.0V83.3")


def test_a_curve_without_events_stays_flat_to_the_last_time_at_risk():
    curve = {"times": [], "survival": [], "at_risk": [[0, 3], [30, 3], [60, 0]]}
    assert svg.step_path(curve, PLOT, falling=True) == "M0.0 0.0H300.0"


@pytest.mark.parametrize(
    ("title", "first_y"), [("Entry, 1−S", "198.0"), ("Entry, 1 - S", "198.0"), ("Stay, S", "8.0")]
)
def test_the_title_says_which_way_the_curve_goes(data: dict[str, Any], title: str, first_y: str):
    assert f'd="M38.0 {first_y}H' in svg.km(data["km"][0] | {"title": title})


def test_median_events_and_numbers_at_risk_are_printed(data: dict[str, Any]):
    figure = svg.km(data["km"][0])
    assert "<td>12.0</td><td>4</td><td>6</td>" in figure
    assert re.findall(r'<text x="([\d.]+)" y="\d+\.\d" text-anchor="middle">(\d+)</text>', figure) == [
        ("38.0", "6"),
        ("248.0", "2"),
        ("458.0", "2"),
    ]


def test_a_median_that_is_not_reached_says_so(data: dict[str, Any]):
    curve = data["km"][0]["curves"][0] | {"median": None, "times": [], "survival": [], "events": 0}
    assert "n.r." in svg.km(data["km"][0] | {"curves": [curve]})


@pytest.mark.parametrize("curves", [[], [{"n": 0, "times": [], "survival": [], "at_risk": []}]])
def test_no_run_gives_a_sentence_in_place_of_a_plot(curves: list[dict[str, Any]]):
    figure = svg.km({"title": "S", "measure": "m", "curves": curves})
    assert "No run is at risk" in figure
    assert "<svg" not in figure


@pytest.mark.parametrize("end_s", [0.4, 1, 7, 30, 60, 61, 300, 9000])
def test_time_ticks_are_few_and_end_inside(end_s: float):
    ticks = svg.time_ticks(end_s)
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= 7
    assert end_s / 2 < ticks[-1] <= end_s * 1.001


def test_the_tint_follows_what_is_better():
    assert [svg.tint(v, (0, 1), 1) for v in (0, 0.5, 1, 7)] == [0, 4, 8, 8]
    assert [svg.tint(v, (0, 1), -1) for v in (0, 1)] == [8, 0]
    assert svg.tint(3, (3, 3), -1) == 0


def test_a_matrix_prints_value_interval_and_n_and_keeps_missing_cells_missing(data: dict[str, Any]):
    table = svg.matrix(data["matrices"][0])
    assert '<td class="t2"><b>0.25</b><small>[0.10, 0.50] · n 8</small></td>' in table
    assert table.count('class="missing"') == 3
    assert "higher is better" in table


def test_an_all_missing_matrix_in_another_unit_is_a_table_of_dashes(data: dict[str, Any]):
    table = svg.matrix(data["matrices"][0] | {"unit": "per_min", "cells": [[None, None], [None, None]]})
    assert table.count(">–</td>") == 4
    assert "(per min)" in table


def test_eta_bars_have_the_width_of_their_value(data: dict[str, Any]):
    figure = svg.eta(data["eta"][0])
    assert re.findall(r'width="([\d.]+)" height="15" rx="2" class="bar', figure) == ["50.0", "150.0"]
    assert "0.25 ± 0.05" in figure
    assert 'd="M150.0' in figure  # (0.25 - 0.05) of 200 pixels, from 110


def test_a_negative_estimate_is_printed_and_drawn_as_nothing():
    figure = svg.eta({"measure": "m", "n": 9, "terms": [{"name": "model", "value": -0.02, "sd": None}]})
    assert "−0.02" in figure
    assert 'width="0.0"' in figure
