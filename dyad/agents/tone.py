"""`tone`: speaks a known signal at known ticks. An oracle: what must be measured is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from dyad.bridge.protocol import INSTRUMENT, Caps, Family, Floats, Ints, Out, Plain, Text
from dyad.errors import ConfigError
from dyad.spec import RATE, TICK, Frozen, Prompt


class ToneParams(Frozen):
    """When the tone sounds, in ticks since the row began, and what it sounds like."""

    pattern: tuple[tuple[int, int], ...] = ((0, 10),)  # [start, end) of each burst
    period_ticks: int | None = Field(default=None, gt=0)  # the pattern starts again after this
    freq_hz: float = Field(default=440.0, gt=0, lt=RATE / 2)
    level: float = Field(default=0.1, ge=0, le=1)  # peak
    am_hz: float = Field(default=0.0, ge=0, le=100)  # loudness swings between 0 and `level`, as syllables do

    @model_validator(mode="after")
    def _ordered(self) -> ToneParams:
        ticks = [tick for burst in self.pattern for tick in burst]
        if (
            any(start >= end for start, end in self.pattern)
            or ticks != sorted(ticks)
            or min(ticks, default=0) < 0
        ):
            raise ConfigError(
                "tone: pattern must be a rising list of [start, end) ticks from 0, e.g. [[0, 10], [20, 30]]"
            )
        if self.period_ticks is not None and max(ticks, default=0) > self.period_ticks:
            raise ConfigError(
                f"tone: pattern ends after period_ticks={self.period_ticks}; raise period_ticks"
            )
        return self


class Tone(Plain):
    """Sounds in the bursts of its pattern, with the text `tone` where each one starts."""

    caps = Caps("tone", flags=INSTRUMENT)

    def __init__(self, params: ToneParams) -> None:
        self._params = params

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows at the beginning of the pattern."""
        self._age = np.zeros(len(prompts), np.int64)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Return one tick of the pattern for every row; what is heard changes nothing."""
        ages, of_row = np.unique(self._age, return_inverse=True)
        pcm = np.stack([self._sound(int(age)) for age in ages])[of_row]
        starts = np.array(
            [self._place(int(age)) in {start for start, _ in self._params.pattern} for age in ages]
        )
        self._age += 1
        return Out(pcm, [Text(int(row), tick * TICK, "tone ") for row in np.flatnonzero(starts[of_row])])

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start the pattern of a row again."""
        self._age[row] = 0

    def _place(self, age: int) -> int:
        """Return the tick of the pattern that a row of this age in ticks is at."""
        return age % self._params.period_ticks if self._params.period_ticks else age

    def _sound(self, age: int) -> Floats:
        params, place = self._params, self._place(age)
        if not any(start <= place < end for start, end in params.pattern):
            return np.zeros(TICK, np.float32)
        phase = 2 * np.pi * (age * TICK + np.arange(TICK)) / RATE
        loudness = (1 - np.cos(params.am_hz * phase)) / 2 if params.am_hz else 1.0
        return (params.level * loudness * np.sin(params.freq_hz * phase)).astype(np.float32)


def _caps(params: Mapping[str, Any]) -> Caps:
    ToneParams(**params)
    return Tone.caps


FAMILY = Family(
    name="tone",
    params=ToneParams,
    caps=_caps,
    make=lambda params: Tone(ToneParams(**params)),
    render=lambda prompt: "",
    about="speaks a known signal at known ticks",
)
