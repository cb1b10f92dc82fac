"""The words of a text and what it says, for languages with and without spaces between words."""

from __future__ import annotations

import re

from dyad.text import CJK

from .names import plain

UNSPACED = ("ja", "zh")  # languages without spaces between words
_KANA = re.compile("[\u3041-\u30ff]")
_WORD = re.compile(rf"{CJK.pattern}|(?:(?!{CJK.pattern})[\w'’-])+")
# Characters that say as much as one English word, in briefs that tell the same.
JA_PER_WORD, ZH_PER_WORD = 2.5, 1.7


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; of Japanese and Chinese, the characters."""
    return _WORD.findall(text.lower())


def per_word(text: str) -> float:
    """Return how many of `words` make one: more than one in Japanese (any kana) and Chinese."""
    if _KANA.search(text):
        return JA_PER_WORD
    return ZH_PER_WORD if CJK.search(text) else 1.0


def size(text: str) -> int:
    """Return the length of a text in words; of Japanese and Chinese, in as many as would say the same."""
    return round(len(words(text)) / per_word(text))


def shingles(text: str, count: int) -> set[str]:
    """Return every run of `count` words; of Japanese and Chinese, of as many characters as that is."""
    said, n = words(text), round(count * per_word(text))
    return {" ".join(said[i : i + n]) for i in range(len(said) - n + 1)}


def find_phrase(text: str, phrase: str) -> int:
    """Return where a text says a phrase, -1 if it does not: in whole words, or as written without spaces.

    Places count letters of the plain text or, without spaces, of the text; they only serve to compare.
    """
    if per_word(phrase) > 1:
        return text.find(phrase)
    return f" {plain(text)} ".find(f" {plain(phrase)} ")


def says(text: str, phrase: str) -> bool:
    """Return whether a text says a phrase."""
    return find_phrase(text, phrase) >= 0
