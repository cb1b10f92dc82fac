"""Draws from torch, which it imports only when a row is opened or at work."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np

from dyad.host.worker import Floats, Said


class Model:
    """Draws when it is made, too; `LATE` says when torch is imported."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        self.drawn = f"{random.random()} {np.random.random()} {hash('letters')}"
        if os.environ["LATE"] == "load":
            import torch  # noqa: F401

    def numerics(self) -> dict[str, str]:
        """Tell what was drawn."""
        return {"drawn": self.drawn}

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row."""
        return Row()


class Row:
    """Says what torch draws; cannot be closed."""

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return one tick of noise."""
        import torch

        return Said(0.1 * torch.rand(1_920).numpy())

    def close(self) -> None:
        """Fail."""
        raise ValueError("cannot close")
