"""Whose doing it is: lift, edge, chemistry and cycle of each score, with and without sampling noise.

python analysis/figures/diallel.py STUDY [--out FOLDER]
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures.rows import agents_of, of_table
from analysis.figures.script import Plot, each_condition, main
from analysis.figures.style import (
    BLACK,
    GREY,
    PAGE_IN,
    PALE,
    SKY,
    NoData,
    code,
    key,
    looks,
    marks,
    styled,
    whiskers,
)
from dyad.tables import HEADLINE

SHARES = ("lift", "edge", "chemistry", "cycle")
EFFECTS = {"lift": "lift", "edge": "edge", "self premium": "self-play premium"}
RISE = 0.72  # of a line, between the agents of one score


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return shares above and effects of each agent below; NoData where no score has all cells."""
    shares, effects = of_table(tables, "diallel", "diallel_corrected"), of_table(tables, "effects")
    if shares.empty:
        raise NoData("no score has a value in every cell of two agents or more")
    found = [archetype for archetype in HEADLINE if archetype in set(shares["archetype"])]
    place, agents = {archetype: y for y, archetype in enumerate(found)}, agents_of(tables)
    figure = Figure((PAGE_IN, 1.2 + 0.22 * len(found) + (0.1 + 0.09 * len(agents)) * len(found)))
    heights = [0.22, 0.1 + 0.09 * len(agents)]
    above, below = figure.subfigures(2, 1, height_ratios=[0.5 + h * len(found) for h in heights])
    _shares(above.subplots(1, len(SHARES), sharey=True), shares, place)
    _effects(below.subplots(1, len(EFFECTS), sharex=True, sharey=True), effects, place, agents)
    key(figure, [*_bars(shares), *marks(agents)])
    return figure


def _bars(shares: pd.DataFrame) -> list[Line2D]:
    """What the shares are; one scenario has none without noise."""
    handles = {
        "diallel": Line2D([], [], color=SKY, lw=5, label="raw share"),
        "diallel_corrected": Line2D(
            [], [], color=BLACK, marker="D", mfc="white", ms=3, label="without noise, 95 %"
        ),
    }
    drawn = set(shares.loc[shares["value"].notna(), "table"])
    return [handle for table, handle in handles.items() if table in drawn]


def _shares(axes: list[Axes], shares: pd.DataFrame, place: dict[str, int]) -> None:
    left = max(-0.5, min(-0.1, shares["low"].min()))
    for axis, term in zip(axes, SHARES, strict=True):
        own = shares[shares["term"] == term]
        raw, corrected = (own[own["table"] == name] for name in ("diallel", "diallel_corrected"))
        axis.barh(raw["archetype"].map(place), raw["value"], 0.62, color=SKY)
        y, bars = corrected["archetype"].map(place), {"xerr": whiskers(corrected), "elinewidth": 0.8}
        axis.errorbar(corrected["value"], y, fmt="D", ms=3, mfc="white", mew=0.8, color=BLACK, **bars)
        axis.axvline(0, color=GREY, lw=0.6)
        axis.set(title=term, xlim=(left, 1.05), xticks=[0, 0.5, 1], xlabel="share of variance")
    _rows(axes, place)


def _effects(axes: list[Axes], effects: pd.DataFrame, place: dict[str, int], agents: list[str]) -> None:
    step = RISE / max(len(agents), 1)
    for axis, (term, title) in zip(axes, EFFECTS.items(), strict=True):
        own = effects[effects["term"] == term]
        for i, agent in enumerate(agents):
            _marks(axis, own[own["agent"] == agent], place, agent, agents, (i + 0.5) * step - RISE / 2)
        pair = own[own["agent"] == ""]
        y, bars = pair["archetype"].map(place), {"xerr": whiskers(pair), "elinewidth": 0.8}
        axis.errorbar(pair["value"], y, fmt="o", ms=3.5, color=BLACK, **bars)
        axis.axvline(0, color=GREY, lw=0.6, zorder=0)
        axis.set(title=title, xlabel="in units of the score")
        for y in range(len(place) - 1):
            axis.axhline(y + 0.5, color=PALE, lw=0.6, zorder=0)
    _rows(axes, place)


def _marks(
    axis: Axes, own: pd.DataFrame, place: dict[str, int], agent: str, agents: list[str], shift: float
) -> None:
    look = looks(agents)[agent]
    y, bars = own["archetype"].map(place) + shift, {"xerr": whiskers(own), "elinewidth": 0.8}
    axis.errorbar(own["value"], y, fmt=look.marker, ms=3.5, color=look.colour, **bars)


def _rows(axes: list[Axes], place: dict[str, int]) -> None:
    axes[0].set(yticks=range(len(place)), ylim=(len(place) - 0.5, -0.5))
    axes[0].set_yticklabels(map(code, place))
    for axis in axes:
        axis.tick_params(axis="y", length=0)


PLOT = Plot("diallel", draw, each_condition)
if __name__ == "__main__":
    main(PLOT)
