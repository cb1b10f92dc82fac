"""A speaker that follows a script: given sentences at given times, spoken by a voice, whatever it hears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from dyad.bridge.protocol import INSTRUMENT, Agent, Caps, Family, Floats, Ints, Out, Plain, Text
from dyad.spec import RATE, TICK, Frozen, Prompt
from dyad.speech.types import Speech, Voice


class Cue(Frozen):
    """One entry of the script: a text and the second at which it begins."""

    at_s: float = Field(ge=0)
    text: str


class ScriptedParams(Frozen):
    """The script and who speaks it. Entries that overlap in time are heard together."""

    voice: Literal["hibari", "piper", "espeak", "flite"] = "hibari"
    preset: str = "low"
    pace: float = Field(default=1.0, gt=0.5, lt=2.0)
    script: tuple[Cue, ...] = ()


Line = tuple[int, Speech]  # first sample at 24 kHz, and what is said from there


class Scripted(Plain):
    """The agent (`dyad.bridge.protocol.Agent`) that speaks one script in every row."""

    def __init__(self, params: ScriptedParams) -> None:
        self._params, self.caps = params, scripted_caps(params)
        self._lines: list[list[Line]] = []
        self._next = 0  # tick of the coming step

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Load the voice, or raise ConfigError when it is not there."""
        self._voice("")

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start B rows; every row's seed changes its sound slightly, never its words."""
        self._next = 0
        self._lines = [self._read(voice, seed) for _, voice, seed in zip(prompts, voices, seeds, strict=True)]

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Ignore what is heard and say the script's next 80 ms, [B, 1920] at 24 kHz."""
        self._next, at = tick + 1, tick * TICK
        return Out(
            pcm=np.stack([_slice(lines, at) for lines in self._lines]),
            text=[Text(row, *word) for row, lines in enumerate(self._lines) for word in _words(lines, at)],
        )

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start one row afresh while the others go on."""
        self._lines[row] = [(self._next * TICK + at, said) for at, said in self._read(voice, seed)]

    def close(self) -> None:
        """End all rows."""
        self._lines = []

    def _voice(self, name: str) -> Voice:
        from dyad.speech.voices import load_voice

        return load_voice(self._params.voice, name or self._params.preset)

    def _read(self, voice: str, seed: int) -> list[Line]:
        speak, rng = self._voice(voice), np.random.default_rng(seed)
        return [
            (round(cue.at_s * RATE), speak(cue.text, int(rng.integers(2**31)), self._params.pace))
            for cue in self._params.script
        ]


def scripted_caps(params: ScriptedParams) -> Caps:
    """Return what a scripted speaker is and can do; loads nothing."""
    return Caps(name="scripted", voice="name", flags=INSTRUMENT, licence="Apache-2.0")


def _slice(lines: Sequence[Line], at: int) -> Floats:
    """Return one tick of the script, [1920], from sample `at`."""
    out = np.zeros(TICK, np.float32)
    for start, speech in lines:
        first, last = max(start, at), min(start + len(speech.pcm), at + TICK)
        if first < last:
            out[first - at : last - at] += speech.pcm[first - start : last - start]
    return out.clip(-1.0, 1.0)


def _words(lines: Sequence[Line], at: int) -> list[tuple[int, str]]:
    """Return (sample, word) for the words that start in the tick at sample `at`."""
    spoken = [(start + word.start, f" {word.s}") for start, speech in lines for word in speech.words]
    return sorted(word for word in spoken if at <= word[0] < at + TICK)


def _make(params: Mapping[str, Any]) -> Agent:
    return Scripted(ScriptedParams(**params))


def _assets(params: Mapping[str, Any], voice: str) -> dict[str, str]:
    from dyad.speech.voices import voice_assets

    wanted = ScriptedParams(**params)
    return voice_assets(wanted.voice, wanted.preset)


FAMILY = Family(
    name="scripted",
    params=ScriptedParams,
    caps=lambda params: scripted_caps(ScriptedParams(**params)),
    make=_make,
    render=lambda prompt: "",
    assets=_assets,
    about="speaks given sentences at given times, whatever it hears",
)
