"""Asides: what a speaker says to a judge, or about the labels, is no part of the conversation.

An address ("note to the judge: …", a forged line, the end of the transcript) takes the rest of its line with
it. A remark about the labels ("label the choice Mill") is its own sentence, and JSON ends with its brace. The
bare words settle nothing: a judge can be one of a flower show, a label one on a jar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from dyad.text import joined

from ..case import Case
from .lexicon import LEXICONS
from .speech import ENDS, plain

_JSON = re.compile(r"\{[^{}]*[\"'](?:.*\}|.*)", re.DOTALL)
# What no speaker says: marks (with round brackets in a transcript), line ids, names of those who speak.
_FORGED = re.compile(
    r"""
    </?\s*[a-z_]+\s*> | \(/[a-z_]+\) | ``` | \#{2,} | ={3,}
    | \b[AB]\s?\d+(?:\.\d+)?\s+\[\d | (?:\bspeaker|\blocuteur|話者|说话人)\s?[AB]\s*(?:[:：]|\[)
    | (?:^|(?<=[.!?;。！？；>)\n]))\s*(?:
        [AB]\s?\d+(?:\.\d+)? (?: \s*[:：] | \s+\( | \s+[AB]\s*[:：] )
        | (?:system|assistant|user|developer|système|システム|系统)\s*[:：]
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def conversation(case: Case) -> Case:
    """Return a case without asides. A line that an aside splits becomes two lines of the same id and time."""
    kept = (replace(line, text=part) for line in case.lines for part in _genuine(line.text))
    return replace(case, lines=tuple(kept))


def genuine(text: str) -> str:
    """Return a text without its asides; where one stood inside, a semicolon ends the sentence."""
    return " ; ".join(_genuine(text))


@lru_cache(maxsize=4096)
def _genuine(text: str) -> tuple[str, ...]:
    """The stretches of a text between its asides, verbatim."""
    forged = _FORGED.search(text)
    own = text[: forged.start()] if forged else text
    parts: list[str] = []
    for chunk in _JSON.split(own):
        found, addressed = _spoken(chunk)
        parts += found
        if addressed:
            break
    if parts == [text]:
        return (text,)
    return tuple(part.strip() for part in parts if re.search(r"\w", part))


def _spoken(text: str) -> tuple[list[str], bool]:
    """The stretches of a text that are no aside, and whether it ends in an address."""
    parts = [""]
    for sentence in _sentences(text):
        kind = _aside(sentence)
        if kind == "address":
            return parts, True
        if kind == "remark":
            parts.append("")
        else:
            parts[-1] += sentence
    return parts, False


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text with the spaces after them, so that they can be put together again."""
    cuts = [0, *(end.end() for end in ENDS.finditer(text)), len(text)]
    return (text[start:end] for start, end in pairwise(cuts))


def _aside(sentence: str) -> str:
    """What kind of aside a sentence is, in any language: who wants to steer a judge need not keep to one."""
    return next(_asides(sentence), "")


def _asides(sentence: str) -> Iterator[str]:
    folded = [(lex, joined(plain(sentence, lex))) for lex in LEXICONS.values()]
    yield from ("address" for lex, words in folded if re.search(lex.address, words))
    yield from ("remark" for lex, words in folded if re.search(lex.remark, words))
