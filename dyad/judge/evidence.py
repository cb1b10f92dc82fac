"""Evidence: the line that an answer rests on, and words quoted from it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from dyad.spec import Evidence
from dyad.text import CJK, met, tokens, word_count

from .case import Case, Subject
from .transcript import one_line

MOST_WORDS = 12
_WORD = re.compile(rf"{CJK.pattern}|(?:(?!{CJK.pattern})[^\W_])+")


class Citable(Protocol):
    """A line, or a part of an excerpt: its own text and, where somebody listened, what was heard."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def heard(self) -> str | None: ...


class Passage(NamedTuple):
    """What a reader is shown and can cite. `by`: the bridge seat that said it, or its part of an excerpt."""

    id: str
    text: str
    heard: str | None
    by: str
    at: int


def passages(subject: Subject) -> dict[str, Passage]:
    """Return everything that can be cited, by every name that it has: lines by id and by letter and onset.

    A part of an excerpt has one passage per row, numbered from 1, e.g. `reply1`.
    """
    if not isinstance(subject, Case):
        rows = ((part, enumerate(_rows(text), 1)) for part, text in subject.parts.items())
        found = [Passage(f"{part}{n}", row, None, part, n) for part, numbered in rows for n, row in numbered]
        return {passage.id: passage for passage in found}
    names: dict[str, Passage] = {}
    for line in subject.lines:
        heard = None if line.heard is None else one_line(line.heard)
        passage = Passage(line.id, one_line(line.text), heard, line.seat, line.start)
        names |= {line.id: passage, line.onset: passage}
    return names


def _rows(text: str) -> list[str]:
    return [row for row in map(one_line, text.splitlines()) if row]


def cite(line: Citable, *phrases: str, lang: str = "en") -> Evidence:
    """Return a line as evidence, quoted around the first of the phrases that it holds."""
    held = next(((phrase,) for phrase in phrases if met((phrase,), line.text, lang)), phrases)
    return cite_where(line, lambda text: met(held, text, lang))


def cite_where(line: Citable, fits: Callable[[str], bool]) -> Evidence:
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


def check(found: Iterable[Evidence], lines: Iterable[Citable], lang: str = "en") -> str:
    """Return `ok`, `bad_line` for an unknown line or `bad_quote` for words that it does not hold."""
    known = {line.id: line for line in lines}
    for item in found:
        if item.line not in known:
            return "bad_line"
        if not quoted(item.quote, known[item.line], lang):
            return "bad_quote"
    return "ok"


def quoted(quote: str, line: Citable, lang: str = "en") -> bool:
    """Return whether a line holds the words of a quote, whole, adjacent and in order; at most twelve.

    Case, punctuation, accents and spelled-out numbers do not count.
    """
    if word_count(quote) > MOST_WORDS:
        return False
    texts = [line.text, line.heard or ""]
    return any(_within(_words(quote), _words(text)) for text in texts) or any(
        _within(tokens(quote, lang), tokens(text, lang)) for text in texts
    )


def _words(text: str) -> list[str]:
    """Words as they are written, so that a quote may end inside a number or a spelled-out word."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    return bool(part) and any(
        list(part) == list(whole[i : i + len(part)]) for i in range(len(whole) - len(part) + 1)
    )
