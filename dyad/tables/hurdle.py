"""Act and success: how often an agent does what a task turns on, what it achieves then, and what in all.

A score among the runs with the act never stands alone. A run counts where act and score are both known, so
that score = act · score_if_act + unprompted holds to the last run; the others are `missing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dyad.measure.catalogue import MEASURES
from dyad.spec import Archetype
from dyad.stats import Bootstrap, Sums, bootstrap, chance_corrected, hurdle_sums, win_bounds
from dyad.stats.values import Floats

from .cells import cells_of, divided
from .draws import NONE, Draws, spread
from .frame import scored
from .rows import ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd


class Behind(NamedTuple):
    """An act, the score behind it, and the name under which each term is shown; the others are not."""

    archetype: Archetype
    act: str
    score: str
    shown: Mapping[str, str]


NEEDING_ACT = {term: term for term in ("act", "score_if_act", "score")}  # nothing is scored without the act
ALL = NEEDING_ACT | {term: term for term in ("joint", "unprompted", "score_if_no_act")}
OF_ROOM = {"act": "deal_if_room", "score_if_act": "surplus_if_deal", "score": "surplus"}
HURDLES = (
    Behind("t1_1", "entered", "adherence", ALL), Behind("t1_2", "entered", "adherence", ALL),
    Behind("t2", "decided", "solved", NEEDING_ACT), Behind("t3_2", "asked", "granted", ALL),
    Behind("t4_1", "decided", "won", NEEDING_ACT), Behind("t4_2", "asked", "leak", ALL),
    Behind("t4_3", "decided", "won", NEEDING_ACT), Behind("t4_4", "settled", "gap_share", NEEDING_ACT),
    Behind("t4_4", "settled", "surplus", OF_ROOM),
)  # fmt: skip
CHANCE = 1 / 4  # of the five places in a T2 list, an answer can stand at all but the first (lint rule L06)
NEVER = {
    "entered": "never in role", "decided": "no decided run", "asked": "never asked", "settled": "no deal"
}  # fmt: skip


@dataclass(frozen=True)
class _Sums:
    """Hits and n of each term by scenario, agent and partner, [S, M, P + 1]; the last is all partners."""

    terms: dict[str, Sums]
    missing: Floats  # [M, P + 1]
    agents: tuple[str, ...]

    @property
    def partners(self) -> tuple[str, ...]:
        return (*self.agents, "")

    def rates(self, weights: Floats) -> dict[str, Floats]:
        """Rates of each term, [B, M, P + 1], in resamples of weights [B, S]."""
        return {
            term: divided(np.tensordot(weights, hits, 1), np.tensordot(weights, n, 1))
            for term, (hits, n) in self.terms.items()
        }


def hurdles(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Act, score given the act, and score, per agent over all partners and per cell.

    Intervals are over scenarios. Where a score needs no act, also what it adds up from; of T4-1 and T4-3 the
    bounds with undecided runs lost or won; of T2 what decided runs have beyond chance. T4-4's scores are
    shares of the gap, or of the room between the limits, so that `score` is the mean share with no deal as 0.
    """
    for behind in HURDLES:
        joined = _joined(part, behind)
        if len(joined):
            rng = draws.rng(f"hurdle {behind.archetype} {behind.score}")
            yield from _rows(behind, _sums(joined), draws.bootstrap, rng)


def _joined(part: pd.DataFrame, behind: Behind) -> pd.DataFrame:
    """The scored rows with their run's act: 1, 0, or NaN where act or score is unknown."""
    own = scored(part, behind.archetype, behind.score)
    acts = part[(part["archetype"] == behind.archetype) & (part["measure"] == behind.act)]
    of_pair = bool((acts["seat"] == "").all())  # a decision is the pair's, a demand its speaker's
    keys = ["run_id"] if of_pair else ["run_id", "seat"]
    known = acts.groupby(keys)["value"].first().rename("act")
    joined = own.merge(known, left_on=keys, right_index=True, how="left")
    return joined.assign(act=joined["act"].where(joined["value"].notna()).astype(float))


