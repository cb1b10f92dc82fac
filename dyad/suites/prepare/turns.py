"""Words of one speaker joined into turns, sentences and inter-pausal units. Times are seconds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from dyad.suites.words import GAP_S, Timed, ipus

TURN_GAP_S, SENTENCE_GAP_S, PAUSE_S = 2.0, 0.2, 0.7

Span = tuple[float, float]


class Turn(NamedTuple):
    """A stretch of one speaker's words; also a sentence or a unit, which are shorter ones."""

    start: float
    end: float
    words: tuple[Timed, ...]

    @property
    def duration_s(self) -> float:
        """Length in seconds, pauses included."""
        return self.end - self.start

    @property
    def text(self) -> str:
        """The words in a row."""
        return " ".join(word.text for word in self.words)


def turns(words: Iterable[Timed]) -> list[Turn]:
    """Join words of one speaker while the gap is at most 2.0 s."""
    return joined(words, TURN_GAP_S)


def sentences(words: Iterable[Timed]) -> list[Turn]:
    """Part words of one speaker where the gap is above 0.2 s."""
    return joined(words, SENTENCE_GAP_S)


def units(words: Iterable[Timed]) -> list[Turn]:
    """Join words of one speaker into inter-pausal units, while the gap is at most 0.5 s."""
    return joined(words, GAP_S)


def joined(words: Iterable[Timed], gap_s: float) -> list[Turn]:
    """Join words while the gap since the last end is at most `gap_s`."""
    ordered = sorted(words, key=lambda word: (word.start, word.end))
    return [Turn(*group) for group in ipus(ordered, gap_s)]


def pauses(words: Iterable[Timed], longer_s: float = PAUSE_S) -> list[Span]:
    """Return the gaps between words of one speaker that are above 0.7 s."""
    return [(before.end, after.start) for before, after in pairwise(joined(words, longer_s))]


def speech_s(words: Iterable[Timed]) -> float:
    """Return the seconds that words last together, pauses left out."""
    return sum(word.end - word.start for word in words)
