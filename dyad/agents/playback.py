"""`playback`: plays an audio file, whatever it hears. The partner of fixed-stimulus suites."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from dyad.audio import read_mono
from dyad.bridge.protocol import INSTRUMENT, Caps, Family, Floats, Ints, Out, Plain
from dyad.spec import TICK, Frozen, Prompt


class PlaybackParams(Frozen):
    """Which file is played, from when, and how loud."""

    path: str  # WAV or FLAC at 24 kHz
    channel: int | None = Field(default=None, ge=0)  # needed for a file of several channels; 0 is the first
    gain: float = Field(default=1.0, ge=0, le=100)  # linear
    start_tick: int = Field(default=0, ge=0)  # silence before the file begins
    loop: bool = False


class Playback(Plain):
    """Plays its file to every row, then silence (or the file again); never reports that it has finished."""

    caps = Caps("playback", flags=INSTRUMENT)

    def __init__(self, params: PlaybackParams) -> None:
        self._params = params
        self._pcm = np.zeros(0, np.float32)

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Read the file once; raises ConfigError when it cannot be played."""
        if not self._pcm.size:
            pcm = read_mono(Path(self._params.path), self._params.channel)
            self._pcm = pcm * np.float32(self._params.gain)

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows at the beginning."""
        self._age = np.zeros(len(prompts), np.int64)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Return the next tick of the file for every row; what is heard changes nothing."""
        ages, of_row = np.unique(self._age, return_inverse=True)
        self._age += 1
        return Out(np.stack([self._sound(int(age)) for age in ages])[of_row])

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start the file again for one row."""
        self._age[row] = 0

    def _sound(self, age: int) -> Floats:
        said = np.zeros(TICK, np.float32)
        start = (age - self._params.start_tick) * TICK
        if start < 0:
            return said
        if self._params.loop:
            return self._pcm[(start + np.arange(TICK)) % len(self._pcm)]
        part = self._pcm[start : start + TICK]
        said[: len(part)] = part
        return said


def _caps(params: Mapping[str, Any]) -> Caps:
    PlaybackParams(**params)
    return Playback.caps


def _assets(params: Mapping[str, Any], voice: str) -> dict[str, str]:
    """Return the file's sha256, after reading it as `load` will: a plan refuses what cannot be played."""
    wanted = PlaybackParams(**params)
    path = Path(wanted.path)
    read_mono(path, wanted.channel)
    return {"sound": hashlib.sha256(path.read_bytes()).hexdigest()}


FAMILY = Family(
    name="playback",
    params=PlaybackParams,
    caps=_caps,
    make=lambda params: Playback(PlaybackParams(**params)),
    render=lambda prompt: "",
    assets=_assets,
    local=("path",),
    about="plays an audio file, whatever it hears",
)
