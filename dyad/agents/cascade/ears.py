"""The ears of one row: voice activity to utterances, in ticks."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from dyad.speech.types import Floats

PRE_ROLL_TICKS = 4  # audio kept from before the onset: detectors fire late and consonants are soft
MIN_VOICED_TICKS = 2  # fewer are a click, not an utterance
PAUSE_TICKS = 2  # fewer quiet ticks are the closure of a consonant
MAX_TICKS = 325  # 26 s: the recogniser's window is 30 s


@dataclass
class Utterance:
    """What the other is saying, or has just said; counts in ticks."""

    start: int
    pcm: list[Floats] = field(default_factory=list)  # one tick of 1,280 samples at 16 kHz each
    voiced: int = 0
    quiet: int = 0  # since the last voiced tick
    over: int = 0  # voiced ticks while the row itself was speaking
    resumed: bool = False  # goes on in this very tick after a short pause

    @property
    def sound(self) -> Floats:
        """The whole utterance, float32 at 16 kHz."""
        return np.concatenate(self.pcm)


class Ears:
    """Cuts what is heard into utterances that end after `endpoint` quiet ticks."""

    def __init__(self, threshold: float, endpoint: int) -> None:
        self._threshold, self._endpoint = threshold, endpoint
        self._past: deque[Floats] = deque(maxlen=PRE_ROLL_TICKS)
        self.now: Utterance | None = None

    @property
    def voiced(self) -> bool:
        """Whether the other is making sound in this very tick."""
        return self.now is not None and self.now.quiet == 0

    @property
    def taken(self) -> bool:
        """Whether the other holds the floor: an utterance that is more than a click."""
        return self.now is not None and self.now.voiced >= MIN_VOICED_TICKS

    def hear(self, tick: int, pcm16k: Floats, prob: float) -> Utterance | None:
        """Take one tick (1,280 samples, speech probability) and return an utterance that ends here."""
        voiced = prob >= self._threshold
        if voiced and self.now is None:
            self.now = Utterance(start=tick, pcm=list(self._past))
        self._past.append(pcm16k)
        if self.now is None:
            return None
        self.now.pcm.append(pcm16k)
        self.now.voiced += voiced
        self.now.resumed = voiced and self.now.quiet >= PAUSE_TICKS
        self.now.quiet = 0 if voiced else self.now.quiet + 1
        return self._close() if self._ended(self.now) else None

    def _ended(self, now: Utterance) -> bool:
        return now.quiet >= self._endpoint or len(now.pcm) >= MAX_TICKS

    def _close(self) -> Utterance | None:
        done, self.now = self.now, None
        return done if done is not None and done.voiced >= MIN_VOICED_TICKS else None
