"""What the lint rules share: the shape of a fault, and walks over a library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from dyad.library.load import Library
from dyad.library.sheet import role_of
from dyad.library.source import Loc
from dyad.library.truth import Truth, truth_of
from dyad.spec.base import SEATS, other
from dyad.spec.scenario import Role, Scenario

Fault = tuple[str, Loc, str]  # id of the record, field at fault, what is wrong and what to do
T = TypeVar("T", bound=Truth)


def sides(library: Library) -> Iterator[tuple[Scenario, Role, Role]]:
    """Yield each scenario with roles twice: with the role of each seat, and the role at the other end."""
    for scenario in library.scenarios.values():
        for seat in () if scenario.free else SEATS:
            yield scenario, role_of(library, scenario, seat), role_of(library, scenario, other(seat))


def setting_at(scenario: Scenario) -> Loc:
    """Return where the setting stands in the file: a twin of T4-3 takes its own from the truth."""
    return ("truth", "third", "setting") if scenario.twin == "three_lines" else ("setting",)


def with_truth(library: Library, kind: type[T]) -> Iterator[tuple[Scenario, T]]:
    """Yield the scenarios whose truth is of a kind, with it."""
    for scenario in library.scenarios.values():
        truth = truth_of(scenario)
        if isinstance(truth, kind):
            yield scenario, truth
