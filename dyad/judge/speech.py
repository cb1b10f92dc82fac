"""Reading speech by rules: plain words, content words, and what a sentence does with a named outcome.

An outcome (a candidate, an option, a price) is first replaced by `@key`, so that the same patterns serve all
of them. Everything here works on folded words: punctuation only ends sentences and marks questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from dyad.text import stem, tokens

from . import lexicon

Kind = Literal[
    "commit", "consent", "ask", "propose", "mention", "reject", "assent", "nod", "dissent", "recant"
]
Marker = Callable[[list[str]], list[str]]  # words → words with outcomes replaced by `@key`


_SHORT, _LONG = 7, 10  # words
_GAP = r"(?:(?:the|us|just|only|with|for|on|to|a|an|it|at|that|is|name|line|then) ){0,3}"
_ONE = r"@(\w+)\b(?! (?:or|and|nor) @)"


@dataclass(frozen=True)
class Act:
    """What a stretch of speech does: `key` is the outcome it is about, "" for a bare yes or no.

    commit: settles on it; consent: accepts it if the other offers it; ask, propose: offers it; mention: names
    it; reject: rules it out; assent, nod: a firm or a light yes; dissent: a no; recant: takes a yes back.
    """

    kind: Kind
    key: str = ""


def plain(text: str) -> list[str]:
    """Return the folded words of a text, contractions spelled out."""
    lower = text.lower().replace("’", "'")
    for short, long in lexicon.LONG_FORMS:
        lower = re.sub(short, long, lower)
    return tokens(lower)


def sentences(text: str) -> list[str]:
    """Split a text at its final marks; a text without any is one sentence."""
    return [part for part in re.split(r"(?<=[.!?;])\s+", text) if part.strip()]


def content(text: str) -> set[str]:
    """Return the stems of the words of a text that carry meaning."""
    return {stem(w) for w in tokens(text) if w not in lexicon.COMMON and (len(w) > 2 or w.isdigit())}


def acts(sentence: str, mark: Marker) -> list[Act]:
    """Return what a sentence does, in order. A hedged sentence names outcomes and settles nothing."""
    words = " ".join(mark(plain(sentence)))
    asking = sentence.rstrip().endswith("?") or re.search(lexicon.TAG, words) is not None
    words = re.sub(lexicon.QUOTED, "", re.sub(lexicon.TAG, "", words))
    if re.search(lexicon.RECANT, words):
        return [Act("recant"), *_mentions(words)]
    *conceded, last = re.split(r"\bbut\b", words)
    found = [act for part in conceded for act in _bound_to_nothing(_clause(part))]  # "yes, but" is no yes
    if asking:
        return found + _question(last)
    hedged = re.search(lexicon.HEDGE, words) is not None
    return found + (_bound_to_nothing(_clause(last)) if hedged else _clause(last))


def _bound_to_nothing(found: list[Act]) -> list[Act]:
    return [act for act in found if act.kind in ("reject", "dissent", "mention")]


def _question(words: str) -> list[Act]:
    """A question can offer an outcome or rule one out; "is it …?" only checks."""
    if re.match(lexicon.CHECK, words.strip()):
        return []
    offers = ("commit", "propose", "consent")
    found = [act for act in _clause(words) if act.kind in (*offers, "reject")]
    return [Act("ask", act.key) if act.kind in offers else act for act in found]


def _clause(words: str) -> list[Act]:
    answer = _answer(words.strip())
    words = re.sub(r"^(?:(?:no|nope|oh|well|wait) )+(?!@|way|deal|more|less|one|cent)", "", words.strip())
    away = set(re.findall(lexicon.AWAY, words)) | set(re.findall(rf"@(\w+) {lexicon.OUT}", words))
    yes = answer is not None and answer.kind != "dissent"
    found = [*_before(words), *_after(words), *(_with_yes(words) if yes else ()), *_alone(words)]
    found = [act for act in found if act.key not in away] + [Act("reject", key) for key in sorted(away)]
    named = {act.key for act in found}
    rest = [act for act in _mentions(words) if act.key not in named]
    if answer and (answer.kind == "dissent" or not (named or rest)):
        found.insert(0, answer)
    return [*found, *rest]


def _before(words: str) -> Iterator[Act]:
    """Decisions and offers that stand before an outcome: "let us take @a", "it should be @a"."""
    for match in re.finditer(rf"\b(?:{lexicon.SETTLE} {_GAP}{_ONE}|{lexicon.OFFER} {_GAP}{_ONE})", words):
        key = match[1] or match[2]
        before = words[: match.start()]
        if "why not" not in before and (re.search(lexicon.NEGATED, before) or " not " in match[0]):
            yield Act("reject", key)
        elif not re.search(rf"@\w+ (?:or|and|nor) @{key}\b", words):
            yield Act("commit" if match[1] else "propose", key)


def _after(words: str) -> Iterator[Act]:
    """Decisions and consent that stand after an outcome: "@a it is", "@a is fine"."""
    kinds: tuple[tuple[Kind, str], ...] = (("commit", lexicon.DONE), ("consent", lexicon.FINE))
    for kind, after in kinds:
        for match in re.finditer(rf"@(\w+) {after}", words):
            if not re.search(lexicon.NEGATED, words[: match.start()]):
                yield Act(kind, match[1])


def _with_yes(words: str) -> Iterator[Act]:
    """A yes that names the one outcome: in few words a decision, in many at most consent."""
    named = set(re.findall(r"@(\w+)", words))
    if len(named) == 1:
        yield Act("commit" if len(words.split()) <= _SHORT else "consent", named.pop())


def _alone(words: str) -> Iterator[Act]:
    """ "So @a", and nothing else."""
    if match := re.fullmatch(r"(?:so|then)(?: then| the)* @(\w+)(?: please)?", words):
        yield Act("commit", match[1])


def _answer(words: str) -> Act | None:
    """A yes or a no; a yes among many words is about something else."""
    length = len(words.split())
    if re.search(rf"{lexicon.DISAGREE}|{lexicon.NO}", words):
        return Act("dissent")
    if length <= _LONG and re.search(lexicon.ASSENT, words) and " not " not in f" {words} ":
        return Act("assent")
    if length <= _SHORT and re.search(lexicon.NOD, words) and not re.search(lexicon.HEARD, words):
        return Act("nod")
    return None


def _mentions(words: str) -> list[Act]:
    firm = re.sub(lexicon.LAST_WORD, r"@\1", re.sub(lexicon.LISTED, "", words))
    bounds = set(re.findall(lexicon.BOUND, firm))
    return [Act("mention", key) for key in dict.fromkeys(re.findall(r"@(\w+)", firm)) if key not in bounds]
