"""Timing of a model with units of one second: bursts, a left-padded start and an end of turn that overruns.

What it hears in one unit at 16 kHz it says in the next at 24 kHz, sample by sample with zeros between, so
that an impulse can be found again. A turn starts with a unit whose first 0.3 s are zeros and ends with one
that is 0.25 s too long. Every other unit ends in the middle of a tick and waits 40 ms for its end; so that a
turn has no gaps, those that do not are held back as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dyad.host.worker import Floats, Line, Said, Units

UNIT_IN, UNIT_OUT = 16_000, 24_000
PAD, OVERRUN = 7_200, 6_000
HOLD = 960  # half a tick
LOUD = 1e-3


class Model:
    """Has nothing to load."""

    own_dice = True

    def __init__(self, options: dict[str, Any], device: str) -> None:
        pass

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row that listens."""
        return Row()


class Row:
    """Listens, or speaks while what it hears is loud."""

    def __init__(self) -> None:
        self._units, self._line, self._speaks = Units(UNIT_IN), Line(UNIT_OUT), False

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return a unit's audio in the tick that completes it, and nothing else."""
        said = Said(speaking=self._line.waiting(played) > 0)
        for unit in self._units(heard):
            pcm = self._turn(unit)
            if len(pcm):
                if not self._line.waiting(played) and (tick + 1) * 1_280 % UNIT_IN == 0:
                    pcm = np.concatenate([np.zeros(HOLD, np.float32), pcm])
                at = self._line.starts(tick, played)
                self._line.give(len(pcm))
                said = Said(pcm, [(at, "oh ", "own")], True)
        return said

    def _turn(self, unit: Floats) -> Floats:
        loud, spoke = bool(np.abs(unit).max() > LOUD), self._speaks
        self._speaks = loud
        if not (loud or spoke):
            return np.zeros(0, np.float32)
        pcm = np.zeros(UNIT_OUT if loud else UNIT_OUT + OVERRUN, np.float32)
        pcm[np.arange(UNIT_IN) * 3 // 2] = unit
        if loud and not spoke:
            pcm[:PAD] = 0.0
        return pcm
