"""Timing of a model with windows of 400 ms: what it hears in one window it says in the next; one row only."""

from __future__ import annotations

from typing import Any

from dyad.host.worker import Floats, Said, Units

WINDOW = 6_400


class Model:
    """Serves one row at a time, as models do that hold their state in themselves."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        self._busy = False

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start the only row; raises RuntimeError for a second one."""
        if self._busy:
            raise RuntimeError("one row at a time")
        self._busy = True
        return Row(self)

    def free(self) -> None:
        """Take the next row."""
        self._busy = False


class Row:
    """Holds back one window."""

    def __init__(self, model: Model) -> None:
        self._model, self._units = model, Units(WINDOW)

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return a window in the tick that completes it."""
        windows = self._units(heard)
        return Said(windows[0].copy(), [(tick * 1920, "yes ", "own")]) if windows else Said()

    def close(self) -> None:
        """Free the model for the next row."""
        self._model.free()
