"""Times into and out of a role: Kaplan–Meier curves with bands, medians, and how many are still at risk.

python analysis/figures/times.py STUDY [--out FOLDER]
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.rows import agents_of
from analysis.figures.script import Plot, each_condition, main
from analysis.figures.style import (
    GREY,
    PAGE_IN,
    SMALL_PT,
    Look,
    NoData,
    key,
    known,
    looks,
    marks,
    panels,
    styled,
)

WORDS = {"entry": "share that has entered", "deviation": "share still in role"}
RISING = frozenset({"entry"})  # entries are counted up, what is left of a role down
STEPS_S = (5, 10, 20, 30, 60, 120)
LINE_PT, MEDIAN_X = 9.5, 1.1


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return the curves of one condition, over all partners; NoData where no time was measured."""
    km = tables[(tables["table"] == "km") & tables["measure"].isin(WORDS) & (tables["partner"] == "")]
    curves = km[km["term"] == "survival"].groupby(["archetype", "measure"])
    if not len(curves):
        raise NoData("no time of entry or deviation was measured")
    agents, end_s = agents_of(tables), km["at"].max() or 1.0
    plots = sorted(curves.groups, key=lambda plot: (plot[0], plot[1] not in RISING))
    figure, axes = panels(len(plots), min(len(plots), 2), PAGE_IN, 1.95 + LINE_PT / 72 * len(agents))
    for axis, (archetype, measure) in zip(axes, plots, strict=True):
        own = km[(km["archetype"] == archetype) & (km["measure"] == measure)]
        _panel(axis, own, agents, end_s)
        axis.set(title=known(archetype), ylabel=WORDS[measure])
    key(
        figure,
        marks(agents, lines=True),
        "bands: 95 %, log–log, seats taken as independent · +: censored · n.r.: not reached",
    )
    return figure


def _panel(axis: Axes, own: pd.DataFrame, agents: list[str], end_s: float) -> None:
    ticks = _ticks(end_s)
    axis.axhline(0.5, color=GREY, lw=0.5, zorder=0)
    axis.set(xlim=(0, end_s), ylim=(0, 1.02), yticks=[0, 0.25, 0.5, 0.75, 1], xticks=ticks, xlabel="s")
    axis.xaxis.set_label_coords(1.03, 0.06)
    _cell(axis, "at risk", -0.02, 0, GREY, ha="right")
    _cell(axis, "median (events / n)", MEDIAN_X, 0, GREY, ha="left")
    for line, (agent, rows) in enumerate(own.groupby("agent"), 1):
        look, curve = looks(agents)[agent], rows[rows["term"] == "survival"].sort_values("at")
        _curve(axis, curve, look, rising=own["measure"].iat[0] in RISING)
        for tick in ticks:
            _cell(axis, f"{_at_risk(curve, tick):.0f}", tick / end_s, line, look.colour)
        _cell(axis, _median(rows), MEDIAN_X, line, look.colour, ha="left")


def _ticks(end_s: float) -> np.ndarray:
    step = next((s for s in STEPS_S if end_s / s < 6.5), end_s / 6)
    return np.arange(0, end_s + 1e-9, step)


def _curve(axis: Axes, curve: pd.DataFrame, look: Look, rising: bool) -> None:
    at = [0.0, *curve["at"]]
    lines = {name: np.array([1.0, *curve[name]]) for name in ("value", "low", "high")}
    shares, low, high = (1 - line if rising else line for line in lines.values())
    axis.step(at, shares, where="post", color=look.colour, ls=look.dash)
    low, high = (pd.Series(line).ffill(limit=1) for line in (low, high))  # a band ends where its step does
    axis.fill_between(at, low, high, step="post", color=look.colour, alpha=0.15, lw=0)
    # A time at which the curve does not fall is one at which somebody was censored.
    still = np.isclose(np.diff(shares), 0)
    axis.plot(curve["at"][still], shares[1:][still], "+", color=look.colour, ms=4, mew=0.8)


def _at_risk(curve: pd.DataFrame, at_s: float) -> float:
    """How many are at risk just before a time: as many as at the next exit."""
    return float([*curve["n"], 0.0][np.searchsorted(curve["at"].to_numpy(), at_s - 1e-9)])


def _median(rows: pd.DataFrame) -> str:
    row = rows[rows["term"] == "median"].iloc[0]
    median = "n.r." if math.isnan(row["value"]) else f"{row['value']:.1f} s"
    return f"{median} ({row['hits']:.0f} / {row['n']:.0f})"


def _cell(axis: Axes, text: str, x: float, line: int, colour: str, ha: str = "center") -> None:
    """Write into a line of the table below the axis; line 0 is its head."""
    axis.annotate(
        text, (x, 0), (0, -20 - LINE_PT * line), xycoords="axes fraction", textcoords="offset points",
        ha=ha, va="center", color=colour, fontsize=SMALL_PT,
    )  # fmt: skip


PLOT = Plot("times", draw, each_condition)
if __name__ == "__main__":
    main(PLOT)
