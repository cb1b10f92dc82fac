"""One conversation as measures read it: its spec, scenario, segments and transcript."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, Protocol

from dyad.measure.turns import Count, Ticks
from dyad.spec import TICK_S, RunSpec, Scenario, Seat, Sheet, other
from dyad.text import CJK, tokens


class Line(Protocol):
    """A transcript line: one voice-activity segment of a seat with the seat's own text in it."""

    @property
    def seat(self) -> Seat:
        """Who speaks."""

    @property
    def start(self) -> int:
        """Onset in ticks."""

    @property
    def text(self) -> str:
        """What the speaker's own text says; may be empty."""

    @property
    def heard(self) -> str | None:
        """What an ASR heard, None where none has listened."""


class Said(NamedTuple):
    """A plain line."""

    seat: Seat
    start: int
    text: str
    heard: str | None = None


@dataclass(frozen=True)
class Conversation:
    """One recorded run of `ticks`, with one line per segment of both seats, by onset.

    Text that never became audio is in no line: what was not spoken was not said.
    """

    spec: RunSpec
    scenario: Scenario
    ticks: int
    segments: Mapping[Seat, Ticks]
    lines: Sequence[Line]
    healthy: bool = True  # False: the recording is at fault, so nothing can be said about the task
    sound: bool = True  # False: its segments cannot be right, so nothing can be said about turns either
    orphans: Mapping[Seat, Count] = field(default_factory=dict)  # own pieces of text in no segment
    takes: Sequence[Sequence[Seat]] = ()  # who was garbled in each take up to this; () where none is retaken
    garbled: bool = False  # True: it is dropped for that, so nothing can be said about the task

    @property
    def scored(self) -> bool:
        """Whether anything can be said about the task."""
        return self.healthy and not self.garbled

    def text(self, seat: Seat) -> str:
        """Return all that a seat says."""
        return " ".join(line.text for line in self.lines if line.seat == seat)

    def heard(self) -> list[Line]:
        """Return the lines with what an ASR heard as their text; empty where none has listened."""
        return [Said(ln.seat, ln.start, ln.heard) for ln in self.lines if ln.heard is not None]

    def sheet(self, seat: Seat) -> Sheet | None:
        """Return what a seat was told, as fields; None for agents that were given prose only."""
        return self.spec.seat(seat).prompt.sheet

    def anchor(self) -> Seat | None:
        """Return the bridge seat that plays the scored role, or None in a symmetric scenario."""
        anchor = self.scenario.anchor
        return None if anchor is None else self.spec.seat_of_role(anchor)

    def speaker(self, line_id: str) -> Seat | None:
        """Return who speaks the line with an id such as `B3`; speaker A is the opener."""
        letter = line_id[:1].upper()
        return {"A": self.spec.opener, "B": other(self.spec.opener)}.get(letter)

    def onset(self, line_id: str | None) -> int | None:
        """Return the onset in ticks of a line, or None if there is no such line.

        A line's number counts its seat's segments from 1.
        """
        if line_id is None or not re.fullmatch(r"[ABab][1-9]\d{0,5}", line_id):
            return None
        seat = self.speaker(line_id)
        starts = self.segments[seat][:, 0] if seat else ()
        index = int(line_id[1:]) - 1
        return int(starts[index]) if index < len(starts) else None


def seconds(ticks: float) -> float:
    """Return ticks as seconds, exact to the hundredth: equal ticks give equal numbers."""
    return round(ticks * TICK_S, 2)


def words_found(text: str, heard: str, lang: str = "en") -> Count:
    """Return how many words of a text, of more than three characters, also occur in what an ASR heard.

    Low shares mark garbled audio (DyaFDB's check of one of its models). Where words are not spaced, pairs of
    characters take the place of words.
    """
    known = set(_telling(heard, lang))
    long = _telling(text, lang)
    return Count(sum(word in known for word in long), len(long))


def _telling(text: str, lang: str) -> list[str]:
    words = tokens(text, lang)
    pairs = [f"{a}{b}" for a, b in pairwise(words) if CJK.fullmatch(a) and CJK.fullmatch(b)]
    return pairs + [word for word in words if len(word) > 3]
