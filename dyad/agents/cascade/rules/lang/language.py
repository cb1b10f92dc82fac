"""What a language must bring so that the rules can talk in it: lines, and patterns of dialogue acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Lines = dict[str, tuple[str, ...]]  # what a kind of speaker says, by purpose; `{slots}` are filled in


@dataclass(frozen=True, kw_only=True)
class Language:
    """The data of one language. Patterns run over folded words in which names are marked `@0`, `@1`, …

    `kinds` are the roles that can be acted in it. Group 1 of a pattern of `named` holds the names.
    """

    lang: str
    kinds: frozenset[str]
    pooler: Lines
    # what every speaker says
    unclear: Sequence[str]
    hello: Sequence[str]
    after: Sequence[str]  # small talk once all is settled
    bye: Sequence[str]
    again: Sequence[str]  # before what was told already
    resume: Sequence[str]  # before what was cut off
    ask_again: Sequence[str]
    echo: Sequence[str]
    wait: str  # comes in on an unfinished turn
    expected: Sequence[str]  # short turns that the ears should know
    # lists and persons
    comma: str
    joints: Mapping[str, str]  # before the last member of a list, by "and" and "or"
    about_me: Sequence[tuple[str, str]]  # turns "you" in a role into "I"
    article: str = ""  # pattern of what may stand before a name in the setting and belongs to it
    # understanding
    named: Mapping[str, Sequence[str]]
    plain: Mapping[str, str]  # acts without a name
    open_question: str
    yes_or_no: str  # a question that begins like this, or is all like this, checks what it names
    suggestion: str  # in a question with a name
    consent: str  # in raw text: asks for assent to what it says
    tag: str  # the words of that question
    breaks: str = "(?!)"  # in raw text: where a recogniser puts a comma and a new sentence begins
    small: tuple[str, str] = ("(?!)", "")  # what around a name means nothing, and what is put for it
    rejecting: str = "(?!)"  # a number that is no offer
    after_price: frozenset[str] = frozenset()  # a number is a price unless it counts something else


def any_of(phrases: str) -> str:
    """Return a pattern that finds any of the phrases, which commas separate, as whole words."""
    return rf"\b(?:{'|'.join(p.strip() for p in phrases.split(','))})\b"


def spans(phrases: str) -> str:
    """Return a pattern that finds any of the phrases, which commas separate, between any characters."""
    return rf"(?:{'|'.join(p.strip() for p in phrases.split(','))})"
