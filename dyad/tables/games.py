"""Conflicts as games: what the side that wants something gets, on average and against the best reply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dyad.spec import Archetype
from dyad.stats import bootstrap, game_values, zero_sum
from dyad.stats.values import Floats

from .cells import Cells, cells_of, pool
from .draws import NONE, Draws, spread
from .frame import HEADLINE, scored
from .rows import ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd

# DyaFDB, Fig. 6: of requests and attacks all valid runs count, of claims and negotiations those with a deal.
OBTAINED: dict[Archetype, str] = {
    "t3_2": "granted", "t4_2": "leak", "t4_3": "won_if_decided", "t4_4": "gap_share"
}  # fmt: skip
GAMES: tuple[Archetype, ...] = ("t3_2", "t4_2", "t4_3", "t4_4")


def balance(part: pd.DataFrame) -> Iterator[Row]:
    """What the side that wants something gets, over all cells; nothing happening is a loss for it."""
    for archetype, measure in OBTAINED.items():
        own = scored(part, archetype, measure)
        if len(own):
            yield row("balance", archetype=archetype, measure=measure, **pool(own, measure)._asdict())


def games(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Value, with an interval over scenarios, and optimal strategies of each conflict with two sides.

    Rows are the models that obtain (and maximise), columns those that resist (and minimise). A strategy says
    how often a side that knows all cells would send each model; it has no interval.
    """
    for archetype in GAMES:
        own = scored(part, archetype)
        agents = sorted({*own["agent"], *own["partner"]})
        if agents:
            rng = draws.rng(f"game {archetype}")
            about = {"archetype": archetype, "measure": HEADLINE[archetype], "better": 0}
            found = _game(cells_of(own, agents), draws.bootstrap, rng)
            yield from (row("game", **about, **content) for content in found)


def _game(cells: Cells, draws: int, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    game = zero_sum(cells.pooled())
    scenarios = len(cells.scenarios)
    value: dict[str, Any] = {"term": "value", "scenarios": scenarios, "n": len(cells.agents) ** 2}
    if game is None or len(cells.agents) < 2:
        yield value | {"note": "one agent: no game" if len(cells.agents) < 2 else "empty cells: no game"}
        return

    def statistic(weights: Floats) -> dict[str, Floats]:
        return {"value": game_values(cells.pooled(weights))}

    drawn = bootstrap(statistic, scenarios, rng=rng, draws=draws).get("value")
    note = ONE_SCENARIO if scenarios == 1 else ""
    yield value | {"value": game.value, "note": note} | spread(drawn)
    for term, strategy in (("row strategy", game.row), ("column strategy", game.column)):
        for agent, probability in zip(cells.agents, strategy, strict=True):
            yield {"term": term, "agent": agent, "value": probability, "unit": "share"}
