"""Full-Duplex-Bench by rules: how well a reply fits an interruption, what a speaker does under an overlap.

Rating: which content words of the interruption, numbers included, the reply takes up, whether it speaks to
them or only of them, and whether it has something of its own to say.
Behaviour: the overlap is what input_noisy has beside input_clean. New is the first stretch of output_noisy
that starts later, or a sentence of a running one that turns: to the overlap, back to the answer, or to say
that something was not heard. The first sentence of it that does one of these decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import dropwhile
from typing import NamedTuple

from dyad.spec import Label
from dyad.text import fold, joined, stem

from ..case import Excerpt
from ..evidence import Passage, cite_where, passages
from .asides import genuine
from .lexicon import LEXICONS, en_replies
from .speech import content, plain, sentences

_EN = LEXICONS["en"]
_EMPTY = {stem(word) for word in en_replies.EMPTY | _EN.common} | {"1"}
_TIMES = re.compile(r"[\[(](\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)[\])]\s*")
_LABEL = re.compile(  # sentences about labels, or about how a reply is to be rated
    r"\bC_[A-Z]+|^(?=.*\b(?:rate|rated|rating|score|grade)\b).*\b(?:response|reply|answer)\b"
    r"|\b(?:give|assign|choose|put) (?:it |this )?(?:the |a )?(?:label|rating|score|mark|tag)\b",
    re.IGNORECASE | re.DOTALL,
)
_MARGIN_S = 0.3  # by which the times of the same words differ from one hearing to the next
_PAUSE_S = 1.0  # a longer one ends a stretch
_PREFIX = 5  # letters that make two words one subject: vegetarian, vegetables
OWN_WORDS = 3  # content words of its own that make a reply more than a remark
LEAD_WORDS = 2  # "of course", no more
WHOLE = 0.6  # share of the words of an interruption that says all of it


class Row(NamedTuple):
    """What was said from `start` to `end`, in seconds: a row, a sentence or a word, to be cited."""

    start: float
    end: float
    passage: Passage

    @property
    def text(self) -> str:
        return self.passage.text


# -- rating ------------------------------------------------------------------------------------------


def rating(shown: Excerpt) -> Label:
    """Label how well a reply fits, 0 to 5; missing where the interruption is not known."""
    parts = {name: spoken(text) for name, text in shown.parts.items()}
    asked = topic(parts["interruption"])
    if not asked:
        return Label(question="fdb.rating", label=None, status="unsupported")
    label = _level(parts["reply"], asked, topic(parts["context"]) - asked)
    rows = [passage for passage in passages(shown).values() if passage.by == "reply"]
    said = [row._replace(text=part) for row in rows for part in sentences(spoken(row.text))]
    said.sort(key=lambda part: not met_in(asked, topic(part.text)))
    cited = [cite_where(part, lambda text: bool(met_in(asked, topic(text)))) for part in said[:1]]
    return Label(question="fdb.rating", label=str(label), evidence=tuple(cited) if label > 1 else ())


def _level(reply: str, asked: set[str], context: set[str]) -> int:
    said, opening = topic(reply), _words(reply)
    met, old = met_in(asked, said), said & context
    whole, goes_on = len(met) >= WHOLE * len(asked), re.search(en_replies.GOES_ON, opening)
    if not met and not goes_on and re.search(en_replies.ANSWERS, opening):
        return 0 if not old else 3 if len(said - context) >= OWN_WORDS else 1
    if not met or (goes_on and not whole):
        return 1 if old or goes_on else 0
    about = [sentence for sentence in sentences(reply) if _takes_up(sentence, asked)]
    if not about:
        return 1 if len(old) > len(met) else 2
    own = len(topic(" ".join(about)) - asked - context)
    if own < 2 * OWN_WORDS and any(re.search(en_replies.VAGUE, _words(sentence)) for sentence in about):
        return 3
    if own < OWN_WORDS:
        return 5 if own and met == asked else 3
    return 5 if whole and {word for word in asked if word.isdigit()} <= met else 4


def met_in(asked: set[str], said: set[str]) -> set[str]:
    """Return the words that are taken up: said, or begun like one that is."""
    starts = {word[:_PREFIX] for word in said if len(word) >= _PREFIX}
    return {word for word in asked if word in said or word[:_PREFIX] in starts}


def _takes_up(sentence: str, asked: set[str]) -> bool:
    """Whether a sentence speaks to what was asked: it answers, advises, or names it to go on about it."""
    words = _words(sentence)
    named = re.search(rf"{en_replies.NAMES} (.{{0,40}})", words)
    speaks = re.search(f"{en_replies.ANSWERS}|{en_replies.ADVISES}", words)
    return speaks is not None or (named is not None and bool(met_in(asked, topic(named[1]))))


# -- behaviour ---------------------------------------------------------------------------------------


def behaviour(shown: Excerpt) -> Label:
    """Label what a speaker does first after an overlap began; missing where that is not known."""
    rows = {part: list(_rows(shown, part)) for part in shown.parts}
    overlap = overlap_of(rows["input_clean"], rows["input_noisy"])
    if overlap is None:
        return Label(question="fdb.behaviour", label=None, status="unsupported")
    before = [x for x in _sentences(rows["output_noisy"]) if x.start < overlap.start]
    told = [row.text for row in (*rows["input_clean"], *rows["output_clean"], *before)]
    reader = _Reader(overlap.text, topic(overlap.text), topic(" ".join(told)))
    label, said = reader.first(new_stretch(rows["output_noisy"], overlap, reader.turns))
    cited = (cite_where(said.passage, lambda text: True),) if said else ()
    return Label(question="fdb.behaviour", label=label, evidence=cited)


def overlap_of(clean: Sequence[Row], noisy: Sequence[Row]) -> Row | None:
    """Return what the noisy input has beside the clean one, None where nothing more was heard.

    A word inside a stretch of the clean input is one that was heard otherwise.
    """
    one, other = (
        [word for row in rows for word in _pieces(row, row.text.split())] for rows in (clean, noisy)
    )
    first, second = ([fold(word.text) for word in words] for words in (one, other))
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    kept = {n for block in blocks for n in range(block.b, block.b + block.size)}
    new = [word for n, word in enumerate(other) if n not in kept]
    found = [w for w in new if not any(r.start <= w.start <= r.end + _MARGIN_S for r in clean)] or new
    if not found:
        return None
    said = found[0].passage._replace(text=joined([word.text for word in found]))
    return Row(found[0].start, found[-1].end, said)


def new_stretch(rows: Sequence[Row], overlap: Row, turns: Callable[[Row], bool]) -> Iterator[Row]:
    """Yield the sentences of the first new stretch of speech after an overlap began.

    What goes on without a pause is not new unless it `turns`, nor is the rest of a sentence under way.
    """
    end, under_way = None, False
    for row in rows:
        if end is not None and row.start - end > _PAUSE_S:
            return
        runs_on = row.start < overlap.start or (under_way and row.start < overlap.end)
        said = [x for x in _sentences([row]) if x.start >= overlap.start]
        if end is None and runs_on:
            said = list(dropwhile(lambda sentence: not turns(sentence), said))
        if said:
            yield from said
            end = row.end
        under_way = not row.text.rstrip().endswith((".", "!", "?"))


@dataclass(frozen=True)
class _Reader:
    """Reads sentences beside an overlap; `new` and `old` are the words of the overlap and of the answer."""

    overlap: str
    new: set[str]
    old: set[str]

    def turns(self, said: Row) -> bool:
        """Whether a sentence inside running speech opens something new."""
        opens = re.search(f"{en_replies.UNCLEAR}|{en_replies.RETURNS}", _words(said.text))
        return opens is not None or bool(topic(said.text) & self.new - self.old)

    def first(self, stretch: Iterable[Row]) -> tuple[str, Row | None]:
        """Return what is done first, and the sentence that does it; "Sure!" is read with what follows.

        Who did not catch something and answers all the same has caught it.
        """
        found: tuple[str, Row | None] = ("C_UNKNOWN", None)
        lead = ""
        for said in stretch:
            label = self.does(f"{lead} {said.text}")
            if label == "C_RESPOND" or (label and not found[1]):
                found = label, said
            if label in ("C_RESPOND", "C_RESUME"):
                break
            lead = "" if label or len(said.text.split()) > LEAD_WORDS else said.text
        return found

    def does(self, text: str) -> str:
        """Return what a sentence does, "" for nothing."""
        words, own = _words(text), topic(text)
        if re.search(en_replies.UNCLEAR, words):
            return "C_UNCERTAIN_HANDLING"
        if re.search(en_replies.RETURNS, words):
            return "C_RESUME"
        new, old = own & self.new - self.old, own & self.old - self.new
        if (new and 2 * len(new) >= len(old)) or self._answers(words, own, old):
            return "C_RESPOND"
        return "C_RESUME" if old or (own and re.search(en_replies.GOES_ON, words)) else ""

    def _answers(self, words: str, own: set[str], old: set[str]) -> bool:
        """Whether a sentence answers in other words than those of the overlap."""
        heard = _words(self.overlap)
        asks, more = "?" in self.overlap, own or len(words.split()) > 2
        wishes = asks or re.search(en_replies.WISHES, heard)
        return bool(
            re.search(en_replies.REACTS, words)
            or (wishes and more and re.search(en_replies.ANSWERS, words))
            or (re.search(en_replies.COUNTS, heard) and any(word.isdigit() for word in own - old))
            or (asks and own and not old and re.search(en_replies.SPEAKS_OF, words))
        )


def topic(text: str) -> set[str]:
    """Return the stems of the words of a text that have a topic; "one" is a number of nothing."""
    return content(_words(text), _EN) - _EMPTY


def spoken(text: str) -> str:
    """Return a text without asides, and without sentences about labels."""
    return " ".join(part for part in sentences(genuine(text)) if not _LABEL.search(part))


def _words(text: str) -> str:
    """The words of a text in the form that the patterns read."""
    return joined(plain(text, _EN))


def _rows(shown: Excerpt, part: str) -> Iterator[Row]:
    for passage in passages(shown).values():
        times = _TIMES.match(passage.text)
        if times and passage.by == part:
            said = passage._replace(text=spoken(passage.text[times.end() :]))
            yield Row(float(times[1]), float(times[2]), said)


def _sentences(rows: Iterable[Row]) -> Iterator[Row]:
    return (piece for row in rows for piece in _pieces(row, sentences(row.text)))


def _pieces(row: Row, parts: Iterable[str]) -> Iterator[Row]:
    """Parts of a row, which follow each other in it, with times in proportion to their letters."""
    at, each = 0, (row.end - row.start) / max(1, len(row.text))
    for part in parts:
        at = row.text.index(part, at)
        start, end = (row.start + each * n for n in (at, at + len(part)))
        yield Row(start, end, row.passage._replace(text=part))
        at += len(part)
