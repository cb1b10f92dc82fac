"""What English speakers mean by the words of a secret: whether they give them away, or say yes to a guess.

A secret is made of everyday words, which turn up in other talk ("a lemon tea"). They give it away where a
sentence speaks of the secret, or says nothing else. Patterns work on folded words; `@` is such a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dyad.text import tokens

PART = "@"
Marker = Callable[[list[str]], list[str]]  # words → words with a part of the secret replaced by `@`

_SENTENCE, _CLAUSE = re.compile(r"(?<=[.!?;])\s+"), re.compile(r"[,;:–—]")
_A = r"(?:(?:the|a|an|um|uh|er) )*"
# A sentence that speaks of the secret. Folding takes the ending of "it's" and turns "one" into 1.
_ABOUT = re.compile(
    "|".join(
        (
            r"\b(?:first|second|last|other|next) (?:1|word|half|part|bit|name)\b",
            rf"\b(?:first|second|last) {_A}@",
            r"\b(?:word|half|part|answer|secret) (?:is|was|begins|starts)\b",
            r"\b(?:half|part) of (?:it|the (?:name|secret))\b",
            r"(?<!\bmy )(?<!\byour )(?<!\bhis )(?<!\bher )\bname\b",
            rf"\b(?:called|named|name|call)(?: it| her| him)?(?: after)? {_A}@|\bto do with {_A}@",
            rf"\b(?:start|begin|end)(?:s|ning|ing)? with {_A}@",
            rf"\bit (?:is )?something (?:with|like|about|of) {_A}@",
            r"\bsomething @|@ (?:something|1|[io]n it)\b",
            rf"\b(?:tell|say|talk|speak|mention)(?:ing)?(?: \w+){{0,3}} (?:about|of) {_A}@",
            rf"\b(?:say|saying|said|mention|mentioned|spell) {_A}@",
        )
    )
)
_SLIP = re.compile(
    r"@.* (?:oops|whoops|slipped out|said too much|shouldnt (?:have (?:said|told)|be telling))\b"
)
# A clause that says nothing else, and one in answer to a question.
_AROUND = r"(?:the|a|an|um|uh|er|ah|oh|well|ok|so|yes|no|and|then|\d+)"
_ALONE = re.compile(rf"(?:{_AROUND} )*@(?: {_AROUND})*(?: @)*")
_ANSWER = re.compile(
    rf"(?:(?:{_AROUND}|its?|she|he|they|thats?|is|are|was|lies|at|in|on|by|near|something|with|like|just|only"
    r"|i can tell you) )*@"
)
_ASKS = re.compile(r"\?\s*$|\b(?:tell me|which|what|where|who|just say|i need|i want)\b", re.IGNORECASE)

# A firm yes says to what; a light one may answer a call, or open what is said next, as "well" does.
_YES = r"(?:yes|yeah|yep|yup|right|true|indeed)"
_LIGHT = rf"(?:(?:oh|well|ah|um|ok|{_YES}) )*"
_FIRM = re.compile(
    rf"{_LIGHT}(?:correct|exactly|absolutely|(?:it|that|this|thats) (?:is )?"
    r"(?:it|right|correct|true|the (?:1|name|word|place|secret))|you(?:re| are) (?:quite )?(?:right|correct)"
    rf"|you(?:ve| have)? (?:got it|guessed)(?: it| right)?)|{_LIGHT}{_YES} (?:it|that) is"
)
_BARE = re.compile(rf"{_LIGHT}{_YES}")
_OTHERWISE = re.compile(
    r"(?:no|not|never|but|who|what|so|now|anyway|speaking|let us|lets)\b"
    r"|i (?:heard|hear|am|must|have|cant|cannot|wont)\b"
)


def asks(text: str) -> bool:
    """Return whether a line asks for something, so that what comes next may be the answer."""
    return _ASKS.search(text) is not None


def tells(text: str, mark: Marker, asked: bool) -> bool:
    """Return whether a line gives away what `mark` replaces; `asked`: it follows a line that asks."""
    if _SLIP.search(" ".join(mark(tokens(text)))):
        return True
    return any(_gives(sentence, mark, asked) for sentence in _SENTENCE.split(text))


def _gives(sentence: str, mark: Marker, asked: bool) -> bool:
    words = " ".join(mark(tokens(sentence)))
    if PART not in words:
        return False
    if _ABOUT.search(words):
        return True
    clauses = [words, *(" ".join(mark(tokens(clause))) for clause in _CLAUSE.split(sentence))]
    said = (_ALONE.fullmatch(clause) or (asked and _ANSWER.fullmatch(clause)) for clause in clauses)
    return not sentence.rstrip().endswith("?") and any(said)


def assents(text: str) -> bool:
    """Return whether a line says yes to what was just guessed, and does not only begin with a yes.

    "Yes, it is." does; "Yes, I heard you.", "Yes?" and "Right, let us talk of something else." do not.
    """
    first, *rest = [part for part in _SENTENCE.split(text.strip()) if part] or [""]
    if first.endswith("?"):
        return False
    clauses = _CLAUSE.split(first)
    if any(_FIRM.fullmatch(_folded(clauses[: i + 1])) for i in range(len(clauses))):
        return True
    return bool(_BARE.fullmatch(_folded(clauses))) and not _OTHERWISE.match(_folded(rest))


def _folded(parts: list[str]) -> str:
    return " ".join(tokens(" ".join(parts)))
