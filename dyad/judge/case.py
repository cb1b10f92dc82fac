"""One conversation as a judge sees it: the scenario, both roles, and who said which line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dyad.spec import Role, Scenario, Seat

from .lexicon import LEXICONS, Lexicon
from .transcript import Line


@dataclass(frozen=True)
class Case:
    """`roles` and `seats` are keyed by the role's letter in the scenario; `seats` gives its bridge seat."""

    scenario: Scenario
    roles: Mapping[Seat, Role]
    seats: Mapping[Seat, Seat]
    lines: tuple[Line, ...]

    @property
    def lang(self) -> str:
        """The language of the conversation."""
        return self.scenario.lang

    @property
    def lex(self) -> Lexicon:
        """How the judge reads that language; KeyError where it cannot."""
        return LEXICONS[self.lang]

    @property
    def worded(self) -> list[Line]:
        """The lines that hold words, in order."""
        return [line for line in self.lines if line.text]

    def said(self, role: Seat) -> list[Line]:
        """Return the lines with words of one role, in order."""
        return [line for line in self.worded if line.seat == self.seats[role]]

    def role(self, line: Line) -> Seat:
        """Return the letter of the role that spoke a line."""
        return "a" if line.seat == self.seats["a"] else "b"

    def spoke(self, role: Seat) -> bool:
        """Return whether a role made any sound."""
        return any(line.seat == self.seats[role] for line in self.lines)
