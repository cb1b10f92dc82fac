"""Numbers in Chinese characters, as Chinese and Japanese write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

_DIGITS = "零一二三四五六七八九"
_VALUES = {digit: n for n, digit in enumerate(_DIGITS)} | {"〇": 0, "两": 2, "兩": 2}
_UNITS = {"千": 1000, "百": 100, "十": 10}
_ANY = frozenset((*_VALUES, *_UNITS))
_DIGIT, _ZERO = f"[{''.join(_VALUES)}]", "[零〇]?"
_NUMBER = re.compile(f"(?:{_DIGIT}?千{_ZERO})?(?:{_DIGIT}?百{_ZERO})?(?:{_DIGIT}?十)?{_DIGIT}?")
# "三百二" is 320 in spoken Chinese, and 302 in Japanese. Where the language is not known, a 一 or 两 says
# that it is Chinese: Japanese leaves the one out, so that its "百八" stays 108.
_CLIPPED = re.compile("([一二两兩三四五六七八九])([千百])([一二三四五六七八九])")


def spell(n: int, lang: str) -> str:
    """Return a whole number in [0, 9999] in characters: 百二十 in Japanese (`ja`), 一百二十 in Chinese."""
    return _japanese(n) if lang == "ja" else _chinese(n)


def read(words: Sequence[str], i: int, lang: str) -> tuple[int | None, int]:
    """Return the number that starts at character i, None if there is none, and where it ends."""
    run = "".join(takewhile(_ANY.__contains__, words[i:]))
    found = _NUMBER.match(run)
    if not run or not found or not found[0]:
        return None, i
    return _value(found[0], lang), i + len(found[0])


def _value(number: str, lang: str) -> int:
    clipped = _CLIPPED.fullmatch(number)
    if clipped and (lang == "zh" or (lang != "ja" and clipped[1] in "一两兩")):
        unit = _UNITS[clipped[2]]
        return unit * _VALUES[clipped[1]] + unit // 10 * _VALUES[clipped[3]]
    total = digit = 0
    for sign in number:
        if sign in _UNITS:
            total, digit = total + (digit or 1) * _UNITS[sign], 0
        else:
            digit = _VALUES[sign]
    return total + digit


def _japanese(n: int) -> str:
    spelt = ""
    for unit, size in _UNITS.items():
        head, n = divmod(n, size)
        spelt += ("" if head == 1 else _DIGITS[head]) + unit if head else ""
    return spelt + (_DIGITS[n] if n or not spelt else "")


def _chinese(n: int) -> str:
    if n < 20:
        return f"十{_chinese(n - 10) if n > 10 else ''}" if n >= 10 else _DIGITS[n]
    unit, size = next((unit, size) for unit, size in _UNITS.items() if n >= size)
    head, rest = divmod(n, size)
    gap = "零" if 0 < rest < size // 10 else ""
    below = f"一{_chinese(rest)}" if 10 <= rest < 20 and size > 10 else _chinese(rest) if rest else ""
    return f"{'两' if head == 2 and size > 10 else _DIGITS[head]}{unit}{gap}{below}"
