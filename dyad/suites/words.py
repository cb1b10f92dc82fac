"""Words with times as suites score them: one form, gated by speech, joined into inter-pausal units.

Times that differ by less than `EPSILON` are equal: 12.0 − 11.6 is more than 0.4 in IEEE doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.hear.channel import SPEECH_S
from dyad.speech.spans import PAD_MS, timestamps
from dyad.speech.vad import RATE, WINDOW
from dyad.speech.words import NEARLY_S, Chunk, clipped
from dyad.speech.words import Timed as Timed

from .protocol import Sound

Doubles = NDArray[np.float64]

EPSILON = NEARLY_S
PAD_S = 0.2  # by which speech is widened on both sides before words are looked for in it
SHORTEST_S = 0.02  # what a word without length lasts where overlaps count
GAP_S = 0.5  # the longest silence inside an inter-pausal unit


@dataclass(frozen=True)
class Words:
    """Words in order of (start, end), how many were dropped, and how many ended before they started."""

    words: tuple[Timed, ...]
    dropped: int = 0
    swapped: int = 0


class Ipu(NamedTuple):
    """An inter-pausal unit: words without a long silence between them, in seconds."""

    start: float
    end: float
    words: tuple[Timed, ...]


def normalise(chunks: Sequence[Chunk], duration_s: float) -> Words:
    """Return the words of a recording of `duration_s` seconds in the one form that strict rules expect.

    Times are clipped by the rule of `dyad.speech.words`; then an end before its start is swapped with it, and
    words are sorted.
    """
    spans = ((chunk.text.strip(), clipped(chunk, duration_s)) for chunk in chunks)
    kept = [(text, *span) for text, span in spans if span]
    words = (Timed(text, min(start, end), max(start, end)) for text, start, end in kept)
    return Words(
        words=tuple(sorted(words, key=lambda word: (word.start, word.end))),
        dropped=len(chunks) - len(kept),
        swapped=sum(end < start for _, start, end in kept),
    )


def gated(words: Sequence[Timed], speech: Doubles) -> tuple[Timed, ...]:
    """Return the words that are speech: at least half of each lies in `speech`, float64 [k, 2] in seconds.

    Speech is widened by 0.2 s on both sides; a word shorter than 20 ms counts as one of 20 ms. What an ASR
    invents on silence is no speech.
    """
    wide = speech[np.argsort(speech[:, 0], kind="stable")] + (-PAD_S, PAD_S)
    reached = np.maximum.accumulate(wide[:, 1])
    starts = np.maximum(wide[:, 0], np.concatenate([[-inf], reached])[: len(wide)])  # no time counts twice
    return tuple(word for word in words if _is_speech(word, starts, wide[:, 1]))


def ipus(words: Sequence[Timed], gap: float = GAP_S, closed: bool = False) -> tuple[Ipu, ...]:
    """Join sorted words into inter-pausal units, split where the silence between words is longer than `gap`.

    `closed` splits at a silence of exactly `gap` seconds too and compares doubles as they are, as the
    segmenter of M3-DuplexBench's evaluation does.
    """
    groups: list[list[Timed]] = []
    end = -inf
    for word in words:
        silence = word.start - end
        if silence >= gap if closed else silence > gap + EPSILON:
            groups.append([])
        groups[-1].append(word)
        end = max(end, word.end)
    return tuple(Ipu(group[0].start, max(w.end for w in group), tuple(group)) for group in groups)


def is_backchannel(ipu: Ipu) -> bool:
    """Whether a unit can be a backchannel: shorter than 1.0 s, and at most three words."""
    return ipu.end - ipu.start < 1.0 - EPSILON and len(ipu.words) <= 3


def words_of(sound: Sound, gate: bool = False) -> tuple[Timed, ...]:
    """Return the words of a channel in order; with `gate` those inside speech."""
    words = normalise(sound.words or (), sound.duration_s).words
    return gated(words, speech_of(sound)) if gate else words


def speech_of(sound: Sound) -> Doubles:
    """Return where Silero hears speech, float64 [k, 2] in seconds, by the defaults of its package."""
    return _spans(sound)


def is_unheard(sound: Sound, since: float = 0.0) -> bool:
    """Whether there is no word in a channel, and 0.3 s of speech from `since` seconds on.

    Speech is not padded here, as where an ASR is asked again (`dyad.hear.channel`).
    """
    if normalise(sound.words or (), sound.duration_s).words:
        return False
    speech = np.maximum(_spans(sound, pad_ms=0), since)
    return float((speech[:, 1] - speech[:, 0]).sum()) >= SPEECH_S - EPSILON


def _spans(sound: Sound, pad_ms: float = PAD_MS) -> Doubles:
    samples = -(-len(sound.pcm) * RATE // sound.rate)  # the sound may have been cut
    return timestamps(sound.probs[: -(-samples // WINDOW)], samples, pad_ms=pad_ms) / RATE


def _is_speech(word: Timed, starts: Doubles, ends: Doubles) -> bool:
    end = max(word.end, word.start + SHORTEST_S)
    inside = np.minimum(ends, end) - np.maximum(starts, word.start)
    return float(inside[inside > 0].sum()) >= (end - word.start) / 2 - EPSILON
