"""The schema of a reply, made from the questions: evidence first, then further answers, the label last.

No field has a default: one with a default would not be `required`, and a model could leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from dyad.library.truth import options_of, third_of
from dyad.spec import SEATS

from ..case import Case, Subject
from ..questions import FieldType, Question, question
from ..transcript import one_line

_CLOSED = ConfigDict(extra="forbid")


class Cited(BaseModel):
    """A line and words copied from it."""

    model_config = _CLOSED
    line: str
    quote: str


class Voiced(BaseModel):
    """A private item and the line in which it was said."""

    model_config = _CLOSED
    item: str
    line: str


_TYPES: Mapping[FieldType, Any] = {
    "line": str | None,
    "bool": bool,
    "number": int | None,
    "ids": list[str],
    "items": list[Voiced],
}


def field_of(asked: Question) -> str:
    """Return the name of the field that answers a question."""
    return asked.id.replace(".", "_")


def choices(asked: Question, subject: Subject) -> dict[str, str]:
    """Return the labels that a reader can choose from, each with the label that is stored for it.

    Candidates and options go by name, so that no letter of a role or a seat can be taken for one. Of numbers
    there is no list: the dictionary is empty.
    """
    closed = {label: label for label in asked.labels if label != asked.open}
    match asked.open:
        case None:
            return closed
        case "<candidate>" if isinstance(subject, Case):
            return {one_line(str(name)): str(name) for name in subject.scenario.truth["candidates"]} | closed
        case "<option>" if isinstance(subject, Case):
            return options(subject) | closed
    return {}


def answer_of(questions: Sequence[Question], subject: Subject) -> type[BaseModel]:
    """Return the model of a reply to questions about a subject: one field per question."""
    return _answer(tuple((asked.id, tuple(choices(asked, subject))) for asked in questions))


def options(case: Case) -> dict[str, str]:
    """Return the named options of a conversation, each with its letter; in an order that tells no role."""
    wanted = options_of(case.scenario)
    named = {one_line(wanted[role]): str(role) for role in SEATS}
    if third := third_of(case.scenario):
        named[one_line(third.line)] = "c"
    return dict(sorted(named.items(), key=lambda pair: pair[0].casefold()))


@cache
def _answer(asked: tuple[tuple[str, tuple[str, ...]], ...]) -> type[BaseModel]:
    parts: dict[str, Any] = {field_of(question(id)): (_part(id, labels), ...) for id, labels in asked}
    return create_model("Answer", __config__=_CLOSED, **parts)


@cache
def _part(id: str, labels: tuple[str, ...]) -> type[BaseModel]:
    """The answer to one question. Without labels to choose from, the label follows from the fields."""
    extras = {name: (_TYPES[extra.type], ...) for name, extra in question(id).fields.items()}
    fields: dict[str, Any] = {"evidence": (list[Cited], ...), **extras}
    if labels:
        fields["label"] = (Literal.__getitem__(labels), ...)
    return create_model(field_of(question(id)), __config__=_CLOSED, **fields)
