"""`oracle`: answers a known time after the other falls silent. A ruler for what VAD and ASR add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from dyad.bridge.protocol import INSTRUMENT, Caps, Family, Floats, Ints, Out, Plain, Text
from dyad.spec import RATE, TICK, Frozen, Prompt
from dyad.speech.types import Speech, Spoken

FLOOR = 0.004  # -48 dBFS, 22 dB below speech: an answer begins with its first sample that is louder


class OracleParams(Frozen):
    """What it answers, and how long after what it hears. A pause of `delay_s` is the end of a turn."""

    delay_s: float = Field(default=0.5, ge=0.1, le=60)  # from the other's last sound to its own first
    stop_s: float | None = Field(default=0.5, ge=0, le=60)  # when talked into; null: it talks on
    level: float = Field(default=0.0, ge=0, lt=1)  # peak; what is not louder is silence
    text: str = "Let me think about that for a moment, and then I will tell you all that I know about it."
    voice: Literal["hibari", "piper", "espeak", "flite"] = "hibari"
    preset: str = "low"
    pace: float = Field(default=1.0, gt=0.5, lt=2.0)


@dataclass
class _Row:
    """What is said in a row, and when, in samples at 24 kHz since tick 0. A new answer ends an older one."""

    answer: Speech
    due: int | None = None  # when the next answer begins, if the other stays silent until then
    start: int = 0
    end: int = 0


class Oracle(Plain):
    """Says one sentence after each turn of the other, who may be told by exact silence."""

    def __init__(self, params: OracleParams) -> None:
        self._params, self.caps = params, _caps(params)
        self._delay = round(params.delay_s * RATE)
        self._stop = None if params.stop_s is None else round(params.stop_s * RATE)
        self._rows: list[_Row] = []

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Load the voice, or raise ConfigError when it is not there."""
        self._answer("", 0)

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start B rows; every row's seed changes its sound slightly, never its words."""
        self._rows = [_Row(self._answer(voice, seed)) for voice, seed in zip(voices, seeds, strict=True)]

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Hear one tick and say what is due in it, [B, 1920] at 24 kHz."""
        at = tick * TICK
        for row, sound in zip(self._rows, heard, strict=True):
            self._hear(row, at, sound)
        text = [Text(k, start, s) for k, row in enumerate(self._rows) for start, s in _words(row, at)]
        return Out(np.stack([_slice(row, at) for row in self._rows]), text)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start one row afresh while the others go on."""
        self._rows[row] = _Row(self._answer(voice, seed))

    def close(self) -> None:
        """End all rows."""
        self._rows = []

    def _hear(self, row: _Row, at: int, sound: Floats) -> None:
        loud = np.flatnonzero(np.abs(sound) > self._params.level)
        if len(loud):
            row.due = at + int(loud[-1]) + 1 + self._delay
            if at < row.end and self._stop is not None:
                row.end = min(row.end, at + int(loud[0]) + self._stop)
        if row.due is not None and row.due < at + TICK:
            row.start, row.end, row.due = row.due, row.due + len(row.answer.pcm), None

    def _answer(self, voice: str, seed: int) -> Speech:
        from dyad.speech.voices import load_voice

        speak = load_voice(self._params.voice, voice or self._params.preset)
        said = speak(self._params.text, seed, self._params.pace)
        first = int(np.argmax(np.abs(said.pcm) > FLOOR)) if len(said.pcm) else 0
        # The first word begins with the sound.
        starts = [0, *(max(w.start - first, 0) for w in said.words[1:])]
        words = (Spoken(w.s, at, max(w.end - first, at)) for w, at in zip(said.words, starts, strict=False))
        return Speech(said.pcm[first:], tuple(words))


def _slice(row: _Row, at: int) -> Floats:
    """Return one tick of the answer, [1920], from sample `at`."""
    out = np.zeros(TICK, np.float32)
    first, last = max(row.start, at), min(row.end, at + TICK)
    if first < last:
        out[first - at : last - at] = row.answer.pcm[first - row.start : last - row.start]
    return out


def _words(row: _Row, at: int) -> list[tuple[int, str]]:
    """Return (sample, word) for the words of the answer that start in the tick at sample `at`."""
    spoken = [(row.start + word.start, f" {word.s}") for word in row.answer.words]
    return [(start, s) for start, s in spoken if at <= start < min(at + TICK, row.end)]


def _caps(params: OracleParams) -> Caps:
    return Caps("oracle", voice="name", flags=INSTRUMENT, licence="Apache-2.0")


def _assets(params: Mapping[str, Any], voice: str) -> dict[str, str]:
    from dyad.speech.voices import voice_assets

    wanted = OracleParams(**params)
    return voice_assets(wanted.voice, voice or wanted.preset)


FAMILY = Family(
    name="oracle",
    params=OracleParams,
    caps=lambda params: _caps(OracleParams(**params)),
    make=lambda params: Oracle(OracleParams(**params)),
    render=lambda prompt: "",
    assets=_assets,
    about="answers a known time after the other falls silent",
)
