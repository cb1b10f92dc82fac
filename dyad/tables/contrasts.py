"""Contrasts: what one agent scores more than another with the same partners in the same scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dyad.stats.values import Floats

from .cells import Cells, cells_of
from .draws import NONE, Draws
from .paired import mean_known, measured, paired
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd


def contrasts(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Contrasts of every two agents, in each headline score and in turn-taking, paired by scenario.

    A scenario's difference is taken with each partner that both had there, then their mean (partner ""); with
    several partners in common there is a row for each of them too.
    """
    agents, partners = (sorted(set(part[column])) for column in ("agent", "partner"))
    rng = draws.rng("contrast")
    for about, own in measured(part):
        cells = cells_of(own, agents, partners)
        for agent, term, partner, differences in _differences(cells):
            found = paired(differences, draws.permutations, rng)
            yield row("contrast", **about, agent=agent, term=term, partner=partner, **found)


def _differences(cells: Cells) -> Iterator[tuple[str, str, str, Floats]]:
    """Agent, name, partner and the differences [S] of every contrast; partner "" is the mean of all."""
    values = cells.values
    for one, other in combinations(range(len(cells.agents)), 2):
        agent, term = cells.agents[one], f"{cells.agents[one]} − {cells.agents[other]}"
        by_partner = values[:, one] - values[:, other]
        shared = np.flatnonzero((~np.isnan(by_partner)).any(axis=0))
        if len(shared):
            yield agent, term, "", mean_known(by_partner)
        for column in shared if len(shared) > 1 else ():
            yield agent, term, cells.partners[column], by_partner[:, column]
