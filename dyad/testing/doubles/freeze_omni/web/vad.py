"""The gate before Freeze-Omni: when does the other speak, and the features of each unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

LOUD = 0.003  # root mean square; the real gate asks a network
SILENCE = 2 * 16_000  # samples that end a stretch of speech
FRAME, FRAMES, OVERLAP, BANDS = 160, 16, 3, 80
HISTORY, KEPT = 10, 6


class VAD:
    """Cuts what it hears into stretches of speech, with the six units before each."""

    def __init__(self, cache_history: int = HISTORY) -> None:
        """`cache_history`: how many units are remembered while nobody speaks."""
        self.CHUNK = FRAME * FRAMES
        self.history = torch.zeros([cache_history, FRAMES + OVERLAP, BANDS])
        self.input_chunk = torch.zeros([1, FRAMES + OVERLAP, BANDS])
        self.in_dialog = False
        self._triggered, self._quiet = False, 0

    def get_chunk_size(self) -> int:
        """Return the samples of a unit."""
        return self.CHUNK

    def predict(self, audio: np.ndarray[Any, Any]) -> dict[str, Any]:
        """Take one unit, float32 [2560] at 16 kHz."""
        if audio.dtype != np.float32 or audio.shape != (self.CHUNK,):
            raise RuntimeError(f"the expanded size of the tensor must match: {audio.dtype} {audio.shape}")
        frames = torch.tensor(audio.reshape(FRAMES, FRAME)).abs().mean(1)
        self.input_chunk = torch.cat([self.input_chunk[:, -OVERLAP:], frames.expand(1, BANDS, -1).mT], 1)
        event = self._event(audio)
        if self.in_dialog:  # until its user says that it is not
            status = "el" if event == "end" else "cl"
        elif event == "start":
            status = "sl"
        else:
            self.history = torch.cat([self.history[1:], self.input_chunk])
            return {"status": None}
        before = self.history[-KEPT:].unsqueeze(1).numpy().tolist() if status == "sl" else None
        self.in_dialog = True
        return {
            "status": status,
            "feature_last_chunk": before,
            "feature": self.input_chunk.numpy().tolist(),
            "history_feature": self.history.numpy().tolist(),
        }

    def _event(self, audio: np.ndarray[Any, Any]) -> str:
        loud = float(np.sqrt(np.mean(audio**2))) > LOUD
        self._quiet = 0 if loud else self._quiet + len(audio)
        if loud and not self._triggered:
            self._triggered = True
            return "start"
        if self._triggered and self._quiet >= SILENCE:
            self._triggered = False
            return "end"
        return ""
