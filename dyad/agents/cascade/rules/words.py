"""Small things that speakers do with words: lists, breaths, and turning "you" in a role into "I"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dyad.text import tokens

LONG = 14  # words; longer sentences are cut at a comma, since nobody talks in paragraphs
_COMMON = """
    about across after again also always anything because been before being better both could does doesnt
    done dont down even ever every everybody everything first from give given goes going good great have
    having hear heard here into isnt just keep know last less like little long look made make many maybe
    more most much must name need next nobody nothing okay once only other over part please question quite
    rather really remember right said same say says second shall should some somebody something still such
    sure take tell than thank that their them then there these they thing things think this those time
    today told tomorrow under until upon very want well were what when where which while will with without
    word would yeah your yours
"""
STOP = frozenset(_COMMON.split())  # words that say nothing about what a sentence is about
_ABOUT_ME = (
    (r"\byou are\b", "I am"), (r"\byou were\b", "I was"), (r"\byou're\b", "I'm"), (r"\byours\b", "mine"),
    (r"\byourself\b", "myself"), (r"\byour\b", "my"),
    (r"\b(for|to|with|from|at|of|by|on|about|behind|near|tells?|gives?|costs?|asked|leaves?|drops?) you\b",
     r"\1 me"),
    (r"\byou(?=[.,;!?]|$)", "me"), (r"\byou\b", "I"),
)  # fmt: skip


def content(text: str) -> list[str]:
    """Return the words of a text that carry meaning, in order, lower case."""
    return [w for w in tokens(text) if w.isalpha() and len(w) > 3 and w not in STOP]


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names as a spoken list (`A, B and C`)."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


def with_article(name: str, setting: str) -> str:
    """Return a name with "the" where the setting speaks of it so (`the lake ferry` → `the ferry`)."""
    found = re.search(rf"\bthe (?:[\w-]+ )?{re.escape(name)}\b", setting, flags=re.IGNORECASE)
    return f"the {name}" if found else name


def sentence(text: str) -> str:
    """Return a text with a capital first letter and a final mark."""
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def sentences(text: str) -> list[str]:
    """Split a text into sentences of a length that a speaker says in one breath."""
    whole = [s for s in re.split(r"(?<=[.!?;])\s+", text.strip()) if s]
    return [sentence(part.rstrip(";,")) for s in whole for part in _breaths(s)]


def _breaths(text: str) -> list[str]:
    cuts = [m.start() for m in re.finditer(r"[,:] ", text)]
    if len(text.split()) <= LONG or not cuts:
        return [text]
    middle = min(cuts, key=lambda i: abs(i - len(text) / 2))
    return [*_breaths(text[:middle]), *_breaths(text[middle + 2 :])]


def first_person(text: str) -> str:
    """Turn a line of a role, written to "you", into what that person says of themselves."""
    for pattern, said in _ABOUT_ME:
        text = re.sub(pattern, said, text, flags=re.IGNORECASE)
    return text
