"""Rankings over the pool of a study: who wins decisions, who holds the floor, who makes a good teammate.

Intervals are over resampled scenarios. Zero counts leave some estimates infinite; there half a count is added
on each side, which the note says. The mix of Nash averaging jumps between models and has no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from dyad.spec import Archetype
from dyad.stats import (
    ELO,
    Lifts,
    additive_logit,
    alpha_rank,
    best_response_proximity,
    bootstrap,
    bradley_terry,
    log_odds,
    nash_average,
    self_minus_cross,
    t_reach,
    transitive_share,
)
from dyad.stats.values import Floats

from .cells import Cells, cells_of
from .draws import NONE, Draws, spread
from .frame import scored
from .rows import ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd

ALPHAS = (1.0, 50.0)  # of α-rank: weak selection, which keeps all models in play, and strong
UNITS = {"Bradley-Terry": "log odds", "Nash skill": "log odds", "Elo": "points"}  # the others are shares
ONE_AGENT = "one agent: nothing to rank"
EMPTY = "empty cells: no ranking"
HALF = "half a count added each way: without it an estimate is infinite"


class Key(NamedTuple):
    """What one number of a ranking is about."""

    term: str
    agent: str = ""
    partner: str = ""


Content: TypeAlias = dict[str, Any]
Estimate: TypeAlias = Callable[[Floats], Mapping[Key, Floats]]
"""From weights [B, S] of scenarios to numbers [B]; NaN undefined."""


def rankings(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Bradley–Terry of T4-1 and how often pairs decide; Nash average and α-rank of T3-1; teammates of T2."""
    for archetype, measure, ranked in RANKED:
        own = scored(part, archetype, measure)
        agents = sorted({*own["agent"], *own["partner"]})
        if agents:
            cells, rng = cells_of(own, agents), draws.rng(f"rank {archetype}")
            found = ranked(cells, draws.bootstrap, rng) if len(agents) > 1 else [{"note": ONE_AGENT}]
            about = {"archetype": archetype, "measure": measure, "better": 0}
            yield from (row("rank", **about | content) for content in found)
    yield from _deciding(part)


def _wins(cells: Cells, draws: int, rng: np.random.Generator) -> Iterator[Content]:
    """Strengths from decided runs between two models: log odds, and the same in Elo points."""
    wins = cells.hits.sum(axis=0)
    if not (wins * (1 - np.eye(len(wins)))).any():
        yield {"term": "Bradley-Terry", "note": "no decided run between two agents"}
        return

    def estimate(weights: Floats) -> dict[Key, Floats]:
        strengths = _with_half(bradley_terry, np.tensordot(weights, cells.hits, 1))
        logs = {Key("Bradley-Terry", agent): strengths[:, i] for i, agent in enumerate(cells.agents)}
        return logs | {Key("Elo", key.agent): ELO * values for key, values in logs.items()}

    note = HALF if np.isnan(bradley_terry(wins)).any() else ""
    yield from _estimated(estimate, len(cells.scenarios), draws, rng, note)


def _floor(cells: Cells, draws: int, rng: np.random.Generator) -> Iterator[Content]:
    """Who gets the floor from whom: equilibrium of log odds, how far one order explains them, and α-rank."""
    ticks = cells.hits.sum(axis=0)
    average = nash_average(_with_half(log_odds, ticks))
    if average is None:
        yield {"note": EMPTY}
        return
    note = HALF if np.isnan(log_odds(ticks)).any() else ""
    for term, values in (("Nash skill", average.skill), ("Nash probability", average.probability)):
        for agent, value in zip(cells.agents, values, strict=True):
            yield {
                "term": term,
                "agent": agent,
                "value": value,
                "unit": UNITS.get(term, "share"),
                "note": note,
            }

    def estimate(weights: Floats) -> dict[Key, Floats]:
        odds = _with_half(log_odds, np.tensordot(weights, cells.hits, 1))
        found = {Key("transitive share"): transitive_share(odds)}
        for alpha in ALPHAS:
            visits = alpha_rank(1 / (1 + np.exp(-odds)), alpha)
            found |= {Key(f"alpha-rank {alpha:g}", a): visits[:, i] for i, a in enumerate(cells.agents)}
        return found

    for content in _estimated(estimate, len(cells.scenarios), draws, rng, note):
        yield content if content["value"] is not None else content | {"note": "all odds are even"}