def _sums(joined: pd.DataFrame) -> _Sums:
    agents = tuple(sorted({*joined["agent"], *joined["partner"]}))
    known = joined[joined["act"].notna()]
    acted, others = known["act"], 1 - known["act"]
    with_act = cells_of(known.assign(value=known["value"] * acted, n=acted), agents)
    without = cells_of(known.assign(value=known["value"] * others, n=others), agents)
    unknown = joined[joined["act"].isna()].assign(value=1.0, n=1.0)
    terms = hurdle_sums(*map(_and_all, (with_act.n, with_act.hits, without.n, without.hits)))
    return _Sums(terms, _and_all(cells_of(unknown, agents).n).sum(axis=0), agents)


def _and_all(sums: Floats) -> Floats:
    """Sums [..., P] with their sum over partners as one more column."""
    return np.concatenate([sums, sums.sum(axis=-1, keepdims=True)], axis=-1)


def _rows(behind: Behind, sums: _Sums, draws: int, rng: np.random.Generator) -> Iterator[Row]:
    drawn = _drawn(sums, behind.shown, draws, rng)
    runs = np.sum(sums.terms["act"].n, axis=0)
    for i, j in zip(*np.nonzero(runs + sums.missing), strict=True):
        who = {"agent": sums.agents[i], "partner": sums.partners[j], "missing": int(sums.missing[i, j])}
        about = {"archetype": behind.archetype, "measure": behind.score} | who
        found = [_term(behind, sums, term, (i, j), drawn.get(f"{term} {i} {j}")) for term in behind.shown]
        yield from (row("hurdle", **about | content) for content in (*found, *_more(behind, found)))


def _drawn(sums: _Sums, terms: Iterable[str], draws: int, rng: np.random.Generator) -> dict[str, Bootstrap]:
    def statistic(weights: Floats) -> dict[str, Floats]:
        rates = sums.rates(weights)
        cells = np.ndindex(rates["act"].shape[1:])
        return {f"{term} {i} {j}": rates[term][:, i, j] for i, j in cells for term in terms}

    return bootstrap(statistic, len(sums.terms["act"].n), rng=rng, draws=draws)


def _term(
    behind: Behind, sums: _Sums, term: str, cell: tuple[int, int], drawn: Bootstrap | None
) -> dict[str, Any]:
    """Value and interval of one term of a cell, or why it has none."""
    hits, n = (float(values[:, *cell].sum()) for values in sums.terms[term])
    per_scenario = sums.terms[term].n[:, *cell] > 0
    about: dict[str, Any] = {"unit": "share", "better": MEASURES[behind.act].better} if term == "act" else {}
    content = about | {"term": behind.shown[term], "hits": hits, "n": n, "scenarios": int(per_scenario.sum())}
    if not n:
        return content | {"note": _why_not(behind, term, float(sums.terms["act"].n[:, *cell].sum()))}
    content["value"] = hits / n
    return content | (spread(drawn) if content["scenarios"] > 1 else {"note": ONE_SCENARIO})


def _why_not(behind: Behind, term: str, runs: float) -> str:
    if not runs:
        return "no run in which act and score are both known"
    return NEVER[behind.act] if term == "score_if_act" else "no run without the act"


def _more(behind: Behind, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What follows from the rates of a cell: bounds of winning, and success beyond chance."""
    act, given, score = found[:3]
    if behind.score == "won" and score["n"]:
        low, high = win_bounds(given["hits"], act["hits"], score["n"]) or (None, None)
        ends = {"low": low, "high": high, "interval": "undecided runs lost or won"}
        yield {"term": "bounds", "n": score["n"], "scenarios": score["scenarios"]} | ends
    if behind.score == "solved":
        ends = {key: chance_corrected(given[key], CHANCE) for key in ("value", "low", "high") if key in given}
        sd = {"sd": given["sd"] / (1 - CHANCE)} if "sd" in given else {}
        yield given | ends | sd | {"term": "chance-corrected", "unit": "ratio"}
