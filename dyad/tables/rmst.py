"""Restricted mean times, their differences between agents, and log-rank tests of whole curves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dyad.spec import TICK_S
from dyad.stats import USUAL, bootstrap, logrank, rmst
from dyad.stats.curves import restricted_means
from dyad.stats.swap import mean_differences, swap_test
from dyad.stats.values import Floats

from .draws import NONE, Draws
from .rows import Row, row
from .samples import Sample, drawn_ends, groups, sample, to_seconds, window_ticks

if TYPE_CHECKING:
    import pandas as pd

MEANS = ("entry", "deviation")
APART = "no partner or scenario in common"


def restricted(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Mean time to entry and deviation up to `at`, with the interval of a bootstrap over scenarios.

    Up to the window; where deviation counts from entry, up to half of it, as whoever enters late is not seen
    for longer.
    """
    for measure in MEANS:
        own = part[part["measure"] == measure]
        for who, rows in groups(own):
            tau, times = _tau(own, measure), sample(rows)
            about = {**who._asdict(), "measure": measure, "at": to_seconds(tau)}
            yield row("rmst", **about, **_mean(times, tau, draws))


def differences(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Differences of those means between agents in s, with the partners and scenarios that both had.

    Interval: bootstrap over the scenarios. `p`: the two agents are exchanged in whole scenarios. `mde`: what
    a difference would have to be to be seen with 80 % power.
    """
    for measure, archetype, rows, agents in _by_archetype(part):
        tau = _tau(rows, measure)
        for one, two in combinations(agents, 2):
            about = {"archetype": archetype, "measure": measure, "agent": one, "at": to_seconds(tau)}
            found = _difference(_samples(rows, (one, two)), tau, draws)
            yield row("contrast", **about, term=f"{one} − {two}", **found)


def logranks(part: pd.DataFrame) -> Iterator[Row]:
    """Log-rank tests, stratified by scenario: of all agents, and of each pair where there are more than two.

    Each test takes the partners that all of its agents had. It takes the seats of a scenario as independent,
    so it is too sure where agents differ from scenario to scenario; the test of their means is not.
    """
    for measure, archetype, rows, agents in _by_archetype(part):
        pairs = {f"{one} − {two}": (one, two) for one, two in combinations(agents, 2)}
        tests = {"agents": agents} | (pairs if len(agents) > 2 else {})
        for term, compared in tests.items():
            about = {"archetype": archetype, "measure": measure, "term": term, "unit": "chi squared"}
            yield row("logrank", **about, better=0, **_logrank(_samples(rows, compared)))


def _tau(rows: pd.DataFrame, measure: str) -> int:
    since_entry = measure == "deviation" and rows["mode"].iloc[0] != "paper"
    return window_ticks(rows) // (2 if since_entry else 1)


def _by_archetype(part: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame, tuple[str, ...]]]:
    """Measure, archetype, its rows and agents, where two or more have times."""
    for measure in MEANS:
        own = part[(part["measure"] == measure) & part["value"].notna()]
        for archetype, rows in own.groupby("archetype", sort=True):
            agents = tuple(sorted(set(rows["agent"])))
            if len(agents) > 1:
                yield measure, str(archetype), rows, agents


def _samples(rows: pd.DataFrame, agents: Sequence[str]) -> list[Sample]:
    """The times of each agent with the partners that all of them had."""
    shared = set.intersection(*(set(rows.loc[rows["agent"] == agent, "partner"]) for agent in agents))
    fair = rows[rows["partner"].isin(shared)]
    return [sample(fair[fair["agent"] == agent]) for agent in agents]


def _mean(own: Sample, tau: int, draws: Draws) -> Row:
    size = {"n": own.times.size, "scenarios": len(own.names), "missing": own.missing}
    found = rmst(own.curve(), tau)
    if found is None:
        return size | {"note": "nobody is followed so far" if own.times.size else "all times missing"}
    table = own.counts()
    drawn = bootstrap(
        lambda weights: {"mean": restricted_means(table, weights, tau)},
        len(own.names),
        rng=draws.rng("rmst"),
        draws=draws.bootstrap,
    )
    ends = drawn_ends(drawn.get("mean"), len(own.names), draws, TICK_S)
    return size | {"value": found.value * TICK_S} | ends


def _difference(samples: Sequence[Sample], tau: int, draws: Draws) -> Row:
    one, two = samples
    names = sorted(set(one.names) & set(two.names))
    if not names:
        return {"n": 0, "scenarios": 0, "note": APART}
    stacked = _stacked(one.of(names), two.of(names))
    both, size = stacked.counts(), {"n": stacked.times.size, "scenarios": len(names)}

    def statistic(weights: Floats) -> dict[str, Floats]:
        return {"difference": mean_differences(both, np.hstack((weights, np.zeros(weights.shape))), tau)}

    value = float(statistic(np.ones((1, len(names))))["difference"][0])
    if math.isnan(value):
        return size | {"note": "nobody is followed so far"}
    drawn = bootstrap(statistic, len(names), rng=draws.rng("rmst"), draws=draws.bootstrap).get("difference")
    p = swap_test(both, tau, draws.rng("swap"), draws.permutations)
    ends = drawn_ends(drawn, len(names), draws, TICK_S)
    return size | {"value": value * TICK_S, "p": p, "mde": _mde(ends.get("sd"), len(names))} | ends


def _stacked(one: Sample, two: Sample) -> Sample:
    """Both samples as one, the scenarios of the second after those of the first."""
    names = [f"{k}{name}" for k, own in enumerate((one, two)) for name in own.scenarios]
    times, events = np.concatenate((one.times, two.times)), np.concatenate((one.events, two.events))
    return Sample(times, events, np.array(names))


def _mde(sd: float | None, scenarios: int) -> float | None:
    """The SD of a bootstrap over S scenarios is smaller than the standard error by √((S − 1) / S)."""
    seen = USUAL.seen(scenarios)
    return None if sd is None or seen is None else seen * sd * math.sqrt(scenarios / (scenarios - 1))


def _logrank(samples: Sequence[Sample]) -> Row:
    found = logrank(
        np.concatenate([own.times for own in samples]),
        np.concatenate([own.events for own in samples]),
        np.repeat(range(len(samples)), [own.times.size for own in samples]).tolist(),
        np.concatenate([own.scenarios for own in samples]).tolist(),
    )
    if found is None:
        return {"n": 0, "note": APART}
    note = f"df {found.df}" if found.df else "no event while several agents were at risk"
    size = {"n": found.n, "scenarios": len(set().union(*(own.names for own in samples)))}
    return {"value": found.chi2, "p": found.p, "hits": float(sum(found.observed)), **size, "note": note}
