"""Evidence: the line that an answer rests on, and words quoted from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dyad.spec import Evidence
from dyad.text import CJK, met, word_count

from .transcript import Line

MOST_WORDS = 12


def cite(line: Line, *phrases: str, lang: str = "en") -> Evidence:
    """Return a line as evidence, quoted around the first of the phrases that it holds."""
    held = next(((phrase,) for phrase in phrases if met((phrase,), line.text, lang)), phrases)
    return cite_where(line, lambda text: met(held, text, lang))


def cite_where(line: Line, fits: Callable[[str], bool]) -> Evidence:
    """Return a line as evidence, quoted where `fits` first holds, else from its beginning.

    The quote is verbatim and has at most twelve words, or twenty-four characters of an unspaced script.
    """
    windows = list(_windows(line.text))
    return Evidence(line=line.id, quote=next(filter(fits, windows), windows[0]))


def _windows(text: str) -> Iterator[str]:
    if CJK.search(text):
        most = 2 * MOST_WORDS
        yield from (text[i : i + most] for i in range(max(1, len(text) - most + 1)))
    else:
        words = text.split()
        yield from (" ".join(words[i : i + MOST_WORDS]) for i in range(max(1, len(words) - MOST_WORDS + 1)))


def check(found: Iterable[Evidence], lines: Iterable[Line]) -> str:
    """Return `ok`, `bad_line` for an unknown line or `bad_quote` for words that it does not hold."""
    texts = {line.id: line.text for line in lines}
    for item in found:
        if item.line not in texts:
            return "bad_line"
        if not item.quote or item.quote not in texts[item.line] or word_count(item.quote) > MOST_WORDS:
            return "bad_quote"
    return "ok"
