"""The loop: at tick t each seat is given what the other said at tick t - 1, and what was said is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dyad.spec import TICK, RunSpec

from .channel import make_channel
from .clock import Pace
from .protocol import Agent
from .recorder import Recorder, Recording
from .session import opened, stepper
from .wiring import cross, seat_agents


def play(
    lanes: Sequence[RunSpec],
    agents: Mapping[str, Agent],
    on_tick: Callable[[int], None] | None = None,
) -> list[Recording]:
    """Play all lanes side by side and return their recordings in the same order.

    `agents` holds one loaded agent per `AgentSpec.key`; it serves every row that it plays, in any seat
    and any lane. `on_tick` is called with the number of ticks done. Raises ConfigError before the first tick
    when an agent cannot serve these lanes, and AgentFault when its output breaks the protocol.
    """
    sessions = seat_agents(lanes, agents)
    pace = Pace(wall=any(session.caps.clock == "wall" for session in sessions))
    recorder, channel = Recorder(lanes, sessions, pace), make_channel(lanes)
    heard = np.zeros((2 * len(lanes), TICK), np.float32)
    with opened(sessions, lanes), stepper(sessions) as step_all:
        while recorder.live:
            tick = recorder.ticks
            pace.wait(tick)
            said = step_all(tick, heard)  # concurrent; nobody sees what is said at this tick
            recorder.write(said)  # mutes the opener's partner in the lead-in, and lanes that have ended
            heard = cross(channel(said.pcm))
            if on_tick:
                on_tick(tick + 1)
    return recorder.recordings
