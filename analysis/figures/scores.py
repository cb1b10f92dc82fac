"""Task scores: a matrix per archetype, row = acting agent, column = its partner.

python analysis/figures/scores.py STUDY [--out FOLDER]
"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.matrix import columns_for, height_in, matrix, name_columns
from analysis.figures.rows import agents_of, of_table
from analysis.figures.script import Plot, each_condition, main
from analysis.figures.style import PAGE_IN, NoData, key, known, lowest, panels, styled
from dyad.tables import HEADLINE

KINDS = {"scenarios": "over scenarios", "wilson": "Wilson, runs taken as independent"}


@styled
def draw(tables: pd.DataFrame) -> Figure:
    """Return the score matrices of one condition; NoData where no score has a value."""
    own = of_table(tables, "matrix")
    if own.empty:
        raise NoData("no task has a score")
    agents = agents_of(tables)
    found = [archetype for archetype in HEADLINE if archetype in set(own["archetype"])]
    columns = columns_for(len(found), len(agents))
    figure, axes = panels(len(found), columns, PAGE_IN, height_in(len(agents)) + 0.6, sharey=True)
    for index, (axis, archetype) in enumerate(zip(axes, found, strict=True)):
        cells = own[own["archetype"] == archetype]
        matrix(axis, cells, agents, top=1.0)
        if lowest(index, len(found), columns):
            name_columns(axis, agents, columns)
        axis.set_title(f"{known(archetype)}\n{HEADLINE[archetype]}")
    figure.supylabel("acting agent")
    key(figure, [], _remark(own))
    return figure


def _remark(cells: pd.DataFrame) -> str:
    kinds = [word for kind, word in KINDS.items() if kind in set(cells["interval"])]
    intervals = f"95 % intervals: {'; '.join(kinds)}" if kinds else "no intervals"
    return f"columns: partner · {intervals}"


PLOT = Plot("scores", draw, each_condition)
if __name__ == "__main__":
    main(PLOT)
