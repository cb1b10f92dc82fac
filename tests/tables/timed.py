"""Rows of seats with an entry and a deviation, as `measure` writes them, for tests of times."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from dyad.measure.conversation import seconds
from dyad.measure.timing import InRole, deviation_times, entry_times
from tests.tables.made import Row, row

WINDOW = 750  # ticks


def seat(
    entry: int | None, deviation: int | None, mode: str = "paper", end: int = WINDOW, **about: Any
) -> Iterator[Row]:
    """One seat of one run, in ticks of the conversation; None for what did not happen."""
    role = InRole(entry, deviation, end)
    since = deviation_times([role], "paper" if mode == "paper" else "gap")
    for measure, found in (("entry", entry_times([role])), ("deviation", since)):
        for time, event in zip(found.times.tolist(), found.events.tolist(), strict=True):
            yield row(measure, seconds(time), observed=event, mode=mode, **about)


def seats(
    seed: int = 0, mode: str = "paper", agents: str = "XY", scenarios: int = 4, runs: int = 3
) -> list[Row]:
    """Random seats of every agent with every partner in every scenario; later agents enter later."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for agent, partner, s, r in product(agents, agents, range(scenarios), range(runs)):
        entry = int(rng.exponential(150 * (1 + agents.index(agent))))
        later = entry + 1 + int(rng.exponential(400))
        about = {"agent": agent, "partner": partner, "scenario": f"s{s}", "run_id": f"{agent}{partner}{s}{r}"}
        happened = (time if time < WINDOW else None for time in (entry, later))
        rows += seat(*happened, mode, **about)
    return rows
