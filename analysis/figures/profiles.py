"""Profiles: what each agent does in every task, on one page.

python analysis/figures/profiles.py STUDY [--out FOLDER]
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.rows import agents_of, hurdles, of_table, row_means
from analysis.figures.script import Plot, each_condition, main
from analysis.figures.style import COLUMN_IN, PALE, NoData, key, looks, marks, styled, whiskers


class Behaviour(NamedTuple):
    """One line of the profile: `about` are the columns that tell its rows in the tables."""

    words: str
    table: str
    about: dict[str, str]


def _hurdle(words: str, archetype: str, term: str) -> Behaviour:
    return Behaviour(words, "hurdle", {"archetype": archetype, "term": term, "partner": ""})


BEHAVIOURS = (
    _hurdle("T1-1 enters its role", "t1_1", "act"),
    _hurdle("T1-1 holds its role", "t1_1", "score"),
    _hurdle("T1-2 holds its role", "t1_2", "score"),
    _hurdle("T2 decides", "t2", "act"),
    _hurdle("T2 solves once decided", "t2", "score_if_act"),
    Behaviour("T3-1 holds the floor", "profile", {"archetype": "t3_1"}),
    Behaviour("T3-2 holds the floor", "profile", {"archetype": "t3_2"}),
    _hurdle("T3-2 asks", "t3_2", "act"),
    _hurdle("T3-2 gets it once it asks", "t3_2", "score_if_act"),
    _hurdle("T4-1 wins its choice", "t4_1", "score"),
    _hurdle("T4-2 asks", "t4_2", "act"),
    _hurdle("T4-2 extracts once it asks", "t4_2", "score_if_act"),
    Behaviour("T4-3 wins once decided", "profile", {"archetype": "t4_3"}),
    Behaviour("T4-4 share of the gap", "profile", {"archetype": "t4_4"}),
    Behaviour("cuts into pauses", "turns", {"measure": "tor_pause"}),
    Behaviour("takes the turn at ends", "turns", {"measure": "tor_end"}),
    Behaviour("barge-in succeeds", "turns", {"measure": "barge_in"}),
)


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return one line per behaviour, one mark per agent; NoData where no agent showed any."""
    found = {x.words: rows for x in BEHAVIOURS if len(rows := _of_agents(tables, x))}
    if not found:
        raise NoData("no agent had an opportunity to show any behaviour")
    agents = agents_of(tables)
    line_in = 0.09 + 0.07 * len(agents)
    figure = Figure((COLUMN_IN, line_in * len(found) + 0.9))
    axis = figure.subplots()
    for y, rows in enumerate(found.values()):
        _line(axis, rows, agents, y)
    axis.set(yticks=range(len(found)), ylim=(len(found) - 0.5, -0.5), yticklabels=list(found))
    axis.set(xlim=(-0.02, 1.02), xlabel="share")
    axis.tick_params(axis="y", length=0)
    key(figure, marks(agents), "over all partners; whiskers: 95 % over scenarios")
    return figure


def _of_agents(tables: pd.DataFrame, behaviour: Behaviour) -> pd.DataFrame:
    """Return value, low and high of each agent over all partners, or else the mean of its cells."""
    own = hurdles(tables) if behaviour.table == "hurdle" else of_table(tables, behaviour.table)
    for column, value in behaviour.about.items():
        own = own[own[column] == value]
    return row_means(own) if behaviour.table == "turns" else own


def _line(axis: Axes, rows: pd.DataFrame, agents: list[str], y: float) -> None:
    if y:
        axis.axhline(y - 0.5, color=PALE, lw=0.6, zorder=0)
    for i, (agent, look) in enumerate(looks(agents).items()):
        own = rows[rows["agent"] == agent]
        at = y + ((i + 0.5) / len(agents) - 0.5) * 0.75
        bars = {"xerr": whiskers(own), "elinewidth": 0.8}
        axis.errorbar(own["value"], [at] * len(own), fmt=look.marker, ms=3.5, color=look.colour, **bars)


PLOT = Plot("profiles", draw, each_condition)
if __name__ == "__main__":
    main(PLOT)
