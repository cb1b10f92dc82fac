"""Longer windows: how often agents act and score when conversations last 30, 60 or 120 s.

python analysis/figures/windows.py STUDY [--out FOLDER]
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.figures.rows import agents_of, hurdles, of_table
from analysis.figures.script import Plot, all_conditions, main
from analysis.figures.style import (
    BLACK,
    PAGE_IN,
    Look,
    NoData,
    key,
    known,
    looks,
    lowest,
    marks,
    panels,
    styled,
    whiskers,
)
from dyad.tables import HEADLINE

DOTTED = (0, (1, 1.5))
ASIDE = 1.03  # from agent to agent, so that none hides another
SHOWN = ("archetype", "measure", "agent", "window_s", "value", "low", "high")
SECONDS = re.compile(r"(?:^|, )([\d.]+) s(?:, |$)")  # in the name of a condition


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return one panel per task over the windows of a study; NoData where it has one window only.

    Of studies that vary something else as well, the first of its conditions is drawn.
    """
    tables = _with_windows(tables)
    scores, acts = _scores(tables), _of_hurdle(tables, "act")
    if scores["window_s"].nunique() < 2:
        raise NoData("the study has one window")
    found, agents = [name for name in HEADLINE if name in set(scores["archetype"])], agents_of(tables)
    columns = min(len(found), 3)
    figure, axes = panels(len(found), columns, PAGE_IN, 1.75, sharey=True)
    for index, (axis, archetype) in enumerate(zip(axes, found, strict=True)):
        for i, (agent, look) in enumerate(looks(agents).items()):
            for rows, act in ((scores, False), (acts, True)):
                own = _one(rows, archetype, agent)
                _line(axis, own.assign(x=own["window_s"] * ASIDE ** (i - len(agents) / 2)), look, act)
        below = lowest(index, len(found), columns)
        _frame(axis, sorted(set(scores["window_s"])), below)
        measure = scores.loc[scores["archetype"] == archetype, "measure"].iat[0]
        axis.set_title(f"{known(archetype)}\n{measure}")
    dotted = Line2D([], [], color=BLACK, ls=DOTTED, marker="o", mfc="white", label="P(act)")
    told = ["lines: scores, over all partners", "whiskers: 95 % over scenarios", tables["beside"].iat[0]]
    key(figure, [*marks(agents), *([dotted] if len(acts) else [])], " · ".join(filter(None, told)))
    return figure


def _with_windows(tables: pd.DataFrame) -> pd.DataFrame:
    """Add each row's window, and keep the rows of the first of what differs `beside` it."""
    found = tables["condition"].str.extract(SECONDS, expand=False)
    rest = tables["condition"].str.replace(SECONDS, ", ", regex=True).str.strip(", ")
    own = tables.assign(window_s=pd.to_numeric(found), beside=rest)[found.notna()]
    return own[own["beside"] == own["beside"].iat[0]] if len(own) else own


def _scores(tables: pd.DataFrame) -> pd.DataFrame:
    """Each agent's score: the one behind an act where there is one, else the headline."""
    both = pd.concat([_of_hurdle(tables, "score"), of_table(tables, "profile")[list(SHOWN)]])
    return both.drop_duplicates(["archetype", "agent", "window_s"]).sort_values("window_s")


def _of_hurdle(tables: pd.DataFrame, term: str) -> pd.DataFrame:
    own = hurdles(tables)
    own = own[(own["term"] == term) & (own["partner"] == "") & (own["agent"] != "")]
    return own[list(SHOWN)].sort_values("window_s")


def _one(rows: pd.DataFrame, archetype: str, agent: str) -> pd.DataFrame:
    return rows[(rows["archetype"] == archetype) & (rows["agent"] == agent)]


def _line(axis: Axes, own: pd.DataFrame, look: Look, act: bool) -> None:
    if own.empty:
        return
    fill = {"mfc": "white", "lw": 0.7, "ms": 3.5} if act else {"ms": 4, "lw": 1.3}
    axis.errorbar(
        own["x"], own["value"], yerr=whiskers(own), color=look.colour, marker=look.marker,
        ls=DOTTED if act else "-", elinewidth=0.7, **fill,
    )  # fmt: skip


def _frame(axis: Axes, windows_s: Sequence[float], below: bool) -> None:
    axis.set(xscale="log", ylim=(0, 1.02), yticks=[0, 0.5, 1])
    axis.set_xticks(windows_s, [f"{window:g}" for window in windows_s])
    axis.minorticks_off()
    axis.margins(x=0.12)
    axis.set_xlabel("window, s" if below else "")


PLOT = Plot("windows", draw, all_conditions)
if __name__ == "__main__":
    main(PLOT)
