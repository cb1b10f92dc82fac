"""Words as engines tell them, brought inside their recording: no time missing, negative or beyond the end."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from dyad.spec import RATE, Seat, Word

from .ears import Found

SHORTEST = RATE * 20 // 1000  # samples: no word lasts less, so that it can overlap something
_NEARLY = 1e-6  # samples: what seconds in double precision lose


def words_within(found: Iterable[Found], seat: Seat, samples: int) -> tuple[list[Word], int]:
    """Return the words of a seat in a recording of `samples` at 24 kHz, and how many were dropped.

    The order of rules is that of the specification: words without text or start are dropped; without an end
    they end where they start; a swapped pair is put right; what lies outside altogether is dropped, and the
    rest cut to [0, samples]. A word without length is kept, with 20 ms.
    """
    told = list(found)
    words = [word for one in told if (word := _word(one, seat, samples)) is not None]
    return words, len(told) - len(words)


def _word(one: Found, seat: Seat, samples: int) -> Word | None:
    if not one.s.strip() or one.start is None or not isfinite(one.start):
        return None
    end = one.start if one.end is None or not isfinite(one.end) else one.end
    first, last = sorted((one.start, end))
    if last < 0 or (first < last == 0) or int(first * RATE + _NEARLY) >= samples:
        return None
    start = min(max(0, int(first * RATE + _NEARLY)), max(0, samples - SHORTEST))
    end = min(max(int(last * RATE + _NEARLY), start + SHORTEST), samples)
    return Word(seat=seat, start=start, end=end, s=one.s.strip(), conf=one.conf)
