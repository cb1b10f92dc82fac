"""Where Silero hears speech, in samples: the rule of its package's `get_speech_timestamps` (v6).

The package's own function needs torch; this one takes probabilities, and thus any way to have them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np
from numpy.typing import NDArray

from .types import Floats
from .vad import RATE, WINDOW, SileroVad

Spans = NDArray[np.int64]
Doubles = NDArray[np.float64]
Place = tuple[int, int]

PAD_MS = 30.0  # by which the package widens speech
_PAUSE = 98 * RATE // 1000  # samples; where speech that is too long may be cut, a pause must be longer


def window_probs(pcm16k: Floats) -> Floats:
    """Return Silero's speech probability of each window of 512 samples of float32 [B, N] at 16 kHz.

    float32 [B, W], where W is N / 512 rounded up; zeros fill the last window. A row does not depend on the
    others of its batch.
    """
    rows, samples = pcm16k.shape
    count = -(-samples // WINDOW)
    padded = np.pad(pcm16k, ((0, 0), (0, count * WINDOW - samples)))
    vad, every = SileroVad(rows), np.arange(rows)
    probs = [vad.window(every, padded[:, k * WINDOW : (k + 1) * WINDOW]) for k in range(count)]
    return np.array(probs, np.float32).reshape(count, rows).T


def timestamps(
    probs: Floats,
    samples: int,
    *,
    threshold: float = 0.5,
    neg_threshold: float | None = None,
    min_speech_ms: float = 250,
    min_silence_ms: float = 100,
    pad_ms: float = PAD_MS,
    max_speech_s: float = inf,
) -> Spans:
    """Return the speech of `samples` at 16 kHz, int64 [k, 2] in samples, from a probability per window [W].

    Speech starts at a window of at least `threshold` and ends where the probability falls below
    `neg_threshold` (default: 0.15 lower, at least 0.01) and does not come back for `min_silence_ms`. Speech
    that is not longer than `min_speech_ms` is dropped, longer than `max_speech_s` cut in its longest pause.
    The rest is padded by `pad_ms`; neighbours that are too close for that share what lies between them.
    """
    pad = RATE * pad_ms / 1000
    off = max(threshold - 0.15, 0.01) if neg_threshold is None else neg_threshold
    longest = RATE * max_speech_s - WINDOW - 2 * pad
    pieces = _pieces(probs, samples, (threshold, off), RATE * min_silence_ms / 1000, longest)
    shortest = RATE * min_speech_ms / 1000
    kept = [(start, end) for start, end, cut in pieces if cut or end - start > shortest]
    return _padded(np.array(kept, np.int64).reshape(-1, 2), samples, pad)


def speech_spans(probs: Floats, samples: int) -> Doubles:
    """Return `timestamps` with the package's defaults in seconds, float64 [k, 2], not rounded."""
    return timestamps(probs, samples) / RATE


def seconds_as_authors(spans: Spans, samples: int) -> Doubles:
    """Return what the package calls seconds: rounded to 0.1 s, the end at most that of the recording."""
    end = samples / RATE
    rounded = [(max(round(a / RATE, 1), 0), min(round(b / RATE, 1), end)) for a, b in spans.tolist()]
    return np.array(rounded, np.float64).reshape(-1, 2)


def _pieces(
    probs: Floats, samples: int, levels: tuple[float, float], gap: float, longest: float
) -> Iterable[tuple[int, int, bool]]:
    """Yield start, end and whether the end is a cut through speech that is too long."""
    start = quiet = None  # where the speech began; since when it is below the lower level
    pauses: list[Place] = []
    for window, prob in enumerate(probs.tolist()):
        at = window * WINDOW
        if prob >= levels[0]:
            if quiet is not None and at - quiet > _PAUSE:
                pauses.append((quiet, at))
            quiet = None
            if start is None:
                start = at
                continue
        if start is not None and at - start > longest:
            end, after = max(pauses, key=lambda pause: pause[1] - pause[0], default=(at, None))
            yield start, end, True
            start, quiet, pauses = after, None, []
        if start is not None and prob < levels[1]:
            quiet = at if quiet is None else quiet
            if at - quiet >= gap:
                yield start, quiet, False
                start, quiet, pauses = None, None, []
    if start is not None:
        yield start, samples, False


def _padded(spans: Spans, samples: int, pad: float) -> Spans:
    if not len(spans):
        return spans
    gaps = spans[1:, 0] - spans[:-1, 1]
    grow = np.where(gaps < 2 * pad, gaps // 2, pad)
    starts = spans[:, 0] - np.concatenate([[pad], grow])
    ends = spans[:, 1] + np.concatenate([grow, [pad]])
    return np.stack([np.maximum(starts, 0), np.minimum(ends, samples)], axis=1).astype(np.int64)
