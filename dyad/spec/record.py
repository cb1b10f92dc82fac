"""What stages write beside a recording: text, words, segments, judgments, manifest."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from pydantic import Field

from .base import Frozen, Ms, Seat

TextKind = Literal["own", "heard", "event"]


class Piece(Frozen):
    """A piece of an agent's own text stream. `at` = sample (24 kHz) of the first sound it belongs to."""

    seat: Seat
    at: int
    s: str
    kind: TextKind = "own"
    suppressed: bool = False  # produced in the opener's lead-in: logged, left out of transcripts


class Word(Frozen):
    """A word that an ASR heard on one channel, in samples at 24 kHz."""

    seat: Seat
    start: int
    end: int
    s: str
    conf: float | None = None


class Segment(Frozen):
    """A voice-activity segment of one channel, in ticks: [start, end)."""

    seat: Seat
    start: int
    end: int


class Evidence(Frozen):
    """A cited transcript line and a verbatim quote from it."""

    line: str
    quote: str


class Label(Frozen):
    """A judge's answer to one closed question about one run or one seat.

    `label` None means missing, never "no"; `status` says why. `fields` holds the question's further
    answers (line ids, price, met cues).
    """

    question: str
    seat: Seat | None = None  # None: the answer is about the pair
    label: str | None
    status: str = "ok"
    evidence: tuple[Evidence, ...] = ()
    fields: dict[str, Any] = Field(default_factory=dict)


class Health(Frozen):
    """What the health gate found; a run with problems is kept and reported, and not judged."""

    problems: tuple[str, ...] = ()
    peak: tuple[float, float] = (0.0, 0.0)
    rms: tuple[float, float] = (0.0, 0.0)
    speech: tuple[float, float] = (0.0, 0.0)  # share of ticks with energy above the VAD threshold

    @property
    def ok(self) -> bool:
        """Whether the run may be judged."""
        return not self.problems


class SeatReport(Frozen):
    """What the bridge counted for one seat."""

    under_runs: int = 0
    flushes: int = 0
    dropped_ms: float = 0.0  # audio still queued at the end of the recording
    lag_ms: Ms = Fraction(0)
    chunk_ms: Ms = Fraction(0)
    text_pieces: int = 0
    finished: bool = False
    numerics: dict[str, str] = Field(default_factory=dict)  # what of the machine could change the last bits


class Manifest(Frozen):
    """How a run was made. Nothing here is part of its identity."""

    id: str
    dyad: str
    created_utc: str
    ticks: int
    wall_s: float
    lanes: int
    lane: int
    clock: str
    late_ticks: int = 0
    timing_valid: bool = True
    deterministic: bool = True
    seats: dict[Seat, SeatReport]
    health: Health
    files: dict[str, str]  # file name → sha256
    host: dict[str, str] = Field(default_factory=dict)
