"""Folding of spoken text: one idea of "the same words" for agents, judges and measures.

Two texts are the same when they fold to the same tokens: case, accents, punctuation, possessive endings and
spelling-out ("c-o-p-p-e-r") do not count, and numbers are digits ("one hundred and fifty" is "150").
Phrases are compared on stems, word by word, so `car` is in "two cars" and not in "Oscar".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

BREAK = "|"  # where punctuation stood: a number never runs across it
MAX_NUMBER = 9999

_Read = Callable[[Sequence[str], int], tuple[int | None, int]]

_SPELLED = re.compile(r"(?<![^\W_])([^\W\d_])([ .,-]+)[^\W\d_](?:\2[^\W\d_])+(?![^\W_])")
_LEX = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:'[^\W\d_]+)*|[,.;:!?]")

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}


@lru_cache(maxsize=4096)
def fold(s: str) -> str:
    """Return the tokens of a text in their one common form, separated by single spaces."""
    return " ".join(str(word) for word in _with_numbers(_lex(s)) if word != BREAK)


def tokens(s: str) -> list[str]:
    """Return the folded words and numbers of a text."""
    return fold(s).split()


def stems(s: str) -> list[str]:
    """Return the stems of the folded words of a text."""
    return [stem(word) for word in tokens(s)]


def has_phrase(line: str, phrase: str) -> bool:
    """Return whether the words of a phrase occur in a line, whole, adjacent and in order, on their stems."""
    wanted = stems(phrase)
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(stems(line))} "


def met(cue_any: Iterable[str], line: str) -> bool:
    """Return whether a line meets a cue, i.e. holds any of its phrases."""
    return any(has_phrase(line, phrase) for phrase in cue_any)


def similarity(a: str, b: str) -> float:
    """Return the Levenshtein ratio of two strings in [0, 1], where a substitution costs two edits.

    The ratio is (|a| + |b| − edits) / (|a| + |b|), and 1 for two empty strings.
    """
    if a == b:
        return 1.0
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            change = diagonal + 2 * (x != y)
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, change)
    return 1 - row[-1] / (len(a) + len(b))


# Numbers


def number_words(n: int) -> str:
    """Return a whole number as English words, "one hundred and fifty"; ValueError unless 0 ≤ n ≤ 9999."""
    if not 0 <= n <= MAX_NUMBER:
        raise ValueError(f"{n} is not between 0 and {MAX_NUMBER}")
    if n < 20:
        return _SMALL[n]
    if n < 100:
        ten, one = divmod(n, 10)
        return _TENS[ten - 2] + (f" {_SMALL[one]}" if one else "")
    size, name = (100, "hundred") if n < 1000 else (1000, "thousand")
    head, rest = divmod(n, size)
    joint = " and " if 0 < rest < 100 else " "
    return f"{_SMALL[head]} {name}" + (joint + number_words(rest) if rest else "")


def find_numbers(s: str) -> list[int]:
    """Return the whole numbers up to 9999 that a text mentions, in words or digits, in order.

    "one eighty" is 180 as it is when people haggle; numbers on two sides of punctuation stay apart.
    """
    return [word for word in _with_numbers(_lex(s)) if isinstance(word, int) and word <= MAX_NUMBER]


def _with_numbers(words: Sequence[str]) -> list[str | int]:
    out: list[str | int] = []
    i = 0
    while i < len(words):
        value, end = _number(words, i)
        out.append(words[i] if value is None else value)
        i = max(end, i + 1)
    return out


def _number(words: Sequence[str], i: int) -> tuple[int | None, int]:
    """Read the number that starts at word i; return it (None if there is none) and where it ends."""
    value, end = _hundreds(words, i)
    if value is not None and _word(words, end) == "thousand" and value < 10:
        rest, rest_end = _rest(words, end + 1, _hundreds)
        return 1000 * value + rest, rest_end
    return value, end


def _hundreds(words: Sequence[str], i: int) -> tuple[int | None, int]:
    article = _word(words, i) == "a" and _word(words, i + 1) in ("hundred", "thousand")
    value, end = (1, i + 1) if article else _below_hundred(words, i)
    if value is None:
        return None, i
    if _word(words, end) == "hundred":
        rest, rest_end = _rest(words, end + 1, _below_hundred)
        return 100 * value + rest, rest_end
    if 1 <= value <= 9 and not words[i].isdigit():
        tail, tail_end = _below_hundred(words, end)
        if tail is not None and tail >= 10 and not words[end].isdigit():
            return 100 * value + tail, tail_end
    return value, end


def _below_hundred(words: Sequence[str], i: int) -> tuple[int | None, int]:
    word = _word(words, i)
    if re.fullmatch(r"\d+", word):
        return int(word), i + 1
    value = _VALUES.get(word)
    one = _VALUES.get(_word(words, i + 1), 0)
    if value is not None and value >= 20 and 1 <= one <= 9:
        return value + one, i + 2
    return value, i + (value is not None)


def _rest(words: Sequence[str], i: int, read: _Read) -> tuple[int, int]:
    """Read what may follow "hundred" or "thousand", with or without an "and"."""
    value, end = read(words, i + (_word(words, i) == "and"))
    return (0, i) if value is None or words[end - 1].isdigit() else (value, end)


def _word(words: Sequence[str], i: int) -> str:
    return words[i] if i < len(words) else ""


def _lex(s: str) -> list[str]:
    """Words, numbers and breaks of a text; every accent, possessive ending and spelled letter folded."""
    plain = unicodedata.normalize("NFKD", s.replace("’", "'"))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
    joined = _SPELLED.sub(lambda m: re.sub(r"[ .,-]", "", m[0]), plain)
    return [_one_token(word) for word in _LEX.findall(joined)]


def _one_token(word: str) -> str:
    if word[0].isdigit():
        return re.sub(r"\.0+$", "", word.replace(",", ""))
    if not word[0].isalpha():
        return BREAK
    return word.removesuffix("'s").replace("'", "")


# Stems


@lru_cache(maxsize=16384)
def stem(w: str) -> str:
    """Return the stem of one folded word: inflections only (Porter 1980, steps 1a, 1b, 1c and 5a)."""
    if len(w) < 3 or not w.isalpha():
        return w
    return _final(_verbal(_plural(w)))


def _plural(w: str) -> str:
    if w.endswith(("sses", "ies")):
        return w[:-2]
    return w[:-1] if w.endswith("s") and not w.endswith("ss") else w


def _verbal(w: str) -> str:
    if w.endswith("eed"):
        return w[:-1] if _syllables(w[:-3]) else w
    for ending in ("ed", "ing"):
        base = w.removesuffix(ending)
        if base != w and "v" in _shape(base):
            return _restored(base)
    return w


def _restored(base: str) -> str:
    """Undo what an ending did to its verb: hopp(ing) → hop, hop(ing) → hope."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:-1] == base[-1:] and base[-1] not in "aeioulsz":
        return base[:-1]
    return base + "e" if _syllables(base) == 1 and _short(base) else base


def _final(w: str) -> str:
    if w.endswith("y") and "v" in _shape(w[:-1]):
        return w[:-1] + "i"
    base = w.removesuffix("e")
    count = _syllables(base)
    return base if base != w and (count > 1 or (count == 1 and not _short(base))) else w


def _shape(w: str) -> str:
    """Consonants as c and vowels as v; y is a vowel after a consonant."""
    shape = ""
    for letter in w:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _syllables(w: str) -> int:
    """Porter's measure: how often a vowel is followed by a consonant."""
    return _shape(w).count("vc")


def _short(w: str) -> bool:
    return _shape(w).endswith("cvc") and w[-1] not in "wxy"
