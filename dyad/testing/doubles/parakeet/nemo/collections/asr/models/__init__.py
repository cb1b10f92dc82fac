"""A recogniser with the calls of NeMo 2.5's `ASRModel`; it hears bursts of sound and names them by number.

Like Parakeet it hears nothing at all after 0.4 to 0.6 s of silence (FluidInference/FluidAudio #746), and its
times are multiples of 80 ms that may lie beyond the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

RATE, FRAME, FRAME_S = 16_000, 1_280, 0.08
LEVEL = 1e-3  # of what is sound
DEAF_S = (0.35, 0.65)


@dataclass
class Hypothesis:
    """What was understood; `timestamp` is empty unless it was asked for."""

    text: str
    timestamp: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


class ASRModel:
    """A recogniser."""

    def __init__(self, path: str, device: str) -> None:
        self.path, self.device, self.training = path, device, True

    @classmethod
    def restore_from(cls, restore_path: str, map_location: Any = None, **_: Any) -> ASRModel:
        """Return the model of a checkpoint."""
        return cls(restore_path, str(map_location))

    def eval(self) -> ASRModel:
        """Set the model to work rather than learn."""
        self.training = False
        return self

    def transcribe(
        self, audio: Any, batch_size: int = 4, timestamps: bool | None = None, verbose: bool = True
    ) -> list[Hypothesis]:
        """Return what is understood of sounds, float32 [n] at 16 kHz each."""
        if self.training:
            raise RuntimeError("dropout is on: call eval() first")
        sounds = audio if isinstance(audio, list) else [audio]
        if odd := [type(sound) for sound in sounds if not isinstance(sound, np.ndarray)]:
            raise TypeError(f"only numpy arrays are known to the stand-in, not {odd[0]}")
        return [_hypothesis(sound, bool(timestamps)) for sound in sounds]


def _hypothesis(sound: np.ndarray[Any, Any], timestamps: bool) -> Hypothesis:
    bursts = _bursts(sound)
    words = [
        {"word": f"w{k}", "start_offset": a, "end_offset": b, "start": a * FRAME_S, "end": b * FRAME_S}
        for k, (a, b) in enumerate(bursts, start=1)
    ]
    text = " ".join(str(word["word"]) for word in words)
    return Hypothesis(text, {"word": words, "segment": [], "char": []} if timestamps else {})


def _bursts(sound: np.ndarray[Any, Any]) -> list[tuple[int, int]]:
    """Return the runs of loud frames; none where the silence before the first is of the wrong length."""
    loud = np.flatnonzero(np.abs(sound) > LEVEL)
    if not len(loud) or DEAF_S[0] < loud[0] / RATE < DEAF_S[1]:
        return []
    frames = np.unique(loud // FRAME)
    cuts = np.flatnonzero(np.diff(frames) > 1)
    starts, ends = [frames[0], *frames[cuts + 1]], [*frames[cuts], frames[-1]]
    return [(int(a), int(b) + 1) for a, b in zip(starts, ends, strict=True)]
