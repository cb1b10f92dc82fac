"""Whether a reply can stand: its form, the lines that it names, the words that it quotes, and its own logic.

Each question of a reply is checked by itself: a wrong quote for one leaves the labels of the others standing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from dyad.spec import SEATS, Evidence, Label
from dyad.text import find_numbers

from ..case import Case
from ..evidence import MOST_WORDS, Passage, passages, quoted
from ..questions import Question
from .answer import choices, field_of
from .prompt import Call

_HINTS = {
    "invalid_json": "Reply with exactly one JSON object and nothing around it.",
    "invalid_schema": "Reply with every field that the schema names, in its type, and with no other.",
    "bad_line": "Cite lines of the transcript only, and list every line that you name in `evidence`.",
    "bad_quote": f"Copy at most {MOST_WORDS} words from the cited line, as they stand there.",
    "inconsistent": "Label, further fields and cited lines must agree with each other and with the question.",
}
_LINES = {"none": [], "entered": ["entry_line"], "drifted": ["entry_line", "deviation_line"]}


class Verdict(NamedTuple):
    """The labels of a reply, one per question, and the first problem that is worth asking again for."""

    labels: tuple[Label, ...]
    problem: str


class _Problem(Exception):
    """Why an answer cannot stand; the argument is the failure class."""


@dataclass(frozen=True)
class _Answer:
    """The answer to one question, with everything that it names looked up."""

    call: Call
    question: Question
    label: str
    evidence: tuple[Evidence, ...]
    cited: tuple[Passage, ...]
    fields: Mapping[str, Any]
    lines: Mapping[str, Passage]  # the fields that name a line
    items: tuple[tuple[str, Passage], ...]  # private items and where they were said

    @property
    def negative(self) -> bool:
        """Whether the label says that nothing was found."""
        return self.label in self.question.negative


def read(call: Call, text: str) -> Verdict:
    """Return the labels that a reply gives. What cannot stand is None, with its failure class as status."""
    fields = {field_of(question) for question in call.questions}
    data = _object(text, fields)
    if data is None:
        return Verdict(missing(call, "invalid_json"), "invalid_json")
    if data.keys() - fields:
        return Verdict(missing(call, "invalid_schema"), "invalid_schema")
    parts = call.questions[0].parts
    known = {name: line for name, line in passages(call.subject).items() if not parts or line.by in parts}
    labels = tuple(_label(call, question, data.get(field_of(question)), known) for question in call.questions)
    return Verdict(labels, next((label.status for label in labels if label.status != "ok"), ""))


def missing(call: Call, status: str) -> tuple[Label, ...]:
    """Return the labels of a call that has no answer, and why."""
    return tuple(_without(call, question, status) for question in call.questions)


def last_resort(verdict: Verdict, call: Call) -> tuple[Label, ...]:
    """Return what remains where nobody is asked again: of a doubtful deviation the entry, else nothing."""
    return tuple(map(_rescued, call.questions, verdict.labels))


def hint(problem: str) -> str:
    """Return the sentence that a second request adds; empty for what no sentence can mend."""
    return _HINTS.get(problem, "")


def _without(call: Call, question: Question, status: str) -> Label:
    return Label(question=question.id, seat=call.seat, label=None, status=status)


def _rescued(question: Question, label: Label) -> Label:
    """What `_kept` put by becomes the answer."""
    if "entry_line" in question.fields and label.label is None and label.fields.get("entry_line"):
        return label.model_copy(update={"label": "entered", "status": "ok"})
    return label


def _object(text: str, fields: Set[str]) -> dict[str, Any] | None:
    """The one JSON object of a text that answers, whatever stands around it, braces too.

    Where none has these fields only: the one with which braces begin. None for none, several or a broken one.
    """
    found = [(at, value) for at, value in _objects(text) if value]
    fitting = [value for _, value in found if value.keys() <= fields]
    chosen = fitting or [value for at, value in found if at == text.find("{")]
    return chosen[0] if len(chosen) == 1 else None


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of a text and where each begins; one within another is part of it."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _READER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield at, value
        at = text.find("{", end)


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a field stands twice")
    return dict(pairs)


_READER = json.JSONDecoder(object_pairs_hook=_unique)


def _label(call: Call, question: Question, part: object, known: Mapping[str, Passage]) -> Label:
    try:
        answer = _looked_up(call, question, part, known)
        _check_evidence(answer)
    except _Problem as problem:
        return _without(call, question, str(problem))
    if not _consistent(answer, known):
        return _kept(answer)
    return Label(
        question=question.id,
        seat=call.seat,
        label=answer.label,
        evidence=answer.evidence,
        fields=dict(answer.fields),
    )


def _looked_up(call: Call, question: Question, part: object, known: Mapping[str, Passage]) -> _Answer:
    """Read the answer to one question and look up every line that it names."""
    found = _parsed(call, question, part)
    cited = tuple(_passage(item["line"], known) for item in found["evidence"])
    quotes = (item["quote"] for item in found["evidence"])
    lines = {
        name: _passage(found[name], known)
        for name, extra in question.fields.items()
        if extra.type == "line" and found[name] is not None
    }
    items = tuple((item["item"], _passage(item["line"], known)) for item in found.get("items", ()))
    fields = {name: found[name] for name in question.fields} | {name: line.id for name, line in lines.items()}
    if "items" in fields:
        fields["items"] = [{"item": item, "line": line.id} for item, line in items]
    label = _stored_label(call, question, found)
    evidence = tuple(Evidence(line=line.id, quote=quote) for line, quote in zip(cited, quotes, strict=True))
    return _Answer(call, question, label, evidence, cited, fields, lines, items)


def _parsed(call: Call, question: Question, part: object) -> dict[str, Any]:
    model = call.answer.model_fields[field_of(question)].annotation
    assert isinstance(model, type)
    assert issubclass(model, BaseModel)
    try:
        return model.model_validate(part, strict=True).model_dump()
    except ValidationError:
        raise _Problem("invalid_schema") from None


def _stored_label(call: Call, question: Question, found: Mapping[str, Any]) -> str:
    """The label as it is stored: candidates and options by name or letter, numbers in digits."""
    if "label" in found:
        return choices(question, call.subject)[found["label"]]
    number = next(found[name] for name, extra in question.fields.items() if extra.type == "number")
    return question.negative[0] if number is None else str(number)


def _passage(named: str, known: Mapping[str, Passage]) -> Passage:
    """What a model cites: an id, or a speaker and an onset, with or without the signs around it."""
    name = " ".join(re.findall(r"[\w.]+", named.strip().removeprefix("Speaker ")))
    if name not in known:
        raise _Problem("bad_line")
    return known[name]


def _check_evidence(answer: _Answer) -> None:
    """Refuse quotes that are not in their line, and what rests on no quote."""
    lang = answer.call.subject.lang if isinstance(answer.call.subject, Case) else "en"
    quotes = zip(answer.evidence, answer.cited, strict=True)
    if not all(quoted(item.quote, line, lang) for item, line in quotes):
        raise _Problem("bad_quote")
    named = {*answer.lines.values(), *(line for _, line in answer.items)}
    if not named <= set(answer.cited) or not (answer.cited or answer.negative):
        raise _Problem("bad_line")


def _consistent(answer: _Answer, known: Mapping[str, Passage]) -> bool:
    speakers = _speakers(answer)
    if not answer.negative and not speakers <= {line.by for line in answer.cited}:
        return False
    if len(speakers) == 1 and any(line.by not in speakers for line in answer.lines.values()):
        return False
    if "line" in answer.question.fields and answer.negative == ("line" in answer.lines):
        return False
    rule = _RULES.get(answer.question.id)
    return rule is None or rule(answer, known)


def _speakers(answer: _Answer) -> set[str]:
    """Whose words a label rests on: bridge seats, or the part of an excerpt that is asked about."""
    subject, question = answer.call.subject, answer.question
    if not isinstance(subject, Case):
        return {question.silence.of}
    match question.speaker:
        case "own":
            return {str(answer.call.seat)}
        case "both":
            return set(SEATS)
        case "any":
            return set()
        case role:
            return {subject.seats[role]}


def _kept(answer: _Answer) -> Label:
    """No label; but of a seat that entered its role at a line of its own, that line stays known."""
    label = _without(answer.call, answer.question, "inconsistent")
    entry = answer.lines.get("entry_line")
    if entry is None or entry.by != answer.call.seat or answer.negative:
        return label
    evidence = tuple(item for item in answer.evidence if item.line == entry.id)
    fields = {"entry_line": entry.id, "deviation_line": None}
    return label.model_copy(update={"evidence": evidence, "fields": fields})


# What the answers to single questions must be like


def _adherence(answer: _Answer, known: Mapping[str, Passage]) -> bool:
    """Who played the other's role was not in its own; tasks are those of its role."""
    subject = answer.call.subject
    assert isinstance(subject, Case)
    assert answer.call.seat
    sheet = subject.roles[subject.role_at(answer.call.seat)]
    tasks = {cue.id for cue in sheet.duties or sheet.steps}
    return set(answer.fields["met"]) <= tasks and not (answer.fields["swapped"] and not answer.negative)


