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
from dyad.errors import ConfigError
from dyad.spec import TICK, Frozen, Prompt


class PlaybackParams(Frozen):
    """Which file is played, from when, and how loud."""

    path: str = ""  # WAV or FLAC; empty: each row plays the file that its voice names
    channel: int | None = Field(default=None, ge=0)  # needed for a file of several channels; 0 is the first
    gain: float = Field(default=1.0, ge=0, le=100)  # linear
    start_tick: int = Field(default=0, ge=0)  # silence before the file begins
    loop: bool = False


class RecordedParams(PlaybackParams):
    """Of a suite's folders: the sound `stem`.wav, whose words may lie beside it in `stem`.json."""

    stem: str = Field(default="output", pattern=r"^[A-Za-z0-9_-]{1,40}$")


class Playback(Plain):
    """Plays a file to every row, then silence (or the file again); never reports that it has finished."""

    caps = Caps("playback", voice="wav", flags=INSTRUMENT)

    def __init__(self, params: PlaybackParams) -> None:
        self._params, self._pcm = params, dict[str, Floats]()

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Read the file of all rows, if there is one; raises ConfigError when it cannot be played."""
        if self._params.path:
            self._file("")

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows at the beginning; raises ConfigError for a voice that cannot be played."""
        self._files = [self._file(voice) for voice in voices]
        self._age = np.zeros(len(prompts), np.int64)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Return the next tick of every row's file; what is heard changes nothing."""
        said = np.stack([self._sound(pcm, int(age)) for pcm, age in zip(self._files, self._age, strict=True)])
        self._age += 1
        return Out(said)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start a file again for one row."""
        self._files[row] = self._file(voice)
        self._age[row] = 0

    def close(self) -> None:
        """Forget the files of rows; the file of all rows stays."""
        self._pcm = {path: pcm for path, pcm in self._pcm.items() if path == self._params.path}
        self._files = []

    def _file(self, voice: str) -> Floats:
        path = voice or self._params.path
        if path not in self._pcm:
            self._pcm[path] = _read(self._params, path) * np.float32(self._params.gain)
        return self._pcm[path]

    def _sound(self, pcm: Floats, age: int) -> Floats:
        said = np.zeros(TICK, np.float32)
        start = (age - self._params.start_tick) * TICK
        if start < 0:
            return said
        if self._params.loop:
            return pcm[(start + np.arange(TICK)) % len(pcm)]
        part = pcm[start : start + TICK]
        said[: len(part)] = part
        return said


def _read(params: PlaybackParams, path: str) -> Floats:
    if not path:
        raise ConfigError(
            "agent 'playback' has nothing to play; set agent.playback.path, or its voice, to a file"
        )
    # what a suite scores is played as far as it goes; it will be invalid there
    return read_mono(Path(path), params.channel, part=isinstance(params, RecordedParams))


def _assets(params: Mapping[str, Any], voice: str) -> dict[str, str]:
    """Return the file's sha256, after reading it as `load` will: a plan refuses what cannot be played."""
    wanted = PlaybackParams(**{name: params[name] for name in PlaybackParams.model_fields if name in params})
    path = voice or wanted.path
    _read(wanted, path)
    return {"voice" if voice else "sound": hashlib.sha256(Path(path).read_bytes()).hexdigest()}


def _family(name: str, params: type[PlaybackParams], about: str) -> Family:
    def caps(given: Mapping[str, Any]) -> Caps:
        params(**given)
        return Playback.caps

    return Family(
        name=name,
        params=params,
        caps=caps,
        make=lambda given: Playback(params(**given)),
        render=lambda prompt: "",
        assets=_assets,
        local=("path",),
        about=about,
    )


FAMILY = _family("playback", PlaybackParams, "plays an audio file, whatever it hears")
RECORDED = _family("recorded", RecordedParams, "what another system said to a suite's stimuli")
