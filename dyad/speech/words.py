"""A word with times, and the one rule that brings its times inside a recording."""

from __future__ import annotations

from math import isnan
from typing import Generic, NamedTuple, TypeVar

NEARLY_S = 1e-6  # times that differ by less are equal: 12.0 − 11.6 is more than 0.4 in IEEE doubles

Time = TypeVar("Time", covariant=True)


class TimedWord(NamedTuple, Generic[Time]):
    """A word, in seconds from the first sample of its recording."""

    text: str
    start: Time
    end: Time
    conf: float | None = None


Chunk = TimedWord[float | None]  # as an engine or a file tells it: a time may be missing, or anywhere
Timed = TimedWord[float]


def clipped(word: Chunk, duration_s: float) -> tuple[float, float] | None:
    """Return start and end inside a recording of `duration_s` seconds, perhaps in the wrong order.

    None where nothing is left. In this order: without text or start there is no word; a missing end is the
    start; what lies outside altogether is no word, and times are cut to [0, `duration_s`]. NaN is a missing
    time, an infinite one lies beyond the end. A word without length may lie on either edge.
    """
    start, end = _number(word.start), _number(word.end)
    if start is None or not word.text.strip():
        return None
    end = start if end is None else end
    low, high = min(start, end), max(start, end)
    inside = NEARLY_S if high - low > NEARLY_S else -NEARLY_S
    if high < inside or low > duration_s - inside:
        return None
    return min(max(start, 0.0), duration_s), min(max(end, 0.0), duration_s)


def _number(time: float | None) -> float | None:
    return None if time is None or isnan(time) else time
