"""Pace: stepped on demand (`sim`), or held to the wall clock for agents that live in real time (`wall`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dyad.spec import TICK_S

LATE_S = TICK_S / 2  # a tick that starts this much behind its schedule is late
LATE_SHARE = 0.01  # more late ticks than this, and the timing of the run is not to be used


@dataclass(frozen=True)
class Clock:
    """What tells the time, in seconds since whenever, and what waits."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


CLOCK = Clock()


class Pace:
    """Holds tick k to `t0 + k·80 ms` when `wall`; late ticks follow back to back, so no audio is lost."""

    def __init__(self, wall: bool, clock: Clock = CLOCK) -> None:
        self._time = clock
        self.clock: Literal["sim", "wall"] = "wall" if wall else "sim"
        self.late = 0
        self._start_s = 0.0

    def wait(self, tick: int) -> None:
        """Sleep until a tick is due, or count it as late."""
        if self.clock == "sim":
            return
        now_s = self._time.now()
        if tick == 0:
            self._start_s = now_s
        early_s = self._start_s + tick * TICK_S - now_s
        if early_s > 0:
            self._time.sleep(early_s)
        elif early_s < -LATE_S:
            self.late += 1

    def valid(self, ticks: int) -> bool:
        """Return whether the pace was kept over the first `ticks` ticks."""
        return self.late <= LATE_SHARE * ticks
