"""French number words, those of Belgium and Switzerland included."""

from __future__ import annotations

from collections.abc import Sequence

from .reading import word_at

_SMALL = (
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
)  # fmt: skip
_TENS = ("vingt", "trente", "quarante", "cinquante", "soixante")
_VALUES = {word.replace("é", "e"): n for n, word in enumerate(_SMALL) if "-" not in word} | {"une": 1}
_TEN_VALUES = {word: 10 * n for n, word in enumerate(_TENS, 2)} | {
    "septante": 70, "huitante": 80, "octante": 80, "nonante": 90,
}  # fmt: skip


def spell(n: int) -> str:
    """Return a whole number in [0, 9999] in words, "cent quarante-deux"."""
    if n < 20:
        return _SMALL[n]
    if n < 100:
        return _below_hundred_spelt(n)
    size, name = (100, "cent") if n < 1000 else (1000, "mille")
    head, rest = divmod(n, size)
    plural = "s" if name == "cent" and head > 1 and not rest else ""
    return " ".join([*([spell(head)] if head > 1 else []), name + plural, *([spell(rest)] if rest else [])])


def _below_hundred_spelt(n: int) -> str:
    ten = min(n // 10, 6) if n < 80 else 8
    one = n - 10 * ten
    name = "quatre-vingt" if ten == 8 else _TENS[ten - 2]
    if not one:
        return name + ("s" if ten == 8 else "")
    return f"{name} et {_SMALL[one]}" if one in (1, 11) and ten < 8 else f"{name}-{_SMALL[one]}"


def read(words: Sequence[str], i: int) -> tuple[int | None, int]:
    """Return the number that starts at word i, None if there is none, and where it ends."""
    value, end = (1, i) if word_at(words, i) == "mille" else _hundreds(words, i)
    if value is None or not 1 <= value <= 9 or word_at(words, end) != "mille":
        return value, end
    rest, rest_end = _hundreds(words, end + 1)
    return 1000 * value + (rest or 0), rest_end


def _hundreds(words: Sequence[str], i: int) -> tuple[int | None, int]:
    value, end = (1, i) if word_at(words, i) in ("cent", "cents") else _below_hundred(words, i)
    if value is None or not 1 <= value <= 9 or word_at(words, end) not in ("cent", "cents"):
        return value, end
    rest, rest_end = _below_hundred(words, end + 1)
    return 100 * value + (rest or 0), rest_end


def _below_hundred(words: Sequence[str], i: int) -> tuple[int | None, int]:
    word = word_at(words, i)
    if word == "quatre" and word_at(words, i + 1) in ("vingt", "vingts"):
        return _plus(80, words, i + 2, most=19)
    if word in _TEN_VALUES:
        return _plus(_TEN_VALUES[word], words, i + 1, most=19 if word == "soixante" else 9)
    return _below_twenty(words, i)


def _plus(ten: int, words: Sequence[str], i: int, most: int) -> tuple[int, int]:
    """Read what may follow a ten, with or without an "et"."""
    one, end = _below_twenty(words, i + (word_at(words, i) == "et"))
    return (ten + one, end) if one is not None and 1 <= one <= most else (ten, i)


def _below_twenty(words: Sequence[str], i: int) -> tuple[int | None, int]:
    word, after = word_at(words, i), word_at(words, i + 1)
    if word.isdecimal():
        return int(word), i + 1
    if word == "dix" and after in ("sept", "huit", "neuf"):
        return 10 + _VALUES[after], i + 2
    value = _VALUES.get(word)
    return value, i + (value is not None)
