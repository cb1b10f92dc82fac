"""What a judge is shown: a conversation with its scenario and roles, or named texts of a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dyad.spec import SEATS, Role, RunSpec, Scenario, Seat

from .transcript import Letter, Line


@dataclass(frozen=True)
class Case:
    """`roles` and `seats` are keyed by the role's letter in the scenario; `seats` gives its bridge seat.

    Nothing here names a run, a pairing, a model or a voice. The recording has `ticks`.
    """

    scenario: Scenario
    roles: Mapping[Seat, Role]
    seats: Mapping[Seat, Seat]
    lines: tuple[Line, ...]
    opener: Seat
    ticks: int

    @property
    def lang(self) -> str:
        """The language of the conversation."""
        return self.scenario.lang

    @property
    def worded(self) -> list[Line]:
        """The lines that hold words, in order."""
        return [line for line in self.lines if line.text]

    def said(self, role: Seat) -> list[Line]:
        """Return the lines with words of one role, in order."""
        return [line for line in self.worded if line.seat == self.seats[role]]

    def role(self, line: Line) -> Seat:
        """Return the letter of the role that spoke a line."""
        return self.role_at(line.seat)

    def role_at(self, seat: Seat) -> Seat:
        """Return the letter of the role that a bridge seat plays."""
        return "a" if seat == self.seats["a"] else "b"

    def letter(self, role: Seat) -> Letter:
        """Return the speaker letter of a role in the transcript: the opener is A."""
        return "A" if self.seats[role] == self.opener else "B"

    def spoke(self, role: Seat) -> bool:
        """Return whether a role made any sound."""
        return any(line.seat == self.seats[role] for line in self.lines)


@dataclass(frozen=True)
class Excerpt:
    """What a fixed-stimulus suite asks about: texts by name, in the order in which they are shown.

    `rubric` names the questions, e.g. `fdb`. No name of a model stands in the texts' names. `given` are
    labels by question that lie beside a recorded answer; only the judge of that name reads them.
    """

    rubric: str
    parts: Mapping[str, str]
    lang: str = "en"
    given: Mapping[str, str] = field(default_factory=dict)


Subject = Case | Excerpt


def case_of(
    spec: RunSpec, scenario: Scenario, roles: Mapping[Seat, Role], lines: Sequence[Line], ticks: int
) -> Case:
    """Return the case of one run. `roles` maps the scenario's role letters to roles.

    Raises ValueError for lines that run beyond the recording of `ticks`: they belong to another run.
    """
    if any(line.end > ticks for line in lines):
        raise ValueError(f"{spec.id}: lines run beyond the recording of {ticks} ticks")
    seats: dict[Seat, Seat] = {role: spec.seat_of_role(role) for role in SEATS}
    return Case(scenario, roles, seats, tuple(lines), spec.opener, ticks)
