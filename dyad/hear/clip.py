"""Words as engines tell them, brought inside their recording: no time missing, negative or beyond the end."""

from __future__ import annotations

from collections.abc import Iterable

from dyad.spec import RATE, Seat, Word
from dyad.speech.words import Chunk, clipped

SHORTEST = RATE * 20 // 1000  # samples: no word lasts less, so that it can overlap something
_NEARLY = 1e-6  # samples: what seconds in double precision lose


def words_within(found: Iterable[Chunk], seat: Seat, samples: int) -> tuple[list[Word], int]:
    """Return the words of a seat in a recording of `samples` at 24 kHz, and how many were dropped.

    Times are clipped by the rule of `dyad.speech.words`; then a swapped pair is put right, and a word lasts
    20 ms at least.
    """
    told = list(found)
    words = [word for one in told if (word := _word(one, seat, samples)) is not None]
    return words, len(told) - len(words)


def _word(one: Chunk, seat: Seat, samples: int) -> Word | None:
    if (times := clipped(one, samples / RATE)) is None:
        return None
    first, last = (int(at * RATE + _NEARLY) for at in sorted(times))
    start = min(first, max(0, samples - SHORTEST))
    end = min(max(last, start + SHORTEST), samples)
    return Word(seat=seat, start=start, end=end, s=one.text.strip(), conf=one.conf)
