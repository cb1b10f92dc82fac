"""How all figures look: sizes of a two-column page, one look per agent, and files that printers can use.

Figures are made without pyplot, so that they need no display and nothing is left behind between two of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dyad.library import INFO

COLUMN_IN, PAGE_IN = 3.35, 7.0  # widths of one column and of both
SMALL_PT, PLAIN_PT = 7.0, 8.0  # nothing is smaller than the first
LETTER_IN = 0.062  # width of a small letter
NAME_LETTERS = 11  # of a line of a name
# Okabe and Ito, Color Universal Design (2008), without yellow, which white paper swallows.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#767676"
PALE = "#E8E8E8"
SHADES = LinearSegmentedColormap.from_list("shades", ["#FFFFFF", SKY, BLUE])

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so figures look alike everywhere
    "font.size": SMALL_PT, "axes.titlesize": PLAIN_PT, "axes.labelsize": SMALL_PT,
    "xtick.labelsize": SMALL_PT, "ytick.labelsize": SMALL_PT, "legend.fontsize": SMALL_PT,
    "figure.titlesize": PLAIN_PT, "axes.titlelocation": "left", "axes.titlepad": 4.0,
    "axes.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "grid.color": PALE, "grid.linewidth": 0.6, "lines.linewidth": 1.2, "lines.markersize": 4.5,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5,
    "legend.frameon": False, "legend.handlelength": 2.2, "legend.borderaxespad": 0.2,
    "figure.constrained_layout.use": True, "figure.facecolor": "white", "savefig.facecolor": "white",
    "pdf.fonttype": 42, "hatch.linewidth": 0.4,  # text stays text, in fonts that journals take
}  # fmt: skip

P = ParamSpec("P")


class NoData(Exception):
    """A study lacks what a figure shows; the message says what."""


class Look(NamedTuple):
    """How one agent is drawn: never by its colour alone."""

    colour: str
    marker: str
    dash: Any


COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (7, 2)), (0, (3, 1, 1, 1, 1, 1)))


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw with `RC`, whatever the settings of a notebook are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(RC):
            return draw(*args, **kwargs)

    return drawn


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as PDF and, with 300 dots per inch, as PNG; return both paths.

    No date goes into the files, so the same study gives the same bytes.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("pdf", "png")]
    with mpl.rc_context(RC):
        figure.savefig(paths[0], metadata={"CreationDate": None})
        figure.savefig(paths[1], dpi=300, metadata={"Software": None})
    return paths


def looks(agents: Sequence[str]) -> dict[str, Look]:
    """Return the look of each agent. Colours repeat sooner than their marks and dashes do."""
    endless = zip(cycle(COLOURS), cycle(MARKERS), cycle(DASHES))
    return {agent: Look(*look) for agent, look in zip(agents, endless, strict=False)}


def panels(count: int, columns: int, width: float, height: float, **shared: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` panels in rows of `columns`; `height` is that of one row, in inches."""
    rows = math.ceil(count / columns)
    figure = Figure((width, rows * height))
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False, **shared)).tolist()
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def lowest(index: int, count: int, columns: int) -> bool:
    """Return whether no panel stands below this one."""
    return index + columns >= count


def known(name: str) -> str:
    """Return an archetype as papers print it, with what it is about."""
    return f"{name.upper().replace('_', '-')} {INFO[name].name}" if name in INFO else name


def code(name: str) -> str:
    """Return an archetype as papers print it."""
    return name.upper().replace("_", "-")


def wrapped(name: str) -> str:
    """Return a long name on several lines, broken after what separates its words."""
    lines = [""]
    for word in re.findall(r"[^_-]*[_-]?", name):
        if lines[-1] and len(lines[-1] + word) > NAME_LETTERS:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def short(value: float) -> str:
    """Return a share as `.25` and what is more than 1 with one decimal."""
    text = f"{value:.{2 if abs(value) < 1.005 else 1}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def between(low: float, high: float) -> str:
    """Return an interval, or nothing where there is none."""
    return "" if math.isnan(low) or math.isnan(high) else f"{short(low)}–{short(high)}"


def whiskers(values: pd.DataFrame) -> np.ndarray:
    """Return how far `low` and `high` lie from `value`, [2, rows]; 0 where there is no interval."""
    below, above = values["value"] - values["low"], values["high"] - values["value"]
    return np.nan_to_num(np.array([below, above], float)).clip(min=0.0)


def key(figure: Figure, handles: Sequence[Artist], remark: str = "") -> None:
    """Put one legend below all panels, with a line of small print where there is something to remark."""
    widths, width = [0.5 + LETTER_IN * len(str(x.get_label())) for x in handles], figure.get_figwidth()
    fitting = len(handles) if sum(widths) < width else max(1, int(width / max(widths)))
    rows = math.ceil(len(handles) / max(fitting, 1)) or 1
    columns = math.ceil(len(handles) / rows) or 1  # rows as full as can be
    legend = figure.legend(handles=list(handles), loc="outside lower center", ncols=columns, title=remark)
    legend.get_title().set_color(GREY)


def marks(agents: Sequence[str], lines: bool = False) -> list[Artist]:
    """Return what a legend shows of each agent: its mark, or its line."""
    named = {agent: {"color": look.colour, "label": agent} for agent, look in looks(agents).items()}
    if lines:
        return [Line2D([], [], ls=look.dash, **named[agent]) for agent, look in looks(agents).items()]
    return [
        Line2D([], [], ls="", marker=look.marker, **named[agent]) for agent, look in looks(agents).items()
    ]
