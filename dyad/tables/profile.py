"""What each agent scores over all partners: one number per archetype, nothing ranked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dyad.stats import bootstrap
from dyad.stats.events import Bools
from dyad.stats.values import Floats

from .cells import Cells, cells_of
from .draws import NONE, Draws, spread
from .frame import HEADLINE, scored, tie
from .rows import ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd


def profile(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Mean over partners of each agent's headline scores, every partner counting the same.

    The partners are those with which every agent has a score, so that agents are compared on the same ones.
    What an agent holds of a whole against itself (T3-1: the floor) is half by construction and left out, as
    in the averages of DyaFDB. Of n agents who all met, that scales how far each is from one half by
    n / (n - 1), so that they stay in order. Interval: bootstrap over scenarios.
    """
    for archetype, measure in HEADLINE.items():
        own = scored(part, archetype)
        cells = cells_of(own, sorted(set(own["agent"])), sorted(set(own["partner"])))
        if len(cells.scenarios):
            about = {"archetype": archetype, "measure": measure}
            counted = _counted(cells, pinned=tie(archetype, measure) == "all")
            yield from (row("profile", **about, **found) for found in _means(cells, counted, draws))


def _counted(cells: Cells, pinned: bool) -> Bools:
    """Which cells [M, P] count: those of the partners that all agents had.

    Of these an agent itself is left out where it is `pinned`, if all agents are among them: else the means of
    some would rest on more partners than those of others.
    """
    known = ~np.isnan(cells.pooled())
    own = np.equal.outer(cells.agents, cells.partners) & pinned
    shared = (known | own).all(axis=0)
    if (own & shared).any(axis=1).all():
        return np.asarray(shared & ~own)
    return np.broadcast_to(known.all(axis=0), known.shape)


def _means(cells: Cells, counted: Bools, draws: Draws) -> Iterator[Row]:
    if not counted.any():
        yield from ({"agent": agent, "note": "no partner in common"} for agent in cells.agents)
        return

    def statistic(weights: Floats) -> dict[str, Floats]:
        means = np.where(counted, cells.pooled(weights), 0.0).sum(axis=-1) / counted.sum(axis=-1)
        return {agent: means[:, i] for i, agent in enumerate(cells.agents)}

    count = len(cells.scenarios)
    drawn = bootstrap(statistic, count, rng=draws.rng("profile"), draws=draws.bootstrap)
    left_out = int((~counted.any(axis=0)).sum())
    note = f"{left_out} partner(s) left out: some agent has no score with them" if left_out else ""
    for i, agent in enumerate(cells.agents):
        value = float(statistic(np.ones((1, count)))[agent][0])
        found = {
            "agent": agent,
            "value": value,
            "n": float(cells.n[:, i, counted[i]].sum()),
            "scenarios": count,
        }
        ends = spread(drawn.get(agent))
        why = ends.get("note", ONE_SCENARIO if count == 1 else "")
        yield found | ends | {"note": "; ".join(filter(None, (note, why)))}
