"""What a language must say for the rule judge to read agreement in it."""

from __future__ import annotations

from dataclasses import dataclass

NEVER = r"(?!)()"  # a pattern that matches nothing


@dataclass(frozen=True)
class Lexicon:
    """The patterns of one language, over folded words in which `@key` stands for a named outcome.

    Words stand between spaces, characters of scripts without spaces stand side by side.
    """

    lang: str
    common: frozenset[str]  # words that say nothing about a topic by themselves
    machine: str  # speaks as a machine or to the judge
    # said to whoever judges the record, and no part of the conversation
    address: str  # with all that follows
    remark: str  # about labels, alone
    # whole sentences
    asks: str  # is a question, with or without its mark
    tag: str  # asks for assent; taken out before the rest is read
    check: str  # a question that offers nothing, from its start
    quoted: str  # words of somebody else, up to the outcome that they name
    hedge: str
    recant: str
    but: str
    # before an outcome
    settle: str
    offer: str
    negated: str  # what stands before turns a decision into a rejection
    away: str  # rules out; group 1 is the key
    # after an outcome
    done: str
    fine: str  # consent that counts only as an answer
    out: str
    # answers that name no outcome
    assent: str
    nod: str  # a light yes, from the start
    heard: str  # with these, a nod only says that one was heard
    no: str
    disagree: str
    # glue
    link: str  # between members of a list
    alone: str  # all of a sentence that decides by naming; group 1 is the key
    lead: str  # empty words at the start
    negation: str  # no assent holds it
    long_forms: tuple[tuple[str, str], ...] = ()
    offered: str = NEVER  # an offer that stands after an outcome
    unopposed: str = NEVER  # a yes in the form of a no
    opinion: str = NEVER  # agrees to what was said, which may be no more than a reason
    doubt: str = NEVER  # takes back a yes said in the same breath
    seeks: str = ""  # a question that asks for a yes to what was just said
    goes_on: str = ""  # how a light yes goes on that says more; otherwise it is about that
    affirm: str = NEVER  # answers a question with its own verb
    bare: str = NEVER  # all of a sentence that does no more than name; group 1 is the key
    gap: str = ""  # small words between a verb and its outcome
    why_not: str = NEVER  # negates nothing
    single: str = ""  # what stands before the one outcome that a verb after it is about
    titles: tuple[str, ...] = ()  # what may follow a name and belongs to it
    edge: str = ""  # where a word begins
    bound: str = NEVER  # a number that is a bound and no price; group 1 is the key
    last_word: str = NEVER  # a bound that is a price after all


def any_of(phrases: str) -> str:
    """Return a pattern for any of the phrases, which stand on lines or between slashes."""
    parts = (part.strip() for row in phrases.splitlines() for part in row.split("/"))
    return f"(?:{'|'.join(filter(None, parts))})"


def whole(phrases: str) -> str:
    """Return a pattern for any of the phrases between word boundaries."""
    return rf"\b{any_of(phrases)}\b"


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
