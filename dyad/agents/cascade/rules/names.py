"""Names as a recogniser hands them over: `Quillon` may arrive as "quillen", "kwillon" or "quill on"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from dyad.text import tokens

SOUNDS = (
    (r"^kn|^gn", "n"), (r"^wr", "r"), (r"ph", "f"), (r"ck|qu|q", "k"), (r"sch|sh|ch", "x"), (r"x$", "ks"),
    (r"c(?=[eiy])", "s"), (r"c", "k"), (r"z", "s"), (r"v", "f"), (r"gh", ""), (r"dg", "j"), (r"[hw]", ""),
)  # fmt: skip
CLOSE = 0.78  # likeness of spelling that is enough when the first sound agrees
SHORT = 4  # letters; words this short must match as they are


@lru_cache(maxsize=4096)
def sound(word: str) -> str:
    """Return a rough phonetic key: the consonant sounds, after an `a` for any leading vowel."""
    key = word.lower()
    for pattern, heard in SOUNDS:
        key = re.sub(pattern, heard, key)
    first = "a" if key[:1] in tuple("aeiouy") else ""
    return first + re.sub(r"(.)\1+", r"\1", re.sub(r"[aeiouy]", "", key))


@lru_cache(maxsize=65536)
def likeness(word: str, name: str) -> float:
    """Return 1 for equal words, a value in (0, 1) for words that may be the name misheard, else 0."""
    if word == name:
        return 1.0
    if min(len(word), len(name)) <= SHORT:
        return 0.0
    alike, one, two = SequenceMatcher(None, word, name).ratio(), sound(word), sound(name)
    # two consonants alone are thin evidence ("very" sounds like "ferry"): the first letter must agree too
    same_sound = one == two and alike >= 0.5 and (len(one) >= 3 or (word[0] == name[0] and alike >= 0.6))
    close = alike >= CLOSE and one[:1] == two[:1]
    return min(0.99, alike + 0.2 * same_sound) if same_sound or close else 0.0


def mark_names(words: Sequence[str], names: Sequence[str], lang: str = "en") -> list[str]:
    """Replace every mention of a name by `@` and its index; a name may be split over several words."""
    marked: list[str] = []
    at = 0
    while at < len(words):
        score, width, index = max(_candidates(words, at, names, lang), default=(0.0, 1, 0))
        marked.append(f"@{index}" if score else words[at])
        at += width
    return marked


def _candidates(
    words: Sequence[str], at: int, names: Sequence[str], lang: str
) -> list[tuple[float, int, int]]:
    """Return (likeness, words taken, index of the name) for every name that may start at a word."""
    found = []
    for index, name in enumerate(names):
        parts = [p for p in tokens(name, lang) if p != "the"]
        for width in {max(1, len(parts) - 1), len(parts), len(parts) + 1}:
            span = words[at : at + width]
            # a split name keeps a real first piece: "a quillon" must not swallow the article
            if len(span) == width and (width <= len(parts) or len(span[0]) >= 3):
                found.append((likeness("".join(span), "".join(parts)), width, index))
    return [f for f in found if f[0] > 0]
