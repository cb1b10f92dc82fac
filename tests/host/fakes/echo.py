"""Says back what it hears, in the same tick: the fastest agent that can be."""

from __future__ import annotations

from typing import Any

from dyad.host.worker import Floats, Said


class Model:
    """Has nothing to load."""

    own_dice = True

    def __init__(self, options: dict[str, Any], device: str) -> None:
        pass

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row."""
        return Row()


class Row:
    """Keeps nothing."""

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return what it hears."""
        return Said(heard)
