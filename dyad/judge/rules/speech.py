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
    "commit", "consent", "ask", "query", "propose", "name", "mention", "reject",
    "assent", "agree", "nod", "affirm", "dissent", "recant", "doubt", "elsewhere",
]  # fmt: skip
Marker = Callable[[list[str]], list[str]]  # words → words with outcomes replaced by `@key`


QUOTE = " quote "  # stands for the words of somebody else
_SHORT, _LONG = 7, 12  # words
ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")  # between sentences
# Content of scripts without spaces: Chinese characters by pairs, and words in katakana.
_UNSPACED = re.compile(r"[\u3400-\u9fff\u3005]+|[\u30a1-\u30f6\u30fc]{2,}")


@dataclass(frozen=True)
class Act:
    """What a stretch of speech does: `key` is the outcome it is about, "" for a bare yes or no.

    Of an outcome: commit settles on it, consent accepts it if the other offers it, ask and propose offer it,
    query and name say no more than its name, as a question or not; mention names it; reject rules it out.
    Without a key: assent and nod are a firm and a light yes; agree is one to what was said, an offer or a
    reason, affirm one to what was just asked; dissent is a no; recant takes a yes back, doubt one said just
    now; elsewhere asks for something else. A nod with a key is a yes that says more of the outcome.
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
    words = re.sub(lex.quoted, QUOTE, re.sub(lex.tag, "", words))
    if re.search(lex.recant, words):
        return [Act("recant"), *_mentions(words, lex)]
    *conceded, last = re.split(lex.but, words)
    found = [
        act for part in conceded for act in _bound_to_nothing(_clause(part, lex))
    ]  # "yes, but" is no yes
    if asking:
        return found + _question(last, lex)
    if re.search(lex.doubt, words):
        found.append(Act("doubt"))
    hedged = re.search(lex.hedge, words) is not None
    return found + (_bound_to_nothing(_clause(last, lex)) if hedged else _clause(last, lex))


def _bound_to_nothing(found: list[Act]) -> list[Act]:
    kept = (act if act.kind in ("reject", "dissent") else Act("mention", act.key) for act in found)
    return [act for act in kept if act.key or act.kind == "dissent"]


def _question(words: str, lex: Lexicon) -> list[Act]:
    """A question can offer an outcome or rule one out; "is it …?" only checks."""
    if re.match(lex.check, words.strip()):
        return [] if re.search(lex.seeks, words) else [Act("elsewhere")]
    if re.fullmatch(lex.unopposed, words.strip()):
        return [Act("assent")]  # "why not?"
    asked: dict[Kind, Kind] = {"commit": "ask", "propose": "ask", "consent": "ask", "name": "query"}
    found = (act for act in _clause(words, lex) if act.kind in asked or act.kind == "reject")
    offered = [Act(asked.get(act.kind, act.kind), act.key) for act in found]
    other = not offered and word_count(words) > 2 and not re.search(lex.seeks, words)
    return [Act("elsewhere")] if other else offered


def _clause(words: str, lex: Lexicon) -> list[Act]:
    answer = _answer(words.strip(), lex)
    words = re.sub(lex.lead, "", words.strip())
    away = set(re.findall(lex.away, words)) | set(re.findall(rf"@(\w+) {lex.out}", words))
    found = [
        *_before(words, lex),
        *_after(words, lex),
        *_alone(words, lex),
        *(_with_yes(answer, words, lex) if answer else ()),
    ]
    found = [act for act in found if act.key not in away] + [Act("reject", key) for key in sorted(away)]
    named = {act.key for act in found}
    kind: Kind = "name" if re.fullmatch(lex.bare, words) else "mention"
    rest = [Act(kind, act.key) for act in _mentions(words, lex) if act.key not in named]
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


def _with_yes(answer: Act, words: str, lex: Lexicon) -> Iterator[Act]:
    """A yes that names the one outcome; a light one that says more is about that: "yes, @a is in Leeds"."""
    named = set(re.findall(r"@(\w+)", words))
    if len(named) != 1 or answer.kind == "dissent":
        return
    light = answer.kind == "nod" and _says_more(words, lex)
    yield Act("nod" if light else "consent", named.pop())


def _says_more(words: str, lex: Lexicon) -> set[str]:
    """The content of a light yes beside the yes and the outcome."""
    return content(re.sub(rf"@\w+|{lex.nod}", " ", words), lex)


def _alone(words: str, lex: Lexicon) -> Iterator[Act]:
    """ "So @a", and nothing else."""
    if match := re.fullmatch(lex.alone, words):
        yield Act("commit", match[1])


def _answer(words: str, lex: Lexicon) -> Act | None:
    """A yes or a no; a yes among many words is about something else."""
    length = word_count(words)
    if re.search(lex.unopposed, words):
        return Act("assent")
    if re.search(rf"{lex.disagree}|{lex.no}", words):
        return Act("dissent")
    if length <= _LONG and not re.search(lex.negation, f" {words} "):
        if re.search(lex.assent, words):
            return Act("assent")
        if re.search(lex.opinion, words):
            return Act("agree")
    if re.search(lex.affirm, words):
        return Act("affirm")
    longest = _LONG if "@" in words else _SHORT
    if length > longest or not re.search(lex.nod, words) or re.search(lex.heard, words):
        return None
    elsewhere = "@" not in words and _says_more(words, lex) and not re.search(lex.goes_on, words)
    return None if elsewhere else Act("nod")


def _mentions(words: str, lex: Lexicon) -> list[Act]:
    listed = rf"@\w+(?:{lex.link}@\w+)+"  # a list speaks for none of its members
    firm = re.sub(lex.last_word, r"@\1", re.sub(listed, "", words))
    bounds = set(re.findall(lex.bound, firm))
    return [Act("mention", key) for key in dict.fromkeys(re.findall(r"@(\w+)", firm)) if key not in bounds]
