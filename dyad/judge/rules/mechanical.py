"""The judge made of rules: it needs no model, no key and no network, and the same lines get the same labels.

What speakers say is data: nothing said to a judge, or about labels, changes an answer, save
that a secret is told to all who hear it. Its labels stand beside those of model judges and are never mixed
with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from dyad.spec import SEATS, Frozen, Label, Role, RunSpec, Scenario, Seat

from .. import questions
from ..case import Case, Excerpt, Subject, case_of
from ..protocol import Judge, JudgeFamily, one_by_one
from ..silence import Unit, asked, question_ids, status
from ..transcript import Line
from . import fdb, t1, t2, t3, t4
from .asides import conversation
from .lexicon import LEXICONS

JUDGE = "mechanical@6"

_SEAT: Mapping[str, Callable[[Case, Seat], Label]] = {
    "t1.adherence": t1.adherence,
    "t1.timing": t1.timing,
    "t3.points": t3.points,
}
_RUN: Mapping[str, Callable[[Case], Label]] = {
    "t2.choice": t2.choice,
    "t2.disclosed": t2.disclosed,
    "t3.asked": t3.asked,
    "t3.granted": t3.granted,
    "t4.landed": t4.landed,
    "t4.asked": t4.asked,
    "t4.leak": t4.leak,
    "t4.price": t4.price,
}
_EXCERPT: Mapping[str, Callable[[Excerpt], Label]] = {
    "fdb.rating": fdb.rating,
    "fdb.behaviour": fdb.behaviour,
}
_WHOLE = (
    "t1.adherence",
    "t1.timing",
    "t4.leak",
)  # who speaks to a judge leaves the role, and is heard by all
_ENGLISH = ("t3.granted", "t4.landed", "t4.price")  # rest on words that only the English lexicon holds


def judge_run(
    spec: RunSpec, scenario: Scenario, roles: Mapping[Seat, Role], lines: Sequence[Line], ticks: int
) -> list[Label]:
    """Label one run, see `label`; `roles` maps the scenario's role letters to roles.

    Raises ValueError for lines that run beyond the recording of `ticks`: they belong to another run.
    """
    return label(case_of(spec, scenario, roles, lines, ticks))


def label(subject: Subject) -> list[Label]:
    """Answer the scenario's questions about one conversation, or all of its archetype's where it lists none.

    `Label.seat` is a bridge seat, None for the pair; a label about options names the letter of the role that
    wants them. Where a seat made no sound, the answer that follows from its silence has status `no_speech`;
    sound without text gives None and `no_words`. What the judge cannot read in the language of the scenario
    gives None and `unsupported_language`; what a suite asks that there are no rules for: `unsupported`.
    """
    if isinstance(subject, Excerpt):
        return [_read(subject, unit) for unit in asked(subject)]
    return [label for question in question_ids(subject) for label in _answer(subject, question)]


def reads(subject: Subject) -> bool:
    """Return whether there are rules for what is asked about a subject."""
    return isinstance(subject, Case) or any(unit.question.id in _EXCERPT for unit in asked(subject))


def _read(shown: Excerpt, unit: Unit) -> Label:
    """Answer a question about an excerpt: those of Full-Duplex-Bench, in English."""
    id, quiet = unit.question.id, unit.question.silence
    if status(shown, unit):
        return Label(question=id, label=quiet.label, status="no_speech")
    if id not in _EXCERPT or shown.lang != "en":
        lacking = "unsupported_language" if id in _EXCERPT else "unsupported"
        return Label(question=id, label=None, status=lacking)
    return _EXCERPT[id](shown)


def _answer(case: Case, question: str) -> Iterator[Label]:
    if question in _SEAT:
        for role in SEATS:
            label = _checked(case, _label(case, question, role), role)
            yield label.model_copy(update={"seat": case.seats[role]})
    else:
        yield _checked(case, _label(case, question))


def _label(case: Case, question: str, role: Seat = "a") -> Label:
    """Answer a question; what the judge cannot read in the language is missing, never "no"."""
    read = case if question in _WHOLE else conversation(case)
    unread = question in _ENGLISH and case.lang != "en" and all(map(read.said, SEATS))
    if unread or case.lang not in LEXICONS:
        return Label(question=question, label=None, status="unsupported_language")
    return _SEAT[question](read, role) if question in _SEAT else _RUN[question](read)


def _checked(case: Case, label: Label, role: Seat | None = None) -> Label:
    """Say where an answer rests on a silence, and take it back where a seat's words are not known."""
    found = status(case, Unit(questions.question(label.question), role))
    if label.label is None or not found:
        return label
    answer = label.label if found == "no_speech" else None
    return label.model_copy(update={"status": found, "label": answer})


class _NoSettings(Frozen):
    """The rules have none."""


def _open(params: Frozen, desk: object) -> Judge:
    return one_by_one(label)


FAMILY = JudgeFamily(
    about="rules on words; no model, no key, no network",
    version=JUDGE,
    params=_NoSettings,
    open=_open,
)
