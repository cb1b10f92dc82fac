"""What the embedded speech parts exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Spoken:
    """A word with its place in a waveform, in samples at that waveform's rate: [start, end)."""

    s: str
    start: int
    end: int


@dataclass(frozen=True)
class Speech:
    """Synthetic speech: mono float32 at 24 kHz and where each word of the text lies in it."""

    pcm: Floats
    words: tuple[Spoken, ...]


class Voice(Protocol):
    """Text to speech. The same text, seed and pace give the same samples."""

    def __call__(self, text: str, seed: int = 0, pace: float = 1.0) -> Speech:
        """Speak a text; `pace` > 1 is faster."""


class Recogniser(Protocol):
    """Speech to text for one finished utterance."""

    def __call__(self, pcm16k: Floats, hint: str = "") -> str:
        """Transcribe mono float32 at 16 kHz; `hint` lists words that are likely to occur."""


class Partials(Protocol):
    """Streaming recogniser of one row: cheap early guesses while the other is still speaking."""

    def feed(self, pcm16k: Floats) -> str:
        """Hear one tick (1,280 samples at 16 kHz) and return the best text so far."""

    def end(self) -> str:
        """Close the utterance and return its text; the next `feed` starts a new one."""

    def reset(self) -> None:
        """Forget everything, adaptation included, so that a row repeats bit for bit."""
