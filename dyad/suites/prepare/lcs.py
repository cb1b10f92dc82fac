"""Times and channels for the words of a manual transcript, from words that were recognised per channel.

A manual transcript says when a turn is and what is said in it, not by whom, and in an overlap it has the
dominant speaker only. Per turn, the longest common subsequence with the recognised words of each channel
gives the manual words their times, and the turn its speaker.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.suites.words import EPSILON, Timed
from dyad.text import tokens

from .corpus import Manual
from .turns import Span

MARGIN_S = 0.5  # recognised words this far outside of a turn may still be its own

Pair = tuple[int, int]


class Token(NamedTuple):
    """A form that words are compared by: "d'accord" has two in French. `word` is the index of its word."""

    text: str
    word: int
    start: float
    end: float


@dataclass(frozen=True)
class Transferred:
    """Words of both channels in the order of time, and how many came from where."""

    words: tuple[tuple[Timed, ...], tuple[Timed, ...]]
    counts: dict[str, int]


@dataclass
class _Heard:
    """The recognised words of a channel, and which of them have been accounted for."""

    words: Sequence[Timed]
    tokens: list[Token]
    starts: list[float]
    taken: set[int] = field(default_factory=set)  # their times went to a manual word
    met: set[int] = field(default_factory=set)  # they are in the transcript, whoever said them
    turns: list[Span] = field(default_factory=list)  # turns of this channel

    def near(self, turn: Manual) -> list[Token]:
        """Return the tokens inside of a turn and its margin that no earlier turn has taken."""
        first = bisect_left(self.starts, turn.start - MARGIN_S - EPSILON)
        last = bisect_left(self.starts, turn.end + MARGIN_S + EPSILON)
        inside = self.tokens[first:last]
        return [t for t in inside if t.end <= turn.end + MARGIN_S + EPSILON and t.word not in self.taken]


def common(a: Sequence[str], b: Sequence[str]) -> list[Pair]:
    """Return the pairs (i, j) of a longest common subsequence; of several, the one with the earliest matches.

    The first item of `a` that any of them matches is matched with the earliest item of `b`, and so on.
    """
    best = _lengths(a, b)
    pairs: list[Pair] = []
    j = 0
    for i, item in enumerate(a):
        match = (k for k in range(j, len(b)) if b[k] == item and 1 + best[i + 1, k + 1] == best[i, j])
        if (found := next(match, None)) is not None:
            pairs.append((i, found))
            j = found + 1
    return pairs


def _lengths(a: Sequence[str], b: Sequence[str]) -> NDArray[np.int32]:
    """Return the length of the longest common subsequence of a[i:] and b[j:], [len(a) + 1, len(b) + 1]."""
    numbers = {text: n for n, text in enumerate(dict.fromkeys([*a, *b]))}
    line = np.array([numbers[text] for text in b], np.int64)
    best = np.zeros((len(a) + 1, len(b) + 1), np.int32)
    for i in range(len(a) - 1, -1, -1):
        row = best[i + 1].copy()
        row[:-1] = np.maximum(row[:-1], np.where(line == numbers[a[i]], best[i + 1, 1:] + 1, 0))
        best[i] = np.maximum.accumulate(row[::-1])[::-1]
    return best


def tokens_in(words: Sequence[Timed], lang: str) -> list[Token]:
    """Return the tokens of words, each with its part of the word's time, by letters."""
    found: list[Token] = []
    for index, word in enumerate(words):
        forms = tokens(word.text, lang) or [word.text.casefold()]
        edges = np.cumsum([0, *map(len, forms)]) / max(1, sum(map(len, forms)))
        marks = word.start + edges * (word.end - word.start)
        pieces = zip(forms, pairwise(map(float, marks)), strict=True)
        found += [Token(form, index, *span) for form, span in pieces]
    return found


def placed(turn: Manual, found: Mapping[int, Span]) -> list[Timed]:
    """Give times to the words of a turn: as `found`, by index, else evenly between their neighbours."""
    at: list[Timed] = []
    known = [*sorted(found), len(turn.words)]
    low = min([turn.start, *(start for start, _ in found.values())])
    for first in known:
        high = max(low, found[first][0] if first in found else turn.end)
        missing = turn.words[len(at) : first]
        marks = np.linspace(low, high, len(missing) + 1)
        spans = pairwise(map(float, marks))
        at += [Timed(text, *span) for text, span in zip(missing, spans, strict=True)]
        if first in found:
            at.append(Timed(turn.words[first], *found[first]))
            low = max(low, found[first][1])
    return at


