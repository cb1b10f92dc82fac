"""Turn-taking: a matrix per measure, and below it how much goes with the agent, its partner, and with both.

python analysis/figures/turns.py STUDY [--out FOLDER]
"""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.matrix import columns_for, height_in, matrix, name_columns
from analysis.figures.rows import agents_of, of_table
from analysis.figures.script import Plot, each_condition, main
from analysis.figures.style import BLACK, GREY, PAGE_IN, SKY, NoData, key, short, styled

MEASURES = {
    "tor_pause": "cuts into pauses",
    "tor_end": "takes the turn at ends",
    "barge_in": "barge-in succeeds",
    "backchannels": "backchannels per min",
}
TERMS = {
    "archetype": "task",
    "task": "task",
    "model": "model",
    "partner": "partner",
    "interaction": "model × partner",
    "residual": "residual",
}
COLUMNS, BARS, DIAMONDS = (
    "columns: partner",
    "bars: η² of cell means ± SD",
    "diamonds: without sampling noise",
)
NAMES_IN, BAR_IN, FRAME_IN = 0.75, 0.18, 0.55


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return matrices and η² bars of one condition; NoData where nobody had a turn to take."""
    cells, shares = of_table(tables, "turns"), of_table(tables, "eta", "eta_corrected")
    shares = shares[shares["measure"].isin(MEASURES)]
    found = [measure for measure in MEASURES if measure in set(cells["measure"])]
    if not found:
        raise NoData("no agent had an opportunity to take or keep a turn")
    agents, terms = agents_of(tables), _places(shares)
    columns = columns_for(len(found), len(agents))
    figure, above, below = _pairs(len(found), columns, height_in(len(agents)), len(set(terms.values())))
    for axis, measure in zip(above, found, strict=True):
        own = cells[cells["measure"] == measure]
        matrix(axis, own, agents, top=max(own["value"].max(), 1e-9))
        name_columns(axis, agents, columns)
        axis.set_title(MEASURES[measure])
    for axis, measure in zip(below, found, strict=False):  # none where nothing has a share
        _bars(axis, shares[shares["measure"] == measure], terms)
    for axis in above[::columns]:
        axis.set_ylabel("acting agent")
    key(figure, [], _remark(shares))
    return figure


def _remark(shares: pd.DataFrame) -> str:
    """What is drawn, in words."""
    drawn = set(shares.loc[shares["value"].notna(), "table"])
    bars, diamonds = "eta" in drawn, "eta_corrected" in drawn
    return " · ".join([COLUMNS, *([BARS] if bars else []), *([DIAMONDS] if diamonds else [])])


def _places(shares: pd.DataFrame) -> dict[str, int]:
    """The line of each term; the levels of the first factor are archetypes or tasks, as data allow."""
    words = list(dict.fromkeys(word for term, word in TERMS.items() if term in set(shares["term"])))
    return {term: words.index(word) for term, word in TERMS.items() if word in words}


def _pairs(count: int, columns: int, matrix_in: float, terms: int) -> tuple[Figure, list[Axes], list[Axes]]:
    """Return a figure with axes of matrices and, where there are terms, axes of bars below each."""
    rows, bars_in = math.ceil(count / columns), BAR_IN * terms
    heights = [matrix_in + NAMES_IN, *([bars_in + FRAME_IN] if terms else [])] * rows
    figure = Figure((PAGE_IN, sum(heights) + 0.25))
    grid = figure.subplots(len(heights), columns, sharey="row", squeeze=False, height_ratios=heights)
    step = 2 if terms else 1
    above, below = grid[::step].ravel().tolist(), grid[1::2].ravel().tolist() if terms else []
    for spare in (*above[count:], *below[count:]):
        spare.remove()
    return figure, above[:count], below[:count]


def _bars(axis: Axes, own: pd.DataFrame, place: dict[str, int]) -> None:
    raw, corrected = (own[own["table"] == name] for name in ("eta", "eta_corrected"))
    y = raw["term"].map(place)
    axis.barh(y, raw["value"], 0.62, color=SKY, xerr=raw["sd"].fillna(0.0), ecolor=GREY, capsize=0)
    if raw.empty:
        axis.text(0.05, 0.5, "not defined: empty cells", transform=axis.transAxes, color=GREY, va="center")
    for at, value in zip(y, raw["value"], strict=True):
        axis.text(1.25, at, short(value), va="center", ha="right")
    # Shares without noise can be negative; on a scale that starts at 0 they stand at 0.
    lines = corrected["term"].map(place)
    axis.plot(corrected["value"].clip(0.0, 1.0), lines, "D", color=BLACK, ms=3, mfc="white", mew=0.8)
    words = dict(zip(place.values(), map(TERMS.get, place), strict=True))
    axis.set(yticks=list(words), ylim=(len(words) - 0.5, -0.5), yticklabels=list(words.values()))
    axis.set(xlim=(0, 1.25), xticks=[0, 0.5, 1], xlabel="share of variance")
    axis.tick_params(axis="y", length=0)


PLOT = Plot("turns", draw, each_condition)
if __name__ == "__main__":
    main(PLOT)
