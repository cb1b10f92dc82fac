"""Numbers in words, in every language that has a reader for them."""

from __future__ import annotations

from collections.abc import Sequence

from . import english, french, han

MAX_NUMBER = 9999


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
    read = french.read if lang == "fr" else english.read
    out: list[str | int] = []
    i = 0
    while i < len(words):
        value, end = han.read(words, i)
        if value is None:
            value, end = read(words, i)
        out.append(words[i] if value is None else value)
        i = max(end, i + 1)
    return out
