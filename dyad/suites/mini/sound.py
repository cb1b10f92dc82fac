"""Turns as sound: begin and end of speech are known to the sample, and around it is digital silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dyad.audio import Pcm, to_int16
from dyad.spec import RATE, digest
from dyad.speech.types import Floats, Speech, Spoken

from .texts import Distance, Item, TextSet

ENGINE = "hibari"
FLOOR = 0.004  # -48 dBFS, 22 dB below speech: what is softer at the ends of a turn is cut off
FADE = RATE // 200  # 5 ms that are kept around it, faded


class Turn(NamedTuple):
    """A turn and the sample at which it begins."""

    start: int
    speech: Speech

    @property
    def end(self) -> int:
        """The sample after its last one."""
        return self.start + len(self.speech.pcm)

    @property
    def span(self) -> tuple[float, float]:
        """Its begin and end in seconds."""
        return self.start / RATE, self.end / RATE

    @property
    def words(self) -> list[tuple[str, float, float]]:
        """Its words with begin and end in seconds.

        The first begins with the turn and the last ends with it; between them, times are the voice's own
        durations of phonemes.
        """
        spoken = self.speech.words
        return [(w.s, (self.start + w.start) / RATE, (self.start + w.end) / RATE) for w in spoken]


def turns_of(name: str, texts: TextSet, item: Item) -> list[Turn]:
    """Speak the turns of a stimulus and place them; the first begins after the set's lead.

    Raises ConfigError where the voice is not installed.
    """
    turns: list[Turn] = []
    at = round(texts.lead_s * RATE)
    for k, text in enumerate(item.turns):
        seed = int(digest([name, item.id, k], 4), 16)
        said = spoken(item.voice_of(k), text, seed)
        turns.append(Turn(at, _from_afar(said, texts.event) if k else said))
        at = turns[-1].end + (round(item.gaps[k] * RATE) if k < len(item.gaps) else 0)
    return turns


def spoken(preset: str, text: str, seed: int) -> Speech:
    """Speak a text without the quiet edges that voices add, faded in and out over 5 ms."""
    from dyad.speech.voices import load_voice

    said = load_voice(ENGINE, preset)(text, seed)
    loud = np.flatnonzero(np.abs(said.pcm) > FLOOR)
    low, high = max(0, int(loud[0]) - FADE), min(len(said.pcm), int(loud[-1]) + 1 + FADE)
    pcm = said.pcm[low:high].copy()
    ramp = np.linspace(0, 1, FADE, dtype=np.float32)
    pcm[:FADE] *= ramp
    pcm[-FADE:] *= ramp[::-1]
    return Speech(pcm, _inside(said.words, low, high))


def render(turns: Sequence[Turn], samples: int) -> Pcm:
    """Return turns on digital silence, int16 [samples] at 24 kHz."""
    pcm = np.zeros(samples, np.int16)
    for turn in turns:
        pcm[turn.start : turn.end] = to_int16(turn.speech.pcm)
    return pcm


def _inside(words: Sequence[Spoken], low: int, high: int) -> tuple[Spoken, ...]:
    """Move words along with the cut, and stretch the outer ones to its edges."""
    edges = [[min(max(at, low), high) - low for at in (w.start, w.end)] for w in words]
    edges[0][0], edges[-1][1] = 0, high - low
    return tuple(Spoken(w.s, start, end) for w, (start, end) in zip(words, edges, strict=True))


def _from_afar(said: Speech, event: Distance) -> Speech:
    pcm = said.pcm * np.float32(10 ** (event.gain_db / 20))
    return Speech(pcm if event.cut_hz is None else _low_pass(pcm, event.cut_hz), said.words)


def _low_pass(pcm: Floats, cut_hz: int) -> Floats:
    """Filter with a causal second-order Butterworth low-pass; the length stays."""
    from scipy.signal import butter, sosfilt

    return np.asarray(sosfilt(butter(2, cut_hz, fs=RATE, output="sos"), pcm), np.float32)
