"""What the lint rules share: the shape of a fault, and walks over a library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

from dyad.spec.base import SEATS, other
from dyad.spec.scenario import Role, Scenario

from .load import Library
from .sheet import role_of
from .source import Loc
from .truth import Truth, truth_of

Fault = tuple[str, Loc, str]  # id of the record, field at fault, what is wrong and what to do
T = TypeVar("T", bound=Truth)


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return re.findall(r"[\w'’-]+", text.lower())


def sides(library: Library) -> Iterator[tuple[Scenario, Role, Role]]:
    """Yield each scenario with roles twice: with the role of each seat, and the role at the other end."""
    for scenario in library.scenarios.values():
        for seat in () if scenario.free else SEATS:
            yield scenario, role_of(library, scenario, seat), role_of(library, scenario, other(seat))


def with_truth(library: Library, kind: type[T]) -> Iterator[tuple[Scenario, T]]:
    """Yield the scenarios whose truth is of a kind, with it."""
    for scenario in library.scenarios.values():
        truth = truth_of(scenario)
        if isinstance(truth, kind):
            yield scenario, truth
