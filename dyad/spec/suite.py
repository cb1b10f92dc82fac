"""Fixed-stimulus suites: one stimulus with what is known about it, and what a command asks of a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from .base import Frozen, Slug

KINDS = ("pause", "backchannel", "turn_taking", "interruption", "overlap")  # in the order of tables
Kind = Slug  # one of these, or a suite's own
CLEAN = ".clean"  # the end of the name of an overlap's twin without the overlap
Span = tuple[float, float]  # seconds of the sound: [start, end]


class Stimulus(Frozen):
    """A sound that the playback partner plays, and what is known about it.

    Times are seconds from the first sample of the sound, as the suite's files have them. `span` is the pause,
    the end of the user's turn, the interruption, or the overlap that the suite asks about. `problem` says why
    it cannot be played or scored, if so: it stays in the plan and is counted as missing, as invalid where its
    file is `damaged`.
    """

    id: Slug  # <task>.<clip>, and .clean at the end of an overlap's twin without the overlap
    task: Slug  # the suite's own name of the set, e.g. candor_pause_handling
    kind: Kind  # which rules score it
    clip: str  # the name of its folder
    folder: str
    sound: str = "input.wav"  # in the folder
    duration_s: float = Field(default=0.0, ge=0)
    span: Span | None = None
    texts: dict[str, str] = Field(default_factory=dict)  # what judges are shown: context, interrupt …
    reference: tuple[float, ...] = ()  # where people put backchannels: probabilities of bins of 0.2 s
    clean: bool = False
    problem: str = ""
    damaged: bool = False

    @property
    def path(self) -> Path:
        """Where the sound lies."""
        return Path(self.folder) / self.sound

    @property
    def clean_id(self) -> str:
        """The twin without the overlap."""
        return f"{self.id}{CLEAN}"


class SuiteSettings(Frozen):
    """What a command asks of a suite. `flags` switch single bugs of the authors' code off in compat mode."""

    name: Slug
    family: str  # the code behind it
    data: str = ""  # the folder of its stimuli; some suites make their own
    references: str = ""  # icc_gt_distribution.json or its folder, where that is not among the data
    tasks: tuple[str, ...] = ()  # empty: all
    limit: int | None = Field(default=None, ge=1)  # stimuli per task
    lead_s: float = Field(default=0.0, ge=0, le=60)  # silence before the stimulus
    tail_s: float = Field(default=0.0, ge=0, le=120)  # silence after it, which is scored too
    prompt: str = ""  # what the model is told
    repetitions: int = Field(default=1, ge=1, le=100)
    lang: str = "en"
    transcripts: Literal["given", "heard"] = "given"  # of recorded outputs: their own files, or our ASR
    flags: dict[str, bool] = Field(default_factory=dict)
