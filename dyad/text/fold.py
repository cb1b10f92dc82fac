"""The folded form of a text, and what is compared on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from .lex import BREAK, CJK, CJK_MARK, lex
from .numerals import MAX_NUMBER, with_numbers
from .stem import stem


@lru_cache(maxsize=4096)
def fold(s: str, lang: str = "en") -> str:
    """Return the tokens of a text in their one common form, separated by single spaces."""
    return " ".join(str(word) for word in with_numbers(lex(s, lang), lang) if word != BREAK)


def tokens(s: str, lang: str = "en") -> list[str]:
    """Return the folded words and numbers of a text; of unspaced scripts, its characters."""
    return fold(s, lang).split()


def stems(s: str, lang: str = "en") -> list[str]:
    """Return the stems of the folded words of a text."""
    return [stem(word, lang) for word in tokens(s, lang)]


def joined(words: Sequence[str]) -> str:
    """Return tokens as one line: with spaces between words, none between characters of unspaced scripts."""
    line = ""
    for word in words:
        close = not line or (CJK.fullmatch(line[-1]) and CJK.fullmatch(word))
        line += word if close else f" {word}"
    return line


def word_count(s: str) -> int:
    """Return the number of words of a text; two characters of an unspaced script count as one."""
    spaced = CJK.sub(" ", CJK_MARK.sub(" ", s))
    return len(spaced.split()) + (len(CJK.findall(s)) + 1) // 2


def has_phrase(line: str, phrase: str, lang: str = "en") -> bool:
    """Return whether the words of a phrase occur in a line, whole, adjacent and in order, on their stems."""
    wanted = stems(phrase, lang)
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(stems(line, lang))} "


def met(cue_any: Iterable[str], line: str, lang: str = "en") -> bool:
    """Return whether a line meets a cue, i.e. holds any of its phrases."""
    return any(has_phrase(line, phrase, lang) for phrase in cue_any)


def find_numbers(s: str, lang: str = "en") -> list[int]:
    """Return the whole numbers up to 9999 that a text mentions, in words or digits, in order.

    "one eighty" is 180 as it is when people haggle; numbers on two sides of punctuation stay apart.
    """
    found = with_numbers(lex(s, lang), lang)
    return [word for word in found if isinstance(word, int) and word <= MAX_NUMBER]


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