def transfer(manual: Iterable[Manual], heard: Sequence[Sequence[Timed]], lang: str) -> Transferred:
    """Give times and channels to the words of a manual transcript, all of which are kept.

    `heard` are the recognised words of both channels. Of a channel, they are added where the other one has a
    turn and they match no manual word: the words of the speaker that the transcript leaves out in an overlap.
    A manual word that its own speaker is heard to say at another time is no match for them.
    """
    sides = [_heard(words, lang) for words in heard]
    found = [_moved(turn, sides, lang) for turn in sorted(manual, key=lambda t: (t.start, t.end))]
    added = [_left_out(sides[0], sides[1]), _left_out(sides[1], sides[0])]
    words = [[*(w for moved in found if moved.channel == c for w in moved.words), *added[c]] for c in (0, 1)]
    first, second = (tuple(sorted(said, key=lambda w: (w.start, w.end))) for said in words)
    given, matched = sum(len(m.words) for m in found), sum(m.matched for m in found)
    counts = {
        "manual_words": given,
        "matched": matched,
        "spread": given - matched,
        "recovered": sum(map(len, added)),
        "recognised_words": sum(map(len, heard)),
        "turns_without_match": sum(m.alone for m in found),
    }
    return Transferred((first, second), counts)


class _Moved(NamedTuple):
    """A turn with its channel and times; `alone`: it matches nothing on either channel."""

    channel: int
    words: list[Timed]
    matched: int
    alone: bool


def _moved(turn: Manual, sides: Sequence[_Heard], lang: str) -> _Moved:
    """Find the speaker of a turn and the times of its words, and note what that accounts for."""
    matches = [_matches(turn, side, lang) for side in sides]
    channel = _speaker(turn, matches, sides)
    own = dict(matches[channel])
    sides[channel].taken |= {token.word for token in own.values()}
    sides[channel].turns.append((turn.start, turn.end))
    for side, pairs in zip(sides, matches, strict=True):
        side.met |= {token.word for i, token in pairs if i not in own or _meet(token, own[i])}
    found = _times(turn, matches[channel], lang)
    return _Moved(channel, placed(turn, found), len(found), not any(matches))


def _meet(a: Token, b: Token) -> bool:
    """Whether two tokens sound at the same time, as those of one word and its echo on the other line do."""
    return a is b or (a.start < b.end and b.start < a.end)


def _heard(words: Sequence[Timed], lang: str) -> _Heard:
    ordered = sorted(words, key=lambda w: (w.start, w.end))
    found = sorted(tokens_in(ordered, lang), key=lambda t: (t.start, t.end))
    return _Heard(ordered, found, [token.start for token in found])


def _forms(turn: Manual, lang: str) -> list[Token]:
    return tokens_in([Timed(word, 0.0, 0.0) for word in turn.words], lang)


def _matches(turn: Manual, side: _Heard, lang: str) -> list[tuple[int, Token]]:
    """Return the token numbers of a turn with the recognised tokens that they match."""
    near = side.near(turn)
    pairs = common([t.text for t in _forms(turn, lang)], [t.text for t in near])
    return [(i, near[j]) for i, j in pairs]


def _times(turn: Manual, matches: Sequence[tuple[int, Token]], lang: str) -> dict[int, Span]:
    """Return when the words of a turn are said, by their index, from their first to their last match."""
    word_of = [token.word for token in _forms(turn, lang)]
    times: dict[int, Span] = {}
    for i, token in matches:
        start = times[word_of[i]][0] if word_of[i] in times else token.start
        times[word_of[i]] = (start, token.end)
    return times


def _speaker(turn: Manual, matches: Sequence[Sequence[object]], sides: Sequence[_Heard]) -> int:
    """Return the channel with more matches; of equal ones, that with more speech in the turn, then 0."""
    ranks = [(len(pairs), _speech_inside(turn, side)) for pairs, side in zip(matches, sides, strict=True)]
    return int(ranks[1] > ranks[0])


def _speech_inside(turn: Manual, side: _Heard) -> float:
    return round(sum(max(0.0, min(t.end, turn.end) - max(t.start, turn.start)) for t in side.near(turn)), 6)


def _left_out(side: _Heard, other: _Heard) -> list[Timed]:
    """Return the words of a channel that no transcript has and that lie in a turn of the other one only."""
    free = [w for i, w in enumerate(side.words) if i not in side.met]
    return [w for w in free if _covered(w, other.turns) and not _covered(w, side.turns)]


def _covered(word: Timed, spans: Sequence[Span]) -> bool:
    """Whether the middle of a word lies in one of some spans, which are in the order of their starts."""
    middle = (word.start + word.end) / 2
    return any(start <= middle <= end for start, end in spans)
