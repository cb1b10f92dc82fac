"""Judges: how far every two of them, rules, models or people, agree on each question, beyond chance.

python analysis/figures/judges.py STUDY [--out FOLDER]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures.script import Plot, labels, main
from analysis.figures.style import (
    BLACK,
    BLUE,
    COLUMN_IN,
    GREEN,
    GREY,
    PAGE_IN,
    PALE,
    PURPLE,
    VERMILION,
    Look,
    NoData,
    key,
    panels,
    styled,
)
from dyad.judge.panel import Labels, Pair, pairs

COEFFICIENTS = {
    "exact": Look(BLACK, "P", "-"),
    "kappa": Look(BLUE, "o", "-"),
    "ac1": Look(VERMILION, "s", "-"),
    "alpha": Look(GREEN, "^", "-"),
    "rho": Look(PURPLE, "D", "-"),
}
MARK: dict[str, Any] = {"ms": 3.5, "mew": 0}
WORDS = {"exact": "exact", "kappa": "κ", "ac1": "AC1", "alpha": "α", "rho": "ρ"}


@styled
def draw(given: pd.DataFrame) -> Figure:
    """Return one panel per two judges, from the labels of a study; NoData where there are none."""
    found = agreements(given)
    if not found:
        raise NoData("no two judges labelled the same conversations")
    couples = list(dict.fromkeys(pair.judges for pair in found))
    questions = sorted({pair.question for pair in found})
    columns = min(len(couples), 3)
    width, height = COLUMN_IN if columns == 1 else PAGE_IN, 0.3 * len(questions) + 0.75
    figure, axes = panels(len(couples), columns, width, height, sharex=True, sharey=True)
    for axis, couple in zip(axes, couples, strict=True):
        _panel(axis, [pair for pair in found if pair.judges == couple], questions)
        axis.set_title(" – ".join(couple))
    key(figure, _handles(axes[0]), "grey numbers: how many labels both gave")
    return figure


def agreements(given: pd.DataFrame) -> list[Pair]:
    """Return the agreement of every two judges that labelled the same, from the labels of a study."""
    scenarios = dict(zip(given["run_id"], given["scenario"], strict=True)) if len(given) else {}
    return [pair for pair in pairs(by_judge(given), scenarios) if pair.agreement.n]


def by_judge(given: pd.DataFrame) -> dict[str, Labels]:
    """Return the labels of each judge, without what follows from a silence: nobody can disagree on that."""
    asked = given[given["status"] != "no_speech"] if len(given) else given.reindex(columns=["judge"])
    return {
        str(judge): {
            (x.run_id, x.question, x.seat or None): x.label if isinstance(x.label, str) else None
            for x in own.itertuples()
        }
        for judge, own in asked.groupby("judge")
    }


def _panel(axis: Axes, found: Sequence[Pair], questions: Sequence[str]) -> None:
    for pair in found:
        y = questions.index(pair.question)
        axis.axhline(y + 0.5, color=PALE, lw=0.6, zorder=0)
        for line, (name, look) in enumerate(COEFFICIENTS.items()):
            value = getattr(pair.agreement, name)
            if value is not None:
                axis.plot(value, y + 0.15 * (line - 2), look.marker, color=look.colour, **MARK)
        axis.text(1.06, y, f"{pair.agreement.n}", color=GREY, va="center")
    axis.set(yticks=range(len(questions)), ylim=(len(questions) - 0.5, -0.5), yticklabels=questions)
    axis.set(xlim=(min(0.0, axis.get_xlim()[0]), 1.04), xlabel="agreement")
    axis.tick_params(axis="y", length=0)


def _handles(axis: Axes) -> list[Artist]:
    return [
        axis.plot([], [], look.marker, color=look.colour, label=WORDS[name], **MARK)[0]
        for name, look in COEFFICIENTS.items()
    ]


PLOT = Plot("judges", draw, labels)
if __name__ == "__main__":
    main(PLOT)
