"""Evidence: the line that an answer rests on, and words quoted from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dyad.spec import Evidence
from dyad.text import met

from .transcript import Line

MOST_WORDS = 12


def cite(line: Line, *phrases: str) -> Evidence:
    """Return a line as evidence, quoted around the first of the phrases that it holds."""
    held = next(((phrase,) for phrase in phrases if met((phrase,), line.text)), phrases)
    return cite_where(line, lambda text: met(held, text))


def cite_where(line: Line, fits: Callable[[str], bool]) -> Evidence:
    """Return a line as evidence, quoted where `fits` first holds, else from its beginning.

    The quote is verbatim and has at most twelve words.
    """
    words = line.text.split()
    starts = range(max(1, len(words) - MOST_WORDS + 1))
    windows = [" ".join(words[i : i + MOST_WORDS]) for i in starts]
    return Evidence(line=line.id, quote=next(filter(fits, windows), windows[0]))


def check(found: Iterable[Evidence], lines: Iterable[Line]) -> str:
    """Return `ok`, `bad_line` for an unknown line or `bad_quote` for words that it does not hold."""
    texts = {line.id: line.text for line in lines}
    for item in found:
        if item.line not in texts:
            return "bad_line"
        if not item.quote or item.quote not in texts[item.line] or len(item.quote.split()) > MOST_WORDS:
            return "bad_quote"
    return "ok"
