"""Results that others have published, as data with their sources.

They were made on other data, with another ASR and another judge than a user's, so they are shown for what
they are and are in no statistic of ours. A rate that is a count over the n of its set has Wilson's interval.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

import yaml
from pydantic import Field, model_validator

from dyad.errors import ConfigError, near
from dyad.spec.base import Frozen, Slug
from dyad.spec.suite import Kind
from dyad.stats import wilson

PRINTED = 0.0005 + 1e-9  # a rate with three decimals differs from its count by no more


class Source(Frozen):
    """Where a table is from."""

    cite: str
    url: str


class Column(Frozen):
    """A column of a table: the measure of a kind of set. `better` is +1 or −1."""

    key: Slug
    head: str
    kind: Kind
    measure: Slug
    unit: Literal["share", "per_s", "level", "s"]
    better: Literal[-1, 1]


class Samples(Frozen):
    """What a column rests on: sets, by our names, and how many samples they have together."""

    tasks: tuple[Slug, ...]
    n: int = Field(ge=1)


class Cell(Frozen):
    """A printed number. `k`: the count behind a rate; where no count gives it, `note` says so."""

    value: float
    k: int | None = Field(default=None, ge=0)
    note: str = ""


class System(Frozen):
    """A row: what was tested, and its numbers by column."""

    name: str
    cells: dict[Slug, Cell]


class Part(Frozen):
    """The rows of one data set."""

    data: str
    lang: str
    sets: dict[Slug, Samples]  # by column
    systems: tuple[System, ...]

    def ends(self, column: str, cell: Cell) -> tuple[float, float] | tuple[None, None]:
        """Return Wilson's interval of a rate from k and n; None twice for what is no count over n."""
        share = None if cell.k is None else wilson(cell.k, self.sets[column].n)
        return (None, None) if share is None else (share.low, share.high)


class Table(Frozen):
    """A published table. `suite` is the suite whose results may stand beside it, in `mode` alone."""

    name: Slug
    title: str
    suite: Slug
    mode: Literal["compat", "strict"]
    sources: tuple[Source, ...] = Field(min_length=1)
    asr: str
    judge: str
    notes: tuple[str, ...] = ()
    columns: tuple[Column, ...]
    parts: tuple[Part, ...]

    @model_validator(mode="after")
    def _consistent(self) -> Table:
        keys = {column.key for column in self.columns}
        for part in self.parts:
            for system in part.systems:
                if unknown := (system.cells.keys() | part.sets.keys()) - keys:
                    raise ValueError(f"no column {', '.join(sorted(unknown))}")
                for key, cell in system.cells.items():
                    _check(f"{part.data}, {system.name}, {key}", cell, part.sets.get(key))
        return self


def _check(where: str, cell: Cell, samples: Samples | None) -> None:
    if samples is None:
        raise ValueError(f"{where}: on which samples?")
    if cell.k is not None and abs(cell.k / samples.n - cell.value) > PRINTED:
        raise ValueError(f"{where}: {cell.k}/{samples.n} is not {cell.value}")


def names() -> list[str]:
    """Return the names of all published tables."""
    return sorted(
        f.name.removesuffix(".yaml") for f in files(__package__).iterdir() if f.name.endswith(".yaml")
    )


@cache
def published(name: str) -> Table:
    """Return a published table. Raises ConfigError for an unknown name."""
    if name not in names():
        raise ConfigError(f"no published table '{name}'{near(name, names())}")
    text = files(__package__).joinpath(f"{name}.yaml").read_text("utf-8")
    return Table.model_validate(yaml.safe_load(text))


def comparable(table: Table, suite: str, tasks: Collection[str]) -> bool:
    """Whether a suite's results on these sets may stand beside a table: the same suite, on sets that it has.

    A small or French set is not comparable with numbers of the official English one, whatever its kinds.
    """
    theirs = {task for part in table.parts for samples in part.sets.values() for task in samples.tasks}
    return table.suite == suite and bool(theirs & set(tasks))


class Found(NamedTuple):
    """A published number of one measure on one set; the interval is Wilson's from k and n."""

    name: str
    data: str
    value: float
    low: float | None
    high: float | None
    n: int
    note: str


def found(table: Table, kind: str, measure: str, task: str) -> Iterator[Found]:
    """Yield what a table has of a measure on exactly one set, in the order of its rows."""
    keys = [column.key for column in table.columns if (column.kind, column.measure) == (kind, measure)]
    for part in table.parts:
        for key in (key for key in keys if key in part.sets and part.sets[key].tasks == (task,)):
            for system in (system for system in part.systems if key in system.cells):
                cell = system.cells[key]
                low, high = part.ends(key, cell)
                yield Found(system.name, part.data, cell.value, low, high, part.sets[key].n, cell.note)
