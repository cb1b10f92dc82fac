"""Numbers in words, in every language that has a reader for them."""

from __future__ import annotations

from collections.abc import Sequence

from . import english, french, han
from .reading import word_at

MAX_NUMBER = 9999
_MYRIADS = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8}


def number_words(n: int, lang: str = "en") -> str:
    """Return a whole number in words of a language: "one hundred and fifty", "cent cinquante", "百五十".

    `lang` is en, fr, ja or zh. Raises ValueError unless 0 ≤ n ≤ 9999.
    """
    if not 0 <= n <= MAX_NUMBER:
        raise ValueError(f"{n} is not between 0 and {MAX_NUMBER}")
    if lang in ("ja", "zh"):
        return han.spell(n, lang)
    return french.spell(n) if lang == "fr" else english.spell(n)


def with_numbers(words: Sequence[str], lang: str) -> list[str | int]:
    """Return words with every number word, or run of them, replaced by its number."""
    out: list[str | int] = []
    i = 0
    while i < len(words):
        value, end = _read(words, i, lang)
        out.append(words[i] if value is None else value)
        i = max(end, i + 1)
    return out


def _read(words: Sequence[str], i: int, lang: str) -> tuple[int | None, int]:
    value, end = han.read(words, i, lang)
    if value is None:
        value, end = (french.read if lang == "fr" else english.read)(words, i)
    size = _MYRIADS.get(word_at(words, end))
    if value is None or size is None:
        return value, end
    rest, end = _read(words, end + 1, lang)  # "一万二千" is one number, too large for a price
    return size * value + (rest or 0), end
