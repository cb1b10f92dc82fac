"""Says a random walk that what it hears pushes: a state to be saved, and an own channel to be forced."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyad.host.worker import Floats, Said


class Model:
    """Has nothing to load."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        pass

    def numerics(self) -> dict[str, str]:
        """Return something to be recorded."""
        return {"walk": "random"}

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a walk at a place that the prompt and the voice give."""
        return Row(0.001 * len(prompt) + 0.01 * len(voice))


class Row:
    """Draws from numpy's global generator, and remembers where it is."""

    def __init__(self, place: float) -> None:
        self._place, self._forced = place, None

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return one tick of the walk, or what is forced."""
        forced, self._forced = self._forced, None
        self._place = 0.9 * self._place + 0.01 * np.random.standard_normal() + float(heard.mean())
        pcm = np.full(1_920, np.clip(self._place, -1, 1), np.float32) if forced is None else forced[0]
        return Said(pcm, [(tick * 1_920, f"{played} " if forced is None else forced[1], "own")])

    def force(self, pcm: Floats | None, text: str | None) -> None:
        """Say this in the coming step."""
        self._forced = (np.zeros(1_920, np.float32) if pcm is None else pcm.copy(), text or "")

    def save(self) -> object:
        """Return the place."""
        return self._place

    def restore(self, state: Any) -> None:
        """Go back to a place."""
        self._place = state
