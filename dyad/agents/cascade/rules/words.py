"""Small things that speakers do with words: lists, breaths, and turning "you" in a role into "I"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dyad.text import CJK, tokens, word_count

from .lang import LANGUAGES, Language

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
FINAL = ".!?。！？"


def content(text: str) -> list[str]:
    """Return the words of a text that carry meaning, in order, lower case."""
    return [w for w in tokens(text) if w.isalpha() and len(w) > 3 and w not in STOP]


def listed(names: Sequence[str], last: str = "and", language: Language = LANGUAGES["en"]) -> str:
    """Return names as a spoken list (`A, B and C`); `last` is "and" or "or"."""
    first = language.comma.join(names[:-1])
    return f"{first}{language.joints[last]}{names[-1]}" if len(names) > 1 else "".join(names)


def as_named(name: str, setting: str, article: str) -> str:
    """Return a name with what stands before it in the setting, if that is an article (a pattern)."""
    found = re.search(rf"{article}{re.escape(name)}", setting) if article else None
    return found[0] if found else name


def with_article(name: str, setting: str) -> str:
    """Return a name with "the" where the setting speaks of it so (`the lake ferry` → `the ferry`)."""
    found = re.search(rf"\bthe (?:[\w-]+ )?{re.escape(name)}\b", setting, flags=re.IGNORECASE)
    return f"the {name}" if found else name


def sentence(text: str) -> str:
    """Return a text with a capital first letter and a final mark."""
    text = " ".join(text.split())
    return (
        text[:1].upper()
        + text[1:]
        + ("" if text.endswith(tuple(FINAL)) else "。" if CJK.search(text) else ".")
    )


def sentences(text: str) -> list[str]:
    """Split a text into sentences of a length that a speaker says in one breath."""
    whole = [s for s in re.split(r"(?<=[.!?;])\s+|(?<=[。！？；])", text.strip()) if s]
    return [sentence(part.rstrip(";,；，、")) for s in whole for part in _breaths(s)]


def _breaths(text: str) -> list[str]:
    cuts = list(re.finditer(r" ?[,:] |[，：、]", text))
    if word_count(text) <= LONG or not cuts:
        return [text]
    middle = min(cuts, key=lambda cut: abs(cut.start() - len(text) / 2))
    return [*_breaths(text[: middle.start()]), *_breaths(text[middle.end() :])]


def first_person(text: str, language: Language = LANGUAGES["en"]) -> str:
    """Turn a line of a role, written to "you", into what that person says of themselves."""
    for pattern, said in language.about_me:
        text = re.sub(pattern, said, text, flags=re.IGNORECASE)
    return text
