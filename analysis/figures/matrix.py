"""One matrix of cells as a tinted table: value above, its interval below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.figures.style import (
    LETTER_IN,
    PAGE_IN,
    PALE,
    PLAIN_PT,
    SHADES,
    SMALL_PT,
    between,
    short,
    wrapped,
)

CELL_IN = (0.48, 0.4)  # the smallest that holds an interval, and the height of all
NAMES_IN, GAP_IN = 0.75, 0.08


def columns_for(count: int, agents: int) -> int:
    """Return in how many columns so many matrices stand on a page, with rows as full as can be."""
    most = max(1, min(4, int((PAGE_IN - NAMES_IN) / (CELL_IN[0] * agents + GAP_IN))))
    return math.ceil(count / math.ceil(count / most))


def height_in(agents: int) -> float:
    """Return the height of a matrix without title and names."""
    return CELL_IN[1] * agents


def matrix(axis: Axes, cells: pd.DataFrame, agents: Sequence[str], top: float) -> None:
    """Draw the cells of one measure; tints run from 0 to `top`, and a cell without a value stays grey."""
    size = len(agents)
    place = {name: i for i, name in enumerate(agents)}
    values = np.full((size, size), np.nan)
    for cell in cells.itertuples():
        values[place[cell.agent], place[cell.partner]] = cell.value
    edges, tints = np.arange(size + 1) - 0.5, np.ma.masked_invalid(values)
    axis.set_facecolor(PALE)
    axis.pcolormesh(edges, edges, tints, cmap=SHADES, vmin=0, vmax=1.25 * top, edgecolors=PALE, lw=0.8)
    for cell in cells.itertuples():
        _write(axis, place[cell.partner], place[cell.agent], cell)
    axis.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), xticks=range(size), yticks=range(size))
    axis.set_yticklabels(map(wrapped, agents))
    axis.tick_params(length=0, labelbottom=False)
    axis.spines[:].set_visible(False)


def name_columns(axis: Axes, agents: Sequence[str], columns: int) -> None:
    """Write the partners' names below a matrix that is one of `columns`; upright where they are long."""
    cell_in = ((PAGE_IN - NAMES_IN) / columns - GAP_IN) / len(agents)
    lines = [line for name in agents for line in wrapped(name).split("\n")]
    fits = max(map(len, lines)) * LETTER_IN < cell_in
    axis.set_xticklabels(map(wrapped, agents), rotation=0 if fits else 90)
    axis.tick_params(labelbottom=True)


def _write(axis: Axes, x: float, y: float, cell: Any) -> None:
    interval = between(cell.low, cell.high)
    axis.text(x, y - 0.17 if interval else y, short(cell.value), ha="center", va="center", fontsize=PLAIN_PT)
    axis.text(x, y + 0.22, interval, ha="center", va="center", fontsize=SMALL_PT)
