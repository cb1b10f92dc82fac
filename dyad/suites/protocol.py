"""What a suite is: stimuli, and how a model's answer to one of them is judged and scored.

A suite's module exports a `SuiteFamily`; plug-ins register theirs under the entry point `dyad.suites`.
Times of trials are seconds of the stimulus: 0 is when the model hears its first sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.judge.case import Excerpt
from dyad.measure.catalogue import Measure
from dyad.spec import Label
from dyad.spec.suite import Kind, Stimulus, SuiteSettings
from dyad.speech.words import Chunk as Chunk

Mode = Literal["compat", "strict"]
Before = Literal["pre", "clean"]
Status = Literal["scored", "invalid", "missing", "error"]

NO_TRANSCRIPT, ASR_FAILED = "no transcript", "asr_failed"  # why nothing is known of what was said
INVALID = "invalid"  # so begins the reason of a trial whose files contradict themselves


@dataclass(frozen=True)
class Sound:
    """One channel on the stimulus clock: int16 [N] at `rate`, and the words of it; None: nobody has heard it.

    `probs` are Silero's speech probabilities of windows of 512 samples at 16 kHz. `as_read` are those of a
    file whose samples were taken for 16 kHz whatever its rate, as one of the authors' scripts does; the same
    where the rate is 16 kHz. `whole`: the words are known to be those of the whole channel; transcripts of
    others begin where their suite's scripts begin to listen.
    """

    pcm: NDArray[np.int16]
    rate: int
    words: tuple[Chunk, ...] | None
    probs: NDArray[np.float32]
    as_read: NDArray[np.float32]
    whole: bool = False

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.pcm) / self.rate


@dataclass(frozen=True)
class Trial:
    """A stimulus and what the model made of it; `clean`: the same without the overlap, where that belongs.

    `user` and `clean_user` are what was played. `tail_cut_s`: what was recorded beyond the scored time.
    `answer` is the file of a recorded system's answer. `fault`: what is wrong with the files of the trial, so
    that it has no score in either mode; it begins with what becomes of it.
    """

    stimulus: Stimulus
    model: Sound
    user: Sound
    clean: Sound | None = None
    clean_user: Sound | None = None
    tail_cut_s: float = 0.0
    answer: Path | None = None
    fault: str = ""


class Scored(NamedTuple):
    """A number of a trial: `value` over `n` as in `dyad.measure.scores`; None is missing, for a `reason`."""

    measure: str
    value: float | None
    n: float = 1.0
    observed: bool = True
    reason: str = ""


class Exported(NamedTuple):
    """What was written: a folder per trial, `<set>/<clip>`, and the transcripts that there are none of.

    The authors' scripts leave a clip without its transcripts out, or stop there.
    """

    folders: tuple[str, ...]
    untranscribed: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """A measure after an overlap against `before`. All numbers are None where they cannot be had.

    `n_rows` samples were compared; `n_valid` had both values, `n_used` of them were no outliers. `diff` is
    the mean of after − before with its 95 % interval, `d_z` its mean over its standard deviation.
    """

    measure: str
    before: Before
    n_rows: int
    n_valid: int
    n_used: int
    mean_before: float | None = None
    mean_after: float | None = None
    diff: float | None = None
    low: float | None = None
    high: float | None = None
    t: float | None = None
    p: float | None = None
    p_holm: float | None = None
    d_z: float | None = None
    reliable: bool | None = None
    note: str = ""

    @property
    def df(self) -> int:
        """Degrees of freedom of t."""
        return self.n_used - 1


Sample = Mapping[str, float | None]  # values of a stimulus by measure
Average = Callable[[Sequence[float | None]], float | None]
Test = Callable[[Sequence[Sample], Mode, Mapping[str, bool]], Sequence[Compared]]
Export = Callable[[Iterable[Trial], Path, bool], Exported]


@dataclass(frozen=True)
class SuiteFamily:
    """A kind of suite.

    `stimuli` reads its data; the path is a folder of the store where a suite may keep what it makes itself.
    Raises ConfigError where there is nothing to play. `excerpt` is what judges are shown of a trial of the
    kinds that are `asked` about. `score` gives the numbers of a trial by one mode, from the labels of one
    judge; those of measures that are not `judged` do not depend on them. `better` says +1 or −1 of a
    measure that is wanted in some kinds and not in others. `flags` are the authors' bugs that can be switched
    off, with what each does. `averages` are how the authors average a measure, where that is not the mean;
    `population_sd` are the (kind, measure) beside whose mean they print an sd, with ddof 0. `test` is what a
    suite tests within an agent. `export` writes trials into a new folder in the form of the suite; its last
    argument asks for transcripts cropped as the authors' are. `given` are the files beside a recorded answer
    that hold labels.
    """

    name: str
    about: str
    stimuli: Callable[[SuiteSettings, Path], Sequence[Stimulus]]
    score: Callable[[Trial, Sequence[Label], Mode, Mapping[str, bool]], Sequence[Scored]]
    excerpt: Callable[[Trial], Excerpt]
    measures: Mapping[str, Measure]
    judged: frozenset[str] = frozenset()  # the measures that rest on labels
    better: Mapping[tuple[str, str], int] = field(default_factory=dict)  # of (kind, measure)
    flags: Mapping[str, str] = field(default_factory=dict)
    given: Callable[[Path | None], Sequence[Path]] = field(default=lambda answer: ())
    off: frozenset[str] = frozenset()  # the flags that are off unless asked for
    asked: frozenset[Kind] = frozenset()
    rubric: str = ""
    averages: Mapping[str, Average] = field(default_factory=dict)
    population_sd: frozenset[tuple[str, str]] = frozenset()
    test: Test | None = None
    export: Export | None = None

    def measure_of(self, kind: str, name: str) -> Measure:
        """Return a measure as a kind of stimulus has it; raises KeyError for an unknown one."""
        measure = self.measures[name]
        return measure._replace(better=self.better.get((kind, name), measure.better))
