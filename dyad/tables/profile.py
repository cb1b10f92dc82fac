"""What each agent scores over all partners: one number per archetype, nothing ranked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dyad.stats import bootstrap

from .cells import Cells, Floats, cells_of
from .draws import NONE, Draws
from .frame import HEADLINE, scored
from .rows import ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd


def profile(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Mean over partners of each agent's headline scores, every partner counting the same.

    The partners are those with which every agent has a score, so that agents are compared on the same ones.
    Interval: bootstrap over scenarios.
    """
    for archetype, measure in HEADLINE.items():
        own = scored(part, archetype)
        cells = cells_of(own, sorted(set(own["agent"])), sorted(set(own["partner"])))
        if len(cells.scenarios):
            about = {"archetype": archetype, "measure": measure}
            yield from (row("profile", **about, **found) for found in _means(cells, draws))


def _means(cells: Cells, draws: Draws) -> Iterator[Row]:
    shared = ~np.isnan(cells.pooled()).any(axis=0)
    if not shared.any():
        yield from ({"agent": agent, "note": "no partner in common"} for agent in cells.agents)
        return

    def statistic(weights: Floats) -> dict[str, Floats]:
        means = cells.pooled(weights)[..., shared].mean(axis=-1)
        return {agent: means[:, i] for i, agent in enumerate(cells.agents)}

    count = len(cells.scenarios)
    drawn = bootstrap(statistic, count, rng=draws.rng("profile"), draws=draws.bootstrap)
    left_out = int((~shared).sum())
    note = f"{left_out} partner(s) left out: some agent has no score with them" if left_out else ""
    for i, agent in enumerate(cells.agents):
        value = float(statistic(np.ones((1, count)))[agent][0])
        found = {
            "agent": agent,
            "value": value,
            "n": float(cells.n[:, i][:, shared].sum()),
            "scenarios": count,
        }
        if ends := drawn.get(agent):
            found |= {"sd": ends.sd, "low": ends.low, "high": ends.high, "interval": "bootstrap"}
        yield found | {"note": note or (ONE_SCENARIO if count == 1 else "")}
