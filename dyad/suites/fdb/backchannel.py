"""Backchannels while the user speaks: whether, how often and where (FDB v1.0, arXiv 2503.04721).

A segment of speech is a backchannel if it is shorter than 1 s and holds at most two words, else a turn. Their
places are compared with people's by the Jensen-Shannon distance (square root, base e: 0 to 0.83255) of
histograms of 0.2 s.

`compat` reproduces the authors' script: segments with times rounded to 0.1 s, the end of all listening after
one of more than 3 s, and distance 1 where there is no backchannel, which is worse than any placement.
`strict` hears the whole recording, joins what the VAD cut at silences of up to 0.5 s (a turn would come apart
into backchannels), counts every word once, in the segment that holds most of it or is nearest, and has no
distance (n = 0) where there is no backchannel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np

from dyad.speech.spans import seconds_as_authors, timestamps
from dyad.speech.vad import RATE
from dyad.suites.protocol import NO_TRANSCRIPT, Chunk, Mode, Scored, Sound, Trial
from dyad.suites.words import EPSILON, GAP_S, Doubles, Timed, gated, normalise, speech_of

from .flags import is_on
from .timing import merged
from .turns import missing

Segment = tuple[float, float]

BIN_S = 0.2
FLOOR = 1e-10  # added to every bin
LONGEST_S = 3.0  # compat: at a longer segment the script stops listening
NONE_JSD = 1.0  # compat: the distance of no backchannel
STRICT_SLACK = 1e-9  # bins: 0.6 / 0.2 is less than 3 in IEEE doubles

NO_REFERENCE = "no reference"
NO_SOUND = "empty recording"


class Found(NamedTuple):
    """Whether the model took the turn, and its backchannels, in seconds."""

    took: bool
    backchannels: tuple[Segment, ...]


def backchannel_scores(trial: Trial, mode: Mode, flags: Mapping[str, bool]) -> list[Scored]:
    """Return `tor`, `bc_count`, `bc_freq` and `jsd` of a trial."""
    sound = trial.model
    if sound.words is None or not len(sound.pcm):
        reason = NO_TRANSCRIPT if sound.words is None else NO_SOUND
        return missing(reason, "tor", "bc_count", "bc_freq", "jsd")
    found = _compat(sound, sound.words, flags) if mode == "compat" else _strict(sound, sound.words)
    count, duration_s = len(found.backchannels), sound.duration_s
    return [
        Scored("tor", float(found.took)),
        Scored("bc_count", float(count)),
        Scored("bc_freq", count / duration_s),
        jsd_score(found.backchannels, trial.stimulus.reference, duration_s, mode),
    ]


def segments_as_authors(sound: Sound, vad_sr_16k: bool = True) -> list[Segment]:
    """Return speech in seconds as the script has it; `vad_sr_16k`: with the samples taken for 16 kHz."""
    samples = len(sound.pcm) if vad_sr_16k else -(-len(sound.pcm) * RATE // sound.rate)
    spans = timestamps(sound.as_read if vad_sr_16k else sound.probs, samples)
    return [(start, end) for start, end in seconds_as_authors(spans, samples).tolist()]


def find_compat(
    segments: Sequence[Segment], chunks: Sequence[Chunk], last_wins: bool = True, counts_turns: bool = True
) -> Found:
    """Return what the script finds in segments of speech; the two switches are its faults (`FLAGS`)."""
    turns: list[bool] = []
    counted: list[Segment] = []
    for start, end in segments:
        if end - start > LONGEST_S:
            return Found(True, tuple(counted))
        turns.append(not (end - start < 1 and _words_in(chunks, start, end) <= 2))
        if counts_turns or not turns[-1]:
            counted.append((start, end))
    return Found(any(turns[-1:] if last_wins else turns), tuple(counted))


def find_strict(speech: Doubles, words: Sequence[Timed]) -> Found:
    """Return turn and backchannels in pieces of speech, float64 [k, 2] in seconds, with their words.

    Pieces at most 0.5 s apart are one segment, as words are one inter-pausal unit.
    """
    if not len(speech):
        return Found(False, ())
    joined = np.array(merged(map(tuple, speech.tolist()), GAP_S, EPSILON))
    inside = [np.minimum(joined[:, 1], w.end) - np.maximum(joined[:, 0], w.start) for w in words]
    counts = np.bincount([int(held.argmax()) for held in inside], minlength=len(joined))
    short = (joined[:, 1] - joined[:, 0] < 1 - EPSILON) & (counts <= 2)
    return Found(not short.all(), tuple((start, end) for start, end in joined[short].tolist()))


def jsd(
    backchannels: Sequence[Segment], reference: Sequence[float], duration_s: float, slack: float = 0.0
) -> float:
    """Return the Jensen-Shannon distance of backchannels in a recording from a reference over the same time.

    Both are histograms; the reference is interpolated to as many bins as the recording has. `slack` is added
    before a time in bins is rounded down. NaN where a reference has no sum, ValueError where it is empty.
    """
    from scipy.interpolate import interp1d
    from scipy.spatial.distance import jensenshannon

    bins = np.zeros(int(duration_s / BIN_S + slack) + 1)
    for start, end in backchannels:
        bins[int(start / BIN_S + slack) : int(end / BIN_S + slack) + 1] += 1
    known = interp1d(np.linspace(0, 1, len(reference)), reference, fill_value="extrapolate")
    with np.errstate(invalid="ignore"):
        return float(jensenshannon(_normed(bins + FLOOR), known(np.linspace(0, 1, len(bins)))))


def jsd_score(
    backchannels: Sequence[Segment], reference: Sequence[float], duration_s: float, mode: Mode
) -> Scored:
    """Return the distance of a trial; without a backchannel nobody asks for the reference."""
    if not backchannels:
        return Scored("jsd", NONE_JSD) if mode == "compat" else Scored("jsd", 0.0, 0.0)
    if len(reference) < 2:
        return missing(NO_REFERENCE, "jsd")[0]
    value = jsd(backchannels, reference, duration_s, 0.0 if mode == "compat" else STRICT_SLACK)
    return Scored("jsd", value) if isfinite(value) else missing("the reference is no distribution", "jsd")[0]


def _compat(sound: Sound, words: Sequence[Chunk], flags: Mapping[str, bool]) -> Found:
    segments = segments_as_authors(sound, is_on(flags, "vad_sr_16k"))
    return find_compat(segments, words, is_on(flags, "bc_tor_last_wins"), is_on(flags, "bc_counts_turns"))


def _strict(sound: Sound, words: Sequence[Chunk]) -> Found:
    speech = speech_of(sound)
    return find_strict(speech, gated(normalise(words, sound.duration_s).words, speech))


def _normed(bins: Doubles) -> Doubles:
    normed: Doubles = bins / np.sum(bins)
    return normed


def _words_in(chunks: Sequence[Chunk], start: float, end: float) -> int:
    return sum(_is_in(chunk, start, end) for chunk in chunks)


def _is_in(chunk: Chunk, start: float, end: float) -> bool:
    """Whether the script counts a word in a segment: also one that starts where the segment ends."""
    if chunk.start is None or (chunk.end is None and chunk.start < end):
        return False
    s, e = chunk.start, chunk.start if chunk.end is None else chunk.end
    return (s >= start and e <= end) or (s <= end < e) or (s <= start < e)
