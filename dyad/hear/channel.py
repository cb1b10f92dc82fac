"""A channel and an engine: one that hears no word where somebody speaks is asked again, and then has failed.

Parakeet, for one, gives no words at all after 0.4 to 0.6 s of silence (FluidInference/FluidAudio #746).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dyad.speech.spans import Spans, timestamps, window_probs
from dyad.speech.types import Floats
from dyad.speech.words import Chunk

from .ears import RATE, Ears, Setting

Status = Literal["ok", "silent", "asr_failed"]
SPEECH_S = 0.3  # of Silero's speech, from which on a channel without words has failed
_EPSILON = 1e-6
_PADS_S = (1.0, 0.0)  # of silence around the speech, at the second and the third try


@dataclass(frozen=True)
class Heard:
    """The words of a channel, and how often it was heard for them.

    `silent`: no words, and hardly any speech. `asr_failed`: no words, and speech.
    """

    words: tuple[Chunk, ...]
    status: Status
    tries: int = 1


def hear_channel(track16k: Floats, engine: Ears, setting: Setting) -> Heard:
    """Return what an engine hears in float32 [N] at 16 kHz."""
    return hear_channels([track16k], engine, setting)[0]


def hear_channels(tracks: Sequence[Floats], engine: Ears, setting: Setting) -> list[Heard]:
    """Return what an engine hears in each of several channels, which it may hear at once."""
    first = engine.hear(tracks, setting)
    return [
        Heard(tuple(words), "ok") if words else _again(track, engine, setting)
        for track, words in zip(tracks, first, strict=True)
    ]


def status_of(words: int, probs: Floats, samples: int) -> Status:
    """Return the status of a channel by its number of words, Silero's probability per window, and its length.

    `samples` at 16 kHz. Valid where the words are those of `hear_channel`, which has tried everything.
    """
    return "ok" if words else _status(_speech(probs, samples))


def _again(track: Floats, engine: Ears, setting: Setting) -> Heard:
    speech = _speech(window_probs(track[None])[0], len(track))
    if (status := _status(speech)) == "silent":
        return Heard((), status)
    for tries, pad_s in enumerate(_PADS_S, start=2):
        if words := _with_silence(track, speech, pad_s, engine, setting):
            return Heard(tuple(words), "ok", tries)
    return Heard((), "asr_failed", 1 + len(_PADS_S))


def _speech(probs: Floats, samples: int) -> Spans:
    return timestamps(probs, samples, pad_ms=0)


def _status(speech: Spans) -> Status:
    """Return the status of a channel without words."""
    return "asr_failed" if float(np.diff(speech).sum()) / RATE >= SPEECH_S - _EPSILON else "silent"


def _with_silence(track: Floats, speech: Spans, pad_s: float, engine: Ears, setting: Setting) -> list[Chunk]:
    """Hear from the first speech to the last with so much silence around; times are those of the track."""
    start, end = int(speech[0, 0]), int(speech[-1, 1])
    (words,) = engine.hear([np.pad(track[start:end], round(pad_s * RATE))], setting)
    return [moved(word, start / RATE - pad_s) for word in words]


def moved(word: Chunk, by_s: float) -> Chunk:
    """Return a word so much later."""
    start, end = (None if at is None else at + by_s for at in (word.start, word.end))
    return word._replace(start=start, end=end)
