"""Answers a step with what the variable HOSTILE holds as JSON, and with audio of two rows."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

from dyad.host.worker import Floats, Said


class Model:
    """Puts its own answer in the place of every step's."""

    own_dice = True

    def __init__(self, options: dict[str, Any], device: str) -> None:
        head = json.loads(os.environ["HOSTILE"])
        samples = head.pop("samples", 3840)
        worker = sys.modules["dyad.host.worker"]
        worker.Desk._step = lambda desk, ask: (head, {"pcm": np.zeros(samples, np.float32)})

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row."""
        return Row()


class Row:
    """Is never asked."""

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return nothing."""
        return Said()
