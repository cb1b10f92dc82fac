"""Wiring: which row hears which row. Lane l has row 2l for seat a and row 2l + 1 for seat b."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dyad.errors import ConfigError
from dyad.spec import SEATS, TICK_S, RunSpec, Seat, digest

from .protocol import Agent, Caps, Floats
from .session import Session


def cross(said: Floats) -> Floats:
    """Return what each row hears, float32 [R, N]: row r is given what row r ^ 1 said."""
    return said.reshape(-1, 2, said.shape[1])[:, ::-1].reshape(said.shape)


def row_of(lane: int, seat: Seat) -> int:
    """Return the row in which a seat of a lane is played."""
    return 2 * lane + SEATS.index(seat)


def seat_agents(lanes: Sequence[RunSpec], agents: Mapping[str, Agent]) -> list[Session]:
    """Return one session per agent, with all rows that it plays; raises ConfigError when it cannot."""
    rows: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for lane, run in enumerate(lanes):
        for seat in SEATS:
            spec = run.seat(seat).agent
            key = digest(spec)
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
