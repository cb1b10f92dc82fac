"""Balance of the games: how often the side that wants something gets it, and what the game is worth.

python analysis/figures/balance.py STUDY [--out FOLDER]
"""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.rows import of_table
from analysis.figures.script import Plot, each_condition, main
from analysis.figures.style import (
    BLUE,
    COLUMN_IN,
    GREY,
    PALE,
    VERMILION,
    NoData,
    key,
    known,
    short,
    styled,
    whiskers,
)

Line = tuple[str, str]  # archetype and measure

PLAYED = 0.01  # a strategy with a smaller probability is not named
VALUE = "value of the game"
LETTERS = 34  # that fit between the axis and the edge of the column
MARKS_IN, TEXT_IN = 0.42, 0.13  # height of a line's marks, and of each line of text below them


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return win rates and game values of one condition; NoData where no task has two sides."""
    rates, games = of_table(tables, "balance"), of_table(tables, "game")
    values = games[games["term"] == "value"]
    both = pd.concat([rates, values])
    if both.empty:
        raise NoData("no task has a side that wants something from the other")
    lines = sorted(set(zip(both["archetype"], both["measure"], strict=True)), reverse=True)
    told = {line: _strategies(games[games["archetype"] == line[0]]) for line in _lines_of(values)}
    line_in = MARKS_IN + TEXT_IN * max((len(text.splitlines()) for text in told.values()), default=0)
    figure = Figure((COLUMN_IN, line_in * len(lines) + 0.8))
    axis = figure.subplots()
    _points(
        axis, rates, [lines.index(line) + 0.07 / line_in for line in _lines_of(rates)], "wins, all pairings"
    )
    _points(axis, values, [lines.index(line) - 0.07 / line_in for line in _lines_of(values)], VALUE)
    for line, text in told.items():
        below = {"xytext": (0, -11), "textcoords": "offset points", "in_layout": False}
        axis.annotate(text, (0.0, lines.index(line)), color=GREY, va="top", **below)
    _frame(axis, lines, MARKS_IN / 2 / line_in)
    key(figure, axis.get_legend_handles_labels()[0], "grey: what either side would best play")
    return figure


def _lines_of(rows: pd.DataFrame) -> list[Line]:
    return list(zip(rows["archetype"], rows["measure"], strict=True))


def _points(axis: Axes, rows: pd.DataFrame, y: list[float], label: str) -> None:
    look = {"fmt": "D", "color": VERMILION} if label == VALUE else {"fmt": "o", "color": BLUE}
    axis.errorbar(rows["value"], y, xerr=whiskers(rows), ms=4.5, label=label, elinewidth=0.9, **look)


def _strategies(game: pd.DataFrame) -> str:
    """Say what the row side and the column side would play, in lines that fit."""
    row, column = (_mix(game[game["term"] == f"{side} strategy"]) for side in ("row", "column"))
    text = f"{row} against {column}"
    if len(text) <= LETTERS:
        return text
    return "\n".join([*textwrap.wrap(row, LETTERS), *textwrap.wrap(f"against {column}", LETTERS)])


def _mix(strategy: pd.DataFrame) -> str:
    played = strategy[strategy["value"] > PLAYED]
    if len(played) == 1:
        return str(played["agent"].iat[0])
    return " + ".join(f"{short(row.value)} {row.agent}" for row in played.itertuples())


def _frame(axis: Axes, lines: list[Line], above: float) -> None:
    axis.axvline(0.5, color=PALE, lw=1.0, zorder=0)
    axis.set(xlim=(-0.02, 1.02), ylim=(above - 1, len(lines) - 1 + above))
    axis.set_xlabel("what the side that wants something gets")
    axis.set_yticks(range(len(lines)), [f"{known(archetype)}\n{measure}" for archetype, measure in lines])
    axis.tick_params(axis="y", length=0)


PLOT = Plot("balance", draw, each_condition)
if __name__ == "__main__":
    main(PLOT)
