"""What is asked about a subject, and which of it is settled by a silence.

Nobody need read a transcript to find that a seat never spoke: the answer follows, with status `no_speech`.
Sound without words settles nothing: what was said is not known, and the answer is missing (`no_words`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from dyad.spec import SEATS, Label, Seat

from .case import Case, Excerpt, Subject
from .questions import Question, question, questions_of


class Unit(NamedTuple):
    """A question about a subject, or about one of its roles."""

    question: Question
    role: Seat | None = None


def asked(subject: Subject) -> list[Unit]:
    """Return what a reader is asked: what the scenario lists, or all that can be asked of an excerpt's parts.

    Questions about a seat are asked about the scored one where the scenario names it, else about both.
    """
    if isinstance(subject, Excerpt):
        return [Unit(q) for q in questions_of(subject.rubric) if set(q.parts) <= set(subject.parts)]
    anchor = subject.scenario.anchor
    roles: dict[str, tuple[Seat | None, ...]] = {"seat": (anchor,) if anchor else SEATS, "run": (None,)}
    listed = [q for q in map(question, question_ids(subject)) if not q.counted]
    return [Unit(q, role) for q in listed for role in roles[q.unit]]


def question_ids(subject: Subject) -> list[str]:
    """Return the ids of a subject's questions: the scenario's own list, or all of the archetype or suite."""
    if isinstance(subject, Case) and subject.scenario.judge:
        return list(subject.scenario.judge)
    name = subject.scenario.archetype if isinstance(subject, Case) else subject.rubric
    return [q.id for q in questions_of(name)]


def status(subject: Subject, unit: Unit) -> Literal["", "no_speech", "no_words"]:
    """Return whether a silence settles a question, whether words are lacking, or neither."""
    of = unit.question.silence.of
    if isinstance(subject, Excerpt):
        return "" if subject.parts[of].strip() else "no_speech"
    roles = _roles(unit)
    silent = [role for role in roles if not subject.spoke(role)]
    if silent and (of != "both" or len(silent) == len(roles)):
        return "no_speech"
    return "no_words" if any(subject.spoke(role) and not subject.said(role) for role in roles) else ""


def settled(subject: Subject) -> list[Label]:
    """Return the labels of a subject that need no reader."""
    return [_label(subject, unit, found) for unit in asked(subject) if (found := status(subject, unit))]


def _roles(unit: Unit) -> Sequence[Seat]:
    """The roles whose silence counts."""
    of = unit.question.silence.of
    if of == "own":
        return (unit.role,) if unit.role else ()
    return tuple(role for role in SEATS if of in (role, "either", "both"))


def _label(subject: Subject, unit: Unit, found: str) -> Label:
    label = unit.question.silence.label if found == "no_speech" else None
    seat = None
    if isinstance(subject, Case) and unit.role:
        seat = subject.seats[unit.role]
        if label and unit.question.id == "t1.adherence" and subject.roles[unit.role].kind == "listener":
            label = "yes"  # who is told to listen is in its role without a word
    fields = {} if label is None else unit.question.empty
    return Label(question=unit.question.id, seat=seat, label=label, status=found, fields=fields)
