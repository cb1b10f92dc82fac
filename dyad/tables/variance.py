"""η²: how much of the differences between cells goes with the agent, with its partner, and with both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dyad.spec import task_of
from dyad.stats import bootstrap, eta_squared, three_way_parts, two_way_parts

from .cells import Cells, Floats, cells_of
from .frame import HEADLINE, scored
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd

VARIANCE = ("tor_pause", "tor_end", "backchannels", "barge_in")


def variance(frame: pd.DataFrame, draws: int = 0) -> Iterator[Row]:
    """η²: three-way over archetype × model × partner for turn-taking, two-way for each score matrix.

    By task where some archetype leaves a cell without opportunities; dropped if even that leaves a hole.
    With one level, as in a study of free conversation, turn-taking too is split two-way.
    `draws`: resamples of scenarios within their archetype for `sd`; 0 for none.
    """
    agents = sorted(set(frame["agent"]))
    if len(agents) < 2:
        return
    for measure in VARIANCE:
        cells = cells_of(frame[frame["measure"] == measure], agents)
        for factor, level_of in (("archetype", str), ("task", task_of)):
            rows = _eta(cells, [level_of(archetype) for archetype in cells.archetypes], draws)
            if rows:
                yield from (row("eta", archetype=factor, measure=measure, **found) for found in rows)
                break
    for archetype, measure in HEADLINE.items():
        cells = cells_of(scored(frame, archetype), agents)
        about = {"archetype": archetype, "measure": measure}
        yield from (row("eta", **about, **found) for found in _eta(cells, cells.archetypes, draws))


def _eta(cells: Cells, levels: Sequence[str], draws: int) -> list[Row]:
    """Return the shares of level of a factor × agent × partner; none where a cell is undefined."""
    statistic = _shares(cells, levels)
    shares = {term: float(value[0]) for term, value in statistic(np.ones((1, len(levels)))).items()}
    if not shares or np.isnan(list(shares.values())).any():
        return []
    rng = np.random.default_rng(0)
    drawn = bootstrap(statistic, len(levels), rng=rng, strata=cells.archetypes, draws=draws)
    size = len(set(levels)) * len(cells.agents) ** 2
    head = {"n": size, "unit": "share of variance", "better": 0}
    return [
        head | {"term": term, "value": share, "sd": drawn[term].sd if term in drawn else None}
        for term, share in shares.items()
    ]


def _shares(cells: Cells, levels: Sequence[str]) -> Callable[[Floats], dict[str, Floats]]:
    """The η² of resamples, cells being pooled by the level that each scenario belongs to."""
    masks = [np.array([level == own for own in levels], float) for level in sorted(set(levels))]

    def statistic(weights: Floats) -> dict[str, Floats]:
        tables = [cells.pooled(weights * mask) for mask in masks]
        if len(tables) == 1:
            return eta_squared(tables[0], two_way_parts)
        return eta_squared(np.stack(tables, axis=1), three_way_parts) if tables else {}

    return statistic
