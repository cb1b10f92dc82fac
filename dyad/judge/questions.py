"""The questions that judges answer: closed, one measure each, kept as data and versioned per archetype."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import Field

from dyad.library.archetypes import info_of
from dyad.spec import Archetype, Frozen, digest


class Example(Frozen):
    """A borderline case: what is said and the label that it gets."""

    said: str
    label: str


class Question(Frozen):
    """One closed question. `paper` maps labels to the yes or no that DyaFDB (arXiv 2610.08125) reports.

    `labels` may hold the placeholder `<candidate>`, `<number>` or `<count>` for an open set.
    """

    id: str
    unit: Literal["seat", "run"]
    archetypes: tuple[Archetype, ...] = Field(min_length=1)
    ask: str
    labels: tuple[str, ...] = Field(min_length=2)
    paper: dict[str, dict[str, bool]] = Field(default_factory=dict)
    not_counted: tuple[str, ...] = Field(min_length=1)
    examples: tuple[Example, ...] = Field(min_length=2)


class Rubric(Frozen):
    """The questions of one archetype at one version."""

    archetype: Archetype
    version: int = Field(ge=1)
    questions: tuple[Question, ...]

    @property
    def id(self) -> str:
        """Name of the rubric, e.g. `t2@1`."""
        return f"{self.archetype}@{self.version}"

    @property
    def hash(self) -> str:
        """Sixteen hexadecimal digits over every word of the rubric."""
        return digest(self)


class _Sheet(Frozen):
    version: int = Field(ge=1)
    questions: tuple[Question, ...]


def rubric_key(archetype: str) -> str:
    """Return the name under which labels are stored: rubric, version and the start of its hash."""
    found = rubric(info_of(archetype).id)
    return f"{found.id}-{found.hash[:8]}"


@cache
def rubric(archetype: str) -> Rubric:
    """Return the questions asked about an archetype, with their version."""
    text = files("dyad.judge").joinpath("rubrics", f"{archetype[:2]}.yaml").read_text("utf-8")
    sheet = _Sheet.model_validate(yaml.safe_load(text))
    mine = tuple(q for q in sheet.questions if archetype in q.archetypes)
    return Rubric(archetype=info_of(archetype).id, version=sheet.version, questions=mine)


def questions_of(archetype: str) -> tuple[Question, ...]:
    """Return the questions asked about an archetype."""
    return rubric(archetype).questions


def paper_labels(question: Question, label: str | None) -> dict[str, bool | None]:
    """Return the paper's yes or no for each of its measures; None where the label is missing.

    `*` stands for every label that is not listed.
    """
    return {
        measure: None if label is None else answers.get(label, answers.get("*"))
        for measure, answers in question.paper.items()
    }
