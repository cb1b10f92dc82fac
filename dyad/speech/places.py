"""What of a text is spoken, where its words lie in the speech, and what of the edges to keep."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dyad.text.lex import CJK, CJK_MARK

from .types import Floats, Speech, Spoken

RATE = 24_000
_EDGE = RATE * 40 // 1000  # quiet that is kept at each end
_FLOOR = 0.02  # of the peak; below it is silence
_PAUSE_MS = 120  # longer than the closure of a consonant
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

Place = tuple[int, int]


def speakable(token: str) -> bool:
    """Whether a token has a letter or a digit."""
    return any(c.isalnum() for c in token)


def plain(token: str) -> str:
    """Drop from a token what no reader says: emoji, brackets, marks, control characters."""
    known = "".join(
        c for c in unicodedata.normalize("NFKC", token) if c.isalnum() or c in "'’-.,!?;:$£€%&/—…。、"
    )
    return known if speakable(known) else re.sub(r"[^.,!?;:—…。、]", "", known)


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a text that have a place each: what stands between spaces.

    Where a script writes no spaces, each of its characters is a token, with the marks that follow it.
    """
    return [token for word in text.split() for token in _characters(word)]


def piece_of(token: str) -> str:
    """Return a token as it follows the one before: after a space, or at once where its script has none.

    The pieces of a text in one script, joined, are the text again, with single spaces.
    """
    return token if CJK.match(token) or CJK_MARK.match(token) else f" {token}"


def sentences(tokens: Sequence[str]) -> list[list[str]]:
    """Group tokens into sentences, each ending with a token that ends in `.`, `!`, `?`, `…` or `。`."""
    groups: list[list[str]] = [[]]
    for token in tokens:
        groups[-1].append(token)
        if plain(token).endswith((".", "!", "?", "…", "。")):
            groups.append([])
    return [group for group in groups if group]


def read_aloud(tokens: Sequence[str]) -> str:
    """Return what a reader says of tokens, as one line."""
    said = "".join(map(piece_of, tokens)).split()
    return " ".join(filter(None, map(plain, said)))


def _characters(word: str) -> list[str]:
    cuts = [found.start() for found in CJK.finditer(word) if speakable(word[: found.start()])]
    return [word[a:b] for a, b in pairwise([0, *cuts, len(word)])]


def voiced_span(pcm: Floats) -> Place:
    """Return the samples that hold sound, with 40 ms of edge on both sides."""
    loud = np.flatnonzero(np.abs(pcm) > _FLOOR * np.abs(pcm).max(initial=1e-9))
    if not len(loud):
        return 0, 0
    return max(0, int(loud[0]) - _EDGE), min(len(pcm), int(loud[-1]) + _EDGE)


def trim(pcm: Floats, places: Sequence[Place]) -> tuple[Floats, list[Place]]:
    """Cut the quiet ends off; places move along and stay inside."""
    low, high = voiced_span(pcm)
    inside = [(min(max(a, low), high) - low, min(max(b, low), high) - low) for a, b in places]
    return pcm[low:high], inside


def proportional(tokens: Sequence[str], samples: int) -> list[Place]:
    """Spread tokens over `samples` by their number of letters; a token without any gets an empty place."""
    sizes = np.array([sum(map(_length, token)) for token in tokens], float)
    edges = np.concatenate([[0.0], np.cumsum(sizes)])
    marks = np.rint(edges * samples / max(edges[-1], 1.0)).astype(int)
    return [(int(a), int(b)) for a, b in pairwise(marks)]


def _length(character: str) -> int:
    """Letters that a character is as long as: an ideograph is about two kana."""
    return 2 if _IDEOGRAPH.match(character) else int(character.isalnum())


def spread(tokens: Sequence[str], pcm: Floats, rate: int = RATE) -> list[Place]:
    """Place tokens in speech without an aligner.

    Where there are as many stretches of sound as clauses, each clause has one; in it, or else over all
    sound, tokens are spread by their number of letters.
    """
    stretches, clauses = _stretches(pcm, rate), _clauses(tokens)
    if len(stretches) != len(clauses):
        return _over(tokens, stretches)
    pairs = zip(clauses, stretches, strict=True)
    return [place for clause, stretch in pairs for place in _over(clause, [stretch])]


def _over(tokens: Sequence[str], stretches: Sequence[Place]) -> list[Place]:
    """Spread tokens over stretches of sound, leaving out the pauses between them."""
    if not stretches:
        return [(0, 0)] * len(tokens)
    starts = np.array([start for start, _ in stretches])
    ends = np.cumsum([end - start for start, end in stretches])
    before = starts - np.concatenate([[0], ends[:-1]])  # what lies before each stretch and is no sound
    last = len(stretches) - 1
    places = []
    for a, b in proportional(tokens, int(ends[-1])):
        first = min(int(np.searchsorted(ends, a, "right")), last)
        start = a + int(before[first])
        places.append((start, max(start, b + int(before[int(np.searchsorted(ends, b, "left"))]))))
    return places


def _clauses(tokens: Sequence[str]) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    for token in tokens:
        groups[-1].append(token)
        if plain(token).endswith((",", ";", ":", "、", ".", "!", "?", "…", "。")):
            groups.append([])
    return [group for group in groups if group]


def _stretches(pcm: Floats, rate: int) -> list[Place]:
    """Return the stretches of sound between pauses of at least 120 ms."""
    loud = np.flatnonzero(np.abs(pcm) > _FLOOR * np.abs(pcm).max(initial=1e-9))
    if not len(loud):
        return []
    breaks = np.flatnonzero(np.diff(loud) >= rate * _PAUSE_MS // 1000)
    starts, ends = [loud[0], *loud[breaks + 1]], [*loud[breaks], loud[-1]]
    return [(int(a), int(b) + 1) for a, b in zip(starts, ends, strict=True)]


def joined(parts: Sequence[tuple[Floats, Sequence[Place]]], tokens: Sequence[str], gap: int) -> Speech:
    """Put sentences one after the other with `gap` samples of silence between them."""
    chunks: list[Floats] = []
    words: list[Place] = []
    at = 0
    for pcm, places in parts:
        if chunks and len(pcm):
            chunks.append(np.zeros(gap, np.float32))
            at += gap
        words += [(at + a, at + b) for a, b in places]
        chunks.append(pcm)
        at += len(pcm)
    named = tuple(Spoken(s, a, b) for s, (a, b) in zip(tokens, words, strict=True))
    return Speech(np.concatenate(chunks).astype(np.float32), named)
