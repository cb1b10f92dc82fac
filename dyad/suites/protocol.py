"""What a suite is: stimuli, and how a model's answer to one of them is judged and scored.

A suite's module exports a `SuiteFamily`; plug-ins register theirs under the entry point `dyad.suites`.
Times of trials are seconds of the stimulus: 0 is when the model hears its first sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.judge.case import Excerpt
from dyad.measure.catalogue import Measure
from dyad.spec import Label
from dyad.spec.suite import Stimulus, SuiteSettings

Mode = Literal["compat", "strict"]
Status = Literal["scored", "invalid", "missing", "error"]


class Chunk(NamedTuple):
    """A word as a transcript file has it: times in seconds, either of which may be missing."""

    text: str
    start: float | None
    end: float | None


@dataclass(frozen=True)
class Sound:
    """One channel on the stimulus clock: int16 [N] at `rate`, and the words of it; None: nobody has heard it.

    `probs` are Silero's speech probabilities of windows of 512 samples at 16 kHz. `as_read` are those of a
    file whose samples were taken for 16 kHz whatever its rate, as one of the authors' scripts does; the same
    where the rate is 16 kHz.
    """

    pcm: NDArray[np.int16]
    rate: int
    words: tuple[Chunk, ...] | None
    probs: NDArray[np.float32]
    as_read: NDArray[np.float32]

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.pcm) / self.rate


@dataclass(frozen=True)
class Trial:
    """A stimulus and what the model made of it; `clean`: the same without the overlap, where that belongs.

    `user` and `clean_user` are what was played. `tail_cut_s`: what was recorded beyond the scored time.
    """

    stimulus: Stimulus
    model: Sound
    user: Sound
    clean: Sound | None = None
    clean_user: Sound | None = None
    tail_cut_s: float = 0.0


class Scored(NamedTuple):
    """A number of a trial: `value` over `n` as in `dyad.measure.scores`; None is missing, for a `reason`."""

    measure: str
    value: float | None
    n: float = 1.0
    observed: bool = True
    reason: str = ""


@dataclass(frozen=True)
class SuiteFamily:
    """A kind of suite.

    `stimuli` reads its data; the path is a folder of the store where a suite may keep what it makes itself.
    Raises ConfigError where there is nothing to play. `excerpt` is what judges are asked about a trial, None
    where there is nothing to ask. `score` gives the numbers of a trial by one mode, from the labels of one
    judge; `flags` are the authors' bugs that can be switched off, with what each does.
    """

    name: str
    about: str
    stimuli: Callable[[SuiteSettings, Path], Sequence[Stimulus]]
    score: Callable[[Trial, Sequence[Label], Mode, Mapping[str, bool]], Sequence[Scored]]
    measures: Mapping[str, Measure]
    flags: Mapping[str, str] = field(default_factory=dict)
    excerpt: Callable[[Trial], Excerpt | None] = field(default=lambda trial: None)
    rubric: str = ""
    published: str = ""  # the file of published tables
