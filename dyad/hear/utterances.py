"""Where somebody speaks in a channel, in pieces that a recogniser can hear at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dyad.speech.types import Floats
from dyad.speech.vad import BLOCK, speech_probs

from .pack import Pack
from .vad import Spans, merge, runs

_SPEECH_PROB = 0.4
_GAP_TICKS, _BEFORE_TICKS, _AFTER_TICKS = 5, 3, 3  # closed pauses, and what is kept around speech
_LONGEST_TICKS = 170  # 13.6 s: longer utterances are cut where speech is least likely


def utterances(probs: Floats) -> Spans:
    """Return where there is speech, [k, 2] in ticks, from its probability per tick, with quiet around."""
    spans = merge(runs(probs > _SPEECH_PROB), _GAP_TICKS)
    short = [piece for start, end in spans for piece in _cut(int(start), int(end), probs)]
    padded = [(max(0, a - _BEFORE_TICKS), min(len(probs), b + _AFTER_TICKS)) for a, b in short]
    # Pieces of one long utterance touch: quiet taken from a neighbour would be heard twice.
    for k in range(1, len(padded)):
        if padded[k][0] < padded[k - 1][1]:
            padded[k - 1], padded[k] = (padded[k - 1][0], short[k][0]), (short[k][0], padded[k][1])
    return np.array(padded, np.int64).reshape(-1, 2)


def packs_of(tracks: Sequence[Floats]) -> list[Pack]:
    """Return all utterances of each track, float32 [N] at 16 kHz."""
    if not len(tracks):
        return []
    longest = max(map(len, tracks))
    rows = np.stack([np.pad(track, (0, longest - len(track))) for track in tracks])
    each = zip(tracks, speech_probs(rows), strict=True)
    return [Pack(k, track, _spans(track, probs)) for k, (track, probs) in enumerate(each)]


def _spans(track: Floats, probs: Floats) -> Spans:
    return utterances(probs[: -(-len(track) // BLOCK)]) * BLOCK


def _cut(start: int, end: int, probs: Floats) -> Iterable[tuple[int, int]]:
    while end - start > _LONGEST_TICKS:
        middle = start + _LONGEST_TICKS // 2
        at = middle + int(np.argmin(probs[middle : start + _LONGEST_TICKS]))
        yield start, at
        start = at
    yield start, end
