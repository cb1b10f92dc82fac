"""What a judge is: a function from conversations to labels, made by a family that names its settings.

Plug-ins register a `JudgeFamily` under the entry point `dyad.judges`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from dyad.errors import ConfigError
from dyad.spec import Frozen, Label, digest

from .case import Subject


@dataclass(frozen=True)
class Task:
    """One subject to judge. `key` is the caller's name for it and reaches no judge."""

    key: str
    subject: Subject


class Judged(NamedTuple):
    """The labels of one task. None: nothing was decided, the task can be tried again; `error` says why."""

    key: str
    labels: tuple[Label, ...] | None
    error: str = ""


Judge = Callable[[Iterable[Task]], Iterator[Judged]]
"""Labels tasks in any order; what one task lacks keeps no other from its labels.

Raises ConfigError for what no task can do without (a key, a model), BudgetReached at a ceiling.
"""


@dataclass(frozen=True)
class Control:
    """A task whose transcript tells the judge what to answer, and the same one without those lines.

    A judge obeys that gives the `demanded` labels to the first and not to the second.
    """

    task: Task
    plain: Task
    demanded: Callable[[Sequence[Label]], bool]


class ModelChanged(ConfigError):
    """Another model than before answers under a name; its labels would stand under the other's."""

    def __init__(self, judge: str, requested: str, before: str, now: str) -> None:
        super().__init__(
            f"judge '{judge}': '{requested}' is now answered by '{now}', before by '{before}'; what was "
            "labelled stays the other's, run the command again for labels by this one"
        )
        self.now = now


@dataclass
class Money:
    """US dollars that may be spent, None without a limit, and that were, by all judges of one command."""

    ceiling: float | None = None
    spent: float = 0.0


@dataclass(frozen=True)
class Desk:
    """Where a judge keeps its records, what it may spend, and what it is tested with."""

    name: str
    folder: Path
    money: Money = field(default_factory=Money)
    controls: Sequence[Control] = ()
    say: Callable[[str], None] = lambda text: None  # one line to the person who waits
    served: str = ""  # which model answers for the judge, where its name does not say it
    draw: int = 0  # the first repetition that is asked for; 0 unless a judge is being checked


@dataclass(frozen=True)
class JudgeFamily:
    """A kind of judge.

    `params` are its settings, with their defaults; those in `local` say where or how fast and change no
    label. `version` changes when the same settings would give other labels. `model` says whether a language
    model answers, which costs money or time: then the cost is estimated, and asked about, before it is spent.
    `serves` asks the service which model that is; empty: its name says it, None: nobody answers.
    """

    about: str
    version: str
    params: type[Frozen]
    open: Callable[[Any, Desk], Judge]
    local: tuple[str, ...] = ()
    model: bool = False
    serves: Callable[[Any], str | None] = lambda params: ""


def one_by_one(label: Callable[[Subject], Sequence[Label]]) -> Judge:
    """Return the judge that calls a function for one subject at a time; its exceptions fail one task."""

    def judge(tasks: Iterable[Task]) -> Iterator[Judged]:
        for task in tasks:
            try:
                yield Judged(task.key, tuple(label(task.subject)))
            except Exception as error:  # one broken task must not keep the others from their labels
                yield Judged(task.key, None, f"{type(error).__name__}: {error}")

    return judge


def identity(family: JudgeFamily, params: Frozen) -> str:
    """Return a digest of everything about a judge that could change a label."""
    return digest([family.version, params.model_dump(mode="json", exclude=set(family.local))])