def _timing(answer: _Answer, known: Mapping[str, Passage]) -> bool:
    if sorted(answer.lines) != sorted(_LINES[answer.label]):
        return False
    return answer.label != "drifted" or answer.lines["deviation_line"].at > answer.lines["entry_line"].at


def _disclosed(answer: _Answer, known: Mapping[str, Passage]) -> bool:
    """Items are said by who holds them, and the label says how many of them there are."""
    subject = answer.call.subject
    assert isinstance(subject, Case)
    held = {(item.id, subject.seats[role]) for role in SEATS for item in subject.roles[role].private}
    voiced = {(item, line.by) for item, line in answer.items}
    label = "none" if not voiced else "all" if voiced == held else "some"
    return voiced <= held and answer.label == label


def _price(answer: _Answer, known: Mapping[str, Passage]) -> bool:
    """A price was said by somebody."""
    subject, price = answer.call.subject, answer.fields["price"]
    assert isinstance(subject, Case)
    texts = (text for line in known.values() for text in (line.text, line.heard or ""))
    return price is None or any(price in find_numbers(text, subject.lang) for text in texts)


_RULES: Mapping[str, Callable[[_Answer, Mapping[str, Passage]], bool]] = {
    "t1.adherence": _adherence,
    "t1.timing": _timing,
    "t2.disclosed": _disclosed,
    "t4.price": _price,
}
