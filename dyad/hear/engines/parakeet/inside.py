"""Parakeet in its own interpreter: a row hears a whole channel in one step, and tells its words as events."""

from __future__ import annotations

import json
from typing import Any

from dyad.host.worker import RATE, Floats, Said


class Model:
    """NeMo's model, from its checkpoint; nothing is fetched."""

    own_dice = True  # greedy decoding draws nothing

    def __init__(self, options: dict[str, Any], device: str) -> None:
        from nemo.collections.asr.models import ASRModel  # type: ignore[import-not-found]

        self._model = ASRModel.restore_from(options["model"], map_location=device)
        self._model.eval()

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Return the row, which keeps nothing from one channel to the next."""
        return Row(self._model)


class Row:
    """Hears channels, one after the other."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return the words of a channel, float32 [n] at 16 kHz, as JSON: word, start and end in seconds."""
        (told,) = self._model.transcribe([heard.copy()], timestamps=True, batch_size=1, verbose=False)
        words = [(str(w["word"]), float(w["start"]), float(w["end"])) for w in told.timestamp["word"]]
        return Said(
            text=[(int(start * RATE), json.dumps([s, start, end]), "event") for s, start, end in words]
        )
