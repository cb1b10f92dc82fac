"""The judge `given`: what somebody else's judge has left beside recorded answers, where a suite reads it."""

from __future__ import annotations

from typing import Any

from dyad.spec import Frozen, Label

from .case import Excerpt, Subject
from .protocol import Desk, Judge, JudgeFamily, one_by_one
from .silence import asked, question_ids

NOT_GIVEN = "not_given"


class GivenParams(Frozen):
    """There is nothing to set."""


def label(subject: Subject) -> list[Label]:
    """Return the given labels of a trial; what is asked and not given is missing, as is a conversation."""
    if not isinstance(subject, Excerpt):
        return [_missing(id) for id in question_ids(subject)]
    lacking = {unit.question.id for unit in asked(subject)} - subject.given.keys()
    found = [Label(question=id, label=given) for id, given in subject.given.items()]
    return [*found, *map(_missing, sorted(lacking))]


def _missing(id: str) -> Label:
    return Label(question=id, label=None, status=NOT_GIVEN)


def _open(params: Any, desk: Desk) -> Judge:
    return one_by_one(label)


FAMILY = JudgeFamily(
    about="labels that lie beside recorded answers of a suite",
    version="given@1",
    params=GivenParams,
    open=_open,
)
