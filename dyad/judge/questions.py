"""The questions that judges answer: closed, one measure each, kept as data with a version."""

from __future__ import annotations

from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from dyad.errors import ConfigError, near
from dyad.library import INFO
from dyad.library.source import read_yaml
from dyad.spec import SEATS, Archetype, Frozen, digest

FOLDER = Path(__file__).with_name("rubrics")
SUITES = ("fdb", "m3")
FieldType = Literal["line", "bool", "number", "ids", "items"]
# `own`: the seat that the question is about; letters are roles of the scenario.
Speaker = Literal["own", "a", "b", "both", "any"]


class Example(Frozen):
    """A borderline case: what is said and the label that it gets."""

    said: str
    label: str


class Extra(Frozen):
    """A further answer: a line or a number or None, a yes or no, ids from a list, a list of {item, line}."""

    type: FieldType
    about: str


class Silence(Frozen):
    """The label that follows from a silence, None where there is none to give, and whose silence it is.

    `of`: the seat that the question is about, a role, either or both of them; in an excerpt, an empty part.
    """

    label: str | None
    of: str


class Question(Frozen):
    """One closed question.

    `labels` maps each label to its meaning and may hold one placeholder for an open set: `<candidate>`,
    `<option>` or `<number>`. Labels outside `negative` rest on cited lines of `speaker`. `paper` lists, for a
    measure of DyaFDB (arXiv 2610.08125), the labels that count as yes. `parts` are the texts of an excerpt
    that the question is about. What is `counted` needs no reader: rules count it, no model is asked.
    """

    id: str
    unit: Literal["seat", "run", "excerpt"]
    archetypes: tuple[Archetype, ...] = ()
    parts: tuple[str, ...] = ()
    counted: bool = False
    ask: str
    labels: dict[str, str] = Field(min_length=2)
    negative: tuple[str, ...] = Field(min_length=1)
    speaker: Speaker = "any"
    fields: dict[str, Extra] = Field(default_factory=dict)
    silence: Silence
    paper: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    not_counted: tuple[str, ...] = Field(min_length=1)
    examples: tuple[Example, ...] = Field(min_length=2)

    @property
    def open(self) -> str | None:
        """The placeholder of the open set among the labels, None where all labels are listed.

        Stored is the name of a `<candidate>`, the letter of the role that wants an `<option>`, c where none
        does, and a `<number>` in digits.
        """
        return next((label for label in self.labels if label.startswith("<")), None)

    @property
    def empty(self) -> dict[str, Any]:
        """The further fields of an answer that found nothing."""
        nothing: dict[FieldType, Any] = {"line": None, "bool": False, "number": None, "ids": [], "items": []}
        return {name: nothing[extra.type] for name, extra in self.fields.items()}

    def listed(self, label: str) -> str | None:
        """Return a label as `labels` lists it: the placeholder for one of the open set, None for no label."""
        return label if label in self.labels else self.open

    @model_validator(mode="after")
    def _whole(self) -> Question:
        named = [*self.negative, *chain.from_iterable(self.paper.values())]
        if self.silence.label is not None:
            named.append(self.silence.label)
        if unknown := set(named) - set(self.labels):
            raise ValueError(f"{self.id}: {sorted(unknown)} are no labels")
        shown = {self.listed(example.label) for example in self.examples}
        if shown != set(self.labels):
            raise ValueError(f"{self.id}: examples must show each label, and no other")
        if any(set(yes) in (set(), set(self.labels)) for yes in self.paper.values()):
            raise ValueError(f"{self.id}: what the paper reports is yes for some labels and no for others")
        self._check_unit()
        return self

    def _check_unit(self) -> None:
        of = {"seat": ("own",), "run": (*SEATS, "either", "both"), "excerpt": self.parts}[self.unit]
        if self.silence.of not in of:
            raise ValueError(f"{self.id}: silence.of must be one of {', '.join(of)}")
        if (self.unit == "excerpt") != bool(self.parts) or bool(self.parts) == bool(self.archetypes):
            raise ValueError(f"{self.id}: an excerpt has parts, a conversation archetypes")
        if (self.unit == "seat") != (self.speaker == "own"):
            raise ValueError(f"{self.id}: exactly the questions about a seat rest on its own lines")


class Rubric(Frozen):
    """The questions of one archetype or suite at one version."""

    name: str
    version: int = Field(ge=1)
    questions: tuple[Question, ...]

    @property
    def id(self) -> str:
        """Name of the rubric, e.g. `t2@1`."""
        return f"{self.name}@{self.version}"

    @property
    def hash(self) -> str:
        """Sixteen hexadecimal digits over every word of the rubric, and over the order of its labels."""
        return digest([self.model_dump(mode="json"), [list(q.labels) for q in self.questions]])


class _Sheet(Frozen):
    version: int = Field(ge=1)
    questions: tuple[Question, ...]


@cache
def rubric_key(name: str) -> str:
    """Return the name under which labels are stored: rubric, version and the start of its hash."""
    found = rubric(name)
    return f"{found.id}-{found.hash[:8]}"


@cache
def rubric(name: str) -> Rubric:
    """Return the questions asked about an archetype or by a suite, with their version.

    Raises ConfigError, with the near name, for an unknown name.
    """
    if name not in INFO and name not in SUITES:
        raise ConfigError(f"unknown archetype or suite '{name}'{near(name, [*INFO, *SUITES])}")
    sheet = _sheet(name.partition("_")[0])
    mine = tuple(q for q in sheet.questions if name in SUITES or name in q.archetypes)
    return Rubric(name=name, version=sheet.version, questions=mine)


def questions_of(name: str) -> tuple[Question, ...]:
    """Return the questions asked about an archetype or by a suite."""
    return rubric(name).questions


@cache
def question(id: str) -> Question:
    """Return a question by its id. Raises StopIteration for an unknown one."""
    return next(q for q in _sheet(id.partition(".")[0]).questions if q.id == id)


def is_yes(id: str, measure: str, label: str) -> bool:
    """Return whether a label of a question counts as yes for a measure that DyaFDB reports."""
    asked = question(id)
    return asked.listed(label) in asked.paper[measure]


@cache
def _sheet(file: str) -> _Sheet:
    return _Sheet.model_validate(read_yaml(FOLDER / f"{file}.yaml").data)
