"""Acting and succeeding: how often an agent acts at all, how often it scores when it does, and the product.

python analysis/figures/act_success.py STUDY [--out FOLDER]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures.rows import agents_of, hurdles
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
    short,
    styled,
    whiskers,
)

LINE = "#C8C8C8"
TERMS = ["act", "score_if_act"]
PRODUCTS = (0.1, 0.2, 0.4, 0.6, 0.8)
ACTS = {
    "t1_1": "enters its role", "t1_2": "enters its role", "t2": "decides", "t3_2": "asks",
    "t4_1": "decides", "t4_2": "asks", "t4_3": "decides", "t4_4": "settles",
}  # fmt: skip


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return one panel per task with an act before the score; NoData where no task has one."""
    own = hurdles(tables)
    found = [name for name in ACTS if _drawable(own[own["archetype"] == name])]
    if not found:
        raise NoData("no task has an act before its score")
    agents = agents_of(tables)
    columns = min(len(found), 3)
    figure, axes = panels(len(found), columns, PAGE_IN, 2.5, sharex=True, sharey=True)
    for index, (axis, archetype) in enumerate(zip(axes, found, strict=True)):
        _products(axis)
        for i, (agent, look) in enumerate(looks(agents).items()):
            points = own[(own["archetype"] == archetype) & (own["agent"] == agent)]
            _agent(axis, points, look, size_pt=max(6.5 - i, 3.0))  # so that none hides another
        axis.set(title=known(archetype), xlabel=f"P({ACTS[archetype]})")
        axis.set(ylabel="" if index % columns else "P(score | act)")
    key(figure, [*marks(agents), *_signs()])
    return figure


def _drawable(own: pd.DataFrame) -> bool:
    return set(TERMS) <= set(own["term"])


def _products(axis: Axes) -> None:
    """Curves of equal P(act) · P(score | act), each with its value where it meets the right edge."""
    for product in PRODUCTS:
        act = np.linspace(product, 1.0, 60)
        axis.plot(act, product / act, color=LINE, lw=0.6, zorder=0)
        axis.text(1.03, product, short(product), color=GREY, va="center", fontsize=SMALL_PT)
    axis.set(xlim=(0, 1.02), ylim=(0, 1.02), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    axis.set_aspect("equal")


def _agent(axis: Axes, own: pd.DataFrame, look: Look, size_pt: float) -> None:
    """A filled mark over all partners, with intervals; a hollow one with each partner, tied to it."""
    points = own.pivot(index="partner", columns="term", values="value").reindex(columns=TERMS).dropna()
    if "" not in points.index:
        return
    centre = points.loc[""]
    for x, y in points.drop(index="").to_numpy():
        axis.plot([x, centre["act"]], [y, centre["score_if_act"]], color=look.colour, lw=0.4, alpha=0.5)
        axis.plot(x, y, look.marker, mfc="white", mec=look.colour, ms=3, mew=0.7, clip_on=False)
    of_all = own[own["partner"] == ""].set_index("term")
    x, y = (of_all.loc[[term]] for term in TERMS)
    bars = {"xerr": whiskers(x), "yerr": whiskers(y), "elinewidth": 0.9, "zorder": 3, "clip_on": False}
    axis.errorbar(x["value"], y["value"], fmt=look.marker, ms=size_pt, color=look.colour, **bars)


def _signs() -> list[Artist]:
    partner = Line2D([], [], ls="", marker="o", mfc="white", mec=GREY, ms=3, label="with one partner")
    return [partner, Line2D([], [], color=LINE, lw=0.6, label="equal products")]


PLOT = Plot("act_success", draw, each_condition)
if __name__ == "__main__":
    main(PLOT)
