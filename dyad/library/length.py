"""How long a text is, in words, for languages with and without spaces."""

from __future__ import annotations

import re

_KANA, _HAN = "\u3040-\u30ff", "\u3400-\u9fff々"
_WORD = re.compile(rf"[{_KANA}{_HAN}]|(?:(?![{_KANA}{_HAN}])[\w'’-])+")
# Characters that say as much as one English word, in briefs that tell the same.
JA_PER_WORD, ZH_PER_WORD = 2.5, 1.7


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; of Japanese and Chinese, the characters."""
    return _WORD.findall(text.lower())


def per_word(text: str) -> float:
    """Return how many of `words` make one: more than one in Japanese (any kana) and Chinese."""
    if re.search(f"[{_KANA}]", text):
        return JA_PER_WORD
    return ZH_PER_WORD if re.search(f"[{_HAN}]", text) else 1.0


def size(text: str) -> int:
    """Return the length of a text in words; of Japanese and Chinese, in as many as would say the same."""
    return round(len(words(text)) / per_word(text))


def shingles(text: str, count: int) -> set[str]:
    """Return every run of `count` words; of Japanese and Chinese, of as many characters as that is."""
    said, n = words(text), round(count * per_word(text))
    return {" ".join(said[i : i + n]) for i in range(len(said) - n + 1)}
