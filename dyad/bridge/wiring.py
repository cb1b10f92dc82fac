"""Wiring: which row hears which row. Lane l has row 2l for seat a and row 2l + 1 for seat b."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dyad.errors import ConfigError
from dyad.spec import SEATS, TICK_S, RunSpec, Seat

from .protocol import Agent, Caps, Floats, caps_of
from .session import Session


def cross(said: Floats) -> Floats:
    """Return what each row hears, float32 [R, N]: row r is given what row r ^ 1 said."""
    return said.reshape(-1, 2, said.shape[1])[:, ::-1].reshape(said.shape)


def row_of(lane: int, seat: Seat) -> int:
    """Return the row in which a seat of a lane is played."""
    return 2 * lane + SEATS.index(seat)


def rows_per_lane(run: RunSpec) -> Counter[str]:
    """Return how many rows of a lane each agent plays, by `AgentSpec.key`: two in self-play."""
    return Counter(run.seat(seat).agent.key for seat in SEATS)


def full_lanes(run: RunSpec, lanes: int) -> int:
    """Return how many lanes like `run` make a full batch: at most `lanes` and what its agents serve."""
    rows = rows_per_lane(run)
    served = [caps_of(agent).max_batch // rows[agent.key] for agent in (run.a.agent, run.b.agent)]
    return max(1, min(lanes, *served))


def each_pair(runs: Iterable[RunSpec]) -> list[RunSpec]:
    """Return one run of each pair of agents, whichever seats they have in it."""
    return list({tuple(sorted(rows_per_lane(run))): run for run in runs}.values())


def most_rows(pairs: Iterable[RunSpec], lanes: int) -> Counter[str]:
    """Return the rows of each agent, by key, in the widest full batch that it plays in."""
    most = Counter[str]()
    for run in pairs:
        own, full = rows_per_lane(run), full_lanes(run, lanes)
        most |= Counter({key: full * rows for key, rows in own.items()})  # the larger of each
    return most


def seat_agents(lanes: Sequence[RunSpec], agents: Mapping[str, Agent]) -> list[Session]:
    """Return one session per agent, with all rows that it plays; raises ConfigError when it cannot."""
    rows: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for lane, run in enumerate(lanes):
        for seat in SEATS:
            spec = run.seat(seat).agent
            key = spec.key
            rows.setdefault(key, []).append(row_of(lane, seat))
            names[key] = spec.name
    if missing := [names[key] for key in rows if key not in agents]:
        raise ConfigError(
            f"agent '{missing[0]}' is played but was not loaded; load every agent of the lanes first"
        )
    sessions = [Session(names[key], agents[key], np.array(own)) for key, own in rows.items()]
    for session in sessions:
        _check(session.name, session.caps, len(session.rows), max(run.ticks for run in lanes))
    return sessions


def _check(name: str, caps: Caps, rows: int, ticks: int) -> None:
    if rows > caps.max_batch:
        raise ConfigError(
            f"agent '{name}' serves at most {caps.max_batch} rows, not {rows}; play fewer lanes at once"
        )
    if ticks * TICK_S > caps.max_seconds:
        raise ConfigError(
            f"agent '{name}' lasts at most {caps.max_seconds:g} s, not {ticks * TICK_S:g} s; shorten it"
        )
