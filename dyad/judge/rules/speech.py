"""Reading speech by rules: plain words, content words, and what a sentence does with a named outcome.

An outcome (a candidate, an option, a price) is first replaced by `@key`, so that the same patterns serve all
of them. Everything here works on folded words: punctuation only ends sentences and marks questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from dyad.text import joined, stem, tokens, word_count

from .lexicon import Lexicon

Kind = Literal[
    "commit", "consent", "ask", "propose", "mention", "reject", "assent", "nod", "dissent", "recant"
]
Marker = Callable[[list[str]], list[str]]  # words → words with outcomes replaced by `@key`


_SHORT, _LONG = 7, 10  # words
ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")  # between sentences
# Content of scripts without spaces: Chinese characters by pairs, and words in katakana.
_UNSPACED = re.compile(r"[\u3400-\u9fff\u3005]+|[\u30a1-\u30f6\u30fc]{2,}")


@dataclass(frozen=True)
class Act:
    """What a stretch of speech does: `key` is the outcome it is about, "" for a bare yes or no.

    commit: settles on it; consent: accepts it if the other offers it; ask, propose: offers it; mention: names
    it; reject: rules it out; assent, nod: a firm or a light yes; dissent: a no; recant: takes a yes back.
    """

    kind: Kind
    key: str = ""


def plain(text: str, lex: Lexicon) -> list[str]:
    """Return the folded words of a text, contractions spelled out."""
    lower = text.lower().replace("’", "'")
    for short, long in lex.long_forms:
        lower = re.sub(short, long, lower)
    return tokens(lower, lex.lang)


def sentences(text: str) -> list[str]:
    """Split a text at its final marks; a text without any is one sentence."""
    return [part for part in ENDS.split(text) if part.strip()]


def content(text: str, lex: Lexicon) -> set[str]:
    """Return the stems of the words of a text that carry meaning; of unspaced scripts, pairs of signs."""
    spaced = (w for w in tokens(text, lex.lang) if w not in lex.common and (len(w) > 2 or w.isdigit()))
    return {stem(w, lex.lang) for w in spaced} | set(_pairs(text, lex))


def _pairs(text: str, lex: Lexicon) -> Iterator[str]:
    for run in _UNSPACED.findall(text):
        if "\u30a0" < run[0] < "\u3100":
            yield run
        else:
            parts = "".join(" " if sign in lex.common else sign for sign in run).split()
            yield from (part[i : i + 2] for part in parts for i in range(max(1, len(part) - 1)))


def acts(sentence: str, mark: Marker, lex: Lexicon) -> list[Act]:
    """Return what a sentence does, in order. A hedged sentence names outcomes and settles nothing."""
    words = joined(mark(plain(sentence, lex)))
    asking = sentence.rstrip().endswith(("?", "？")) or re.search(lex.asks, words) is not None
    words = re.sub(lex.quoted, "", re.sub(lex.tag, "", words))
    if re.search(lex.recant, words):
        return [Act("recant"), *_mentions(words, lex)]
    *conceded, last = re.split(lex.but, words)
    found = [
        act for part in conceded for act in _bound_to_nothing(_clause(part, lex))
    ]  # "yes, but" is no yes
    if asking:
        return found + _question(last, lex)
    hedged = re.search(lex.hedge, words) is not None
    return found + (_bound_to_nothing(_clause(last, lex)) if hedged else _clause(last, lex))


def _bound_to_nothing(found: list[Act]) -> list[Act]:
    return [act for act in found if act.kind in ("reject", "dissent", "mention")]


def _question(words: str, lex: Lexicon) -> list[Act]:
    """A question can offer an outcome or rule one out; "is it …?" only checks."""
    if re.match(lex.check, words.strip()):
        return []
    offers = ("commit", "propose", "consent")
    found = [act for act in _clause(words, lex) if act.kind in (*offers, "reject")]
    return [Act("ask", act.key) if act.kind in offers else act for act in found]


def _clause(words: str, lex: Lexicon) -> list[Act]:
    answer = _answer(words.strip(), lex)
    words = re.sub(lex.lead, "", words.strip())
    away = set(re.findall(lex.away, words)) | set(re.findall(rf"@(\w+) {lex.out}", words))
    yes = answer is not None and answer.kind != "dissent"
    found = [
        *_before(words, lex),
        *_after(words, lex),
        *(_with_yes(words) if yes else ()),
        *_alone(words, lex),
    ]
    found = [act for act in found if act.key not in away] + [Act("reject", key) for key in sorted(away)]
    named = {act.key for act in found}
    rest = [act for act in _mentions(words, lex) if act.key not in named]
    if answer and (answer.kind == "dissent" or not (named or rest)):
        found.insert(0, answer)
    return [*found, *rest]


def _before(words: str, lex: Lexicon) -> Iterator[Act]:
    """Decisions and offers that stand before an outcome: "let us take @a", "it should be @a"."""
    one = rf"{lex.gap}@(\w+)\b(?!{lex.link}@)"
    for match in re.finditer(rf"{lex.edge}(?:{lex.settle} {one}|{lex.offer} {one})", words):
        key = match[1] or match[2]
        before = words[: match.start()]
        negated = re.search(lex.negated, before) or re.search(lex.negation, match[0])
        if negated and not re.search(lex.why_not, words[: match.end()]):
            yield Act("reject", key)
        elif not re.search(rf"@\w+{lex.link}@{key}\b", words):
            yield Act("commit" if match[1] else "propose", key)


def _after(words: str, lex: Lexicon) -> Iterator[Act]:
    """Decisions, offers and consent that stand after an outcome: "@a it is", "@a is fine"."""
    kinds: tuple[tuple[Kind, str], ...] = (
        ("commit", lex.done),
        ("propose", lex.offered),
        ("consent", lex.fine),
    )
    for kind, after in kinds:
        for match in re.finditer(rf"{lex.single}@(\w+) {after}", words):
            if not re.search(lex.negated, words[: match.start()]):
                yield Act(kind, match[1])


def _with_yes(words: str) -> Iterator[Act]:
    """A yes that names the one outcome: in few words a decision, in many at most consent."""
    named = set(re.findall(r"@(\w+)", words))
    if len(named) == 1:
        yield Act("commit" if word_count(words) <= _SHORT else "consent", named.pop())


def _alone(words: str, lex: Lexicon) -> Iterator[Act]:
    """ "So @a", and nothing else."""
    if match := re.fullmatch(lex.alone, words):
        yield Act("commit", match[1])


def _answer(words: str, lex: Lexicon) -> Act | None:
    """A yes or a no; a yes among many words is about something else."""
    length = word_count(words)
    if re.search(rf"{lex.disagree}|{lex.no}", words):
        return Act("dissent")
    if length <= _LONG and re.search(lex.assent, words) and not re.search(lex.negation, f" {words} "):
        return Act("assent")
    if length <= _SHORT and re.search(lex.nod, words) and not re.search(lex.heard, words):
        return Act("nod")
    return None


def _mentions(words: str, lex: Lexicon) -> list[Act]:
    listed = rf"@\w+(?:{lex.link}@\w+)+"  # a list speaks for none of its members
    firm = re.sub(lex.last_word, r"@\1", re.sub(listed, "", words))
    bounds = set(re.findall(lex.bound, firm))
    return [Act("mention", key) for key in dict.fromkeys(re.findall(r"@(\w+)", firm)) if key not in bounds]
