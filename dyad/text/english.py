"""English number words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .reading import Read, word_at

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}


def spell(n: int) -> str:
    """Return a whole number in [0, 9999] in words, "one hundred and fifty"."""
    if n < 20:
        return _SMALL[n]
    if n < 100:
        ten, one = divmod(n, 10)
        return _TENS[ten - 2] + (f" {_SMALL[one]}" if one else "")
    size, name = (100, "hundred") if n < 1000 else (1000, "thousand")
    head, rest = divmod(n, size)
    joint = " and " if 0 < rest < 100 else " "
    return f"{_SMALL[head]} {name}" + (joint + spell(rest) if rest else "")


def read(words: Sequence[str], i: int) -> tuple[int | None, int]:
    """Return the number that starts at word i, None if there is none, and where it ends."""
    value, end = _hundreds(words, i)
    if value is not None and word_at(words, end) == "thousand" and value < 10:
        rest, rest_end = _rest(words, end + 1, _hundreds)
        return 1000 * value + rest, rest_end
    return value, end


def _hundreds(words: Sequence[str], i: int) -> tuple[int | None, int]:
    article = word_at(words, i) == "a" and word_at(words, i + 1) in ("hundred", "thousand")
    value, end = (1, i + 1) if article else _below_hundred(words, i)
    if value is None:
        return None, i
    if word_at(words, end) == "hundred":
        rest, rest_end = _rest(words, end + 1, _below_hundred)
        return 100 * value + rest, rest_end
    if 1 <= value <= 9 and not words[i].isdigit():
        tail, tail_end = _below_hundred(words, end)
        if tail is not None and tail >= 10 and not words[end].isdigit():
            return 100 * value + tail, tail_end
    return value, end


def _below_hundred(words: Sequence[str], i: int) -> tuple[int | None, int]:
    word = word_at(words, i)
    if re.fullmatch(r"\d+", word):
        return int(word), i + 1
    value = _VALUES.get(word)
    one = _VALUES.get(word_at(words, i + 1), 0)
    if value is not None and value >= 20 and 1 <= one <= 9:
        return value + one, i + 2
    return value, i + (value is not None)


def _rest(words: Sequence[str], i: int, read: Read) -> tuple[int, int]:
    """Read what may follow "hundred" or "thousand", with or without an "and"."""
    value, end = read(words, i + (word_at(words, i) == "and"))
    return (0, i) if value is None or words[end - 1].isdigit() else (value, end)