def _teammates(cells: Cells, draws: int, rng: np.random.Generator) -> Iterator[Content]:
    """What a model achieves with its worst partner, what self-play adds, and how near it is to the best."""
    table, agents = cells.pooled(), cells.agents
    if np.isnan(table).any():
        yield {"note": EMPTY}
        return
    worst = [agents[j] for j in table.argmin(axis=1)]

    def estimate(weights: Floats) -> dict[Key, Floats]:
        scores = cells.pooled(weights)
        near, gain, least = best_response_proximity(scores), self_minus_cross(scores), scores.min(axis=2)
        found: dict[Key, Floats] = {}
        for i, agent in enumerate(agents):
            found[Key("worst partner", agent, worst[i])] = least[:, i]
            found[Key("self minus cross", agent)] = gain[:, i]
            found |= {Key("best-response proximity", agent, p): near[:, i, j] for j, p in enumerate(agents)}
        return found

    for content in _estimated(estimate, len(cells.scenarios), draws, rng):
        yield (
            content
            if content["value"] is not None
            else content | {"note": "nobody succeeds with this partner"}
        )


def _deciding(part: pd.DataFrame) -> Iterator[Row]:
    """How each model raises the odds that a pair decides at all: the other half of winning in T4-1."""
    own = part[(part["archetype"] == "t4_1") & (part["measure"] == "decided")]
    agents = sorted({*own["agent"], *own["partner"]})
    if len(agents) < 2:
        return
    cells = cells_of(own, agents)
    about = {
        "archetype": "t4_1",
        "measure": "decided",
        "term": "decided lift",
        "unit": "log odds",
        "better": 0,
    }
    found = additive_logit(cells.hits, cells.n)
    if found is None:
        yield row(
            "rank", **about, note="no finite estimate: some always or never decide, or too few were seen"
        )
        return
    for i, agent in enumerate(agents):
        yield row("rank", **about, agent=agent, **_lift(found, i))


def _lift(found: Lifts, i: int) -> Content:
    content: Content = {"value": found.lift[i], "n": found.n, "scenarios": found.scenarios}
    if found.se is None:
        return content | {"note": ONE_SCENARIO}
    half = t_reach(found.scenarios - 1) * found.se[i]
    ends = {"low": found.lift[i] - half, "high": found.lift[i] + half}
    return content | ends | {"sd": found.se[i], "interval": "scenarios"}


def _with_half(estimate: Callable[..., Floats], counts: Floats) -> Floats:
    """An estimate from counts; half a count added on each side where it is infinite without."""
    plain = estimate(counts)
    return np.where(np.isnan(plain), estimate(counts, half=True), plain) if np.isnan(plain).any() else plain


def _estimated(
    estimate: Estimate, scenarios: int, draws: int, rng: np.random.Generator, note: str = ""
) -> Iterator[Content]:
    """Every number with its interval; None where it is undefined."""

    def statistic(weights: Floats) -> dict[str, Floats]:
        return {str(i): values for i, values in enumerate(estimate(weights).values())}

    drawn = bootstrap(statistic, scenarios, rng=rng, draws=draws)
    note = "; ".join(filter(None, (note, ONE_SCENARIO if scenarios == 1 else "")))
    for i, (key, (value,)) in enumerate(estimate(np.ones((1, scenarios))).items()):
        content = key._asdict() | {"unit": UNITS.get(key.term, "share"), "scenarios": scenarios, "note": note}
        content["value"] = None if np.isnan(value) else float(value)
        ends = spread(drawn.get(str(i)))
        yield content | ends | {"note": "; ".join(filter(None, (note, ends.get("note", ""))))}


Ranked: TypeAlias = Callable[[Cells, int, np.random.Generator], Iterator[Content]]
RANKED: tuple[tuple[Archetype, str, Ranked], ...] = (
    ("t4_1", "won", _wins), ("t3_1", "occupancy", _floor), ("t2", "solved", _teammates)
)  # fmt: skip
