"""Small folders of Full-Duplex-Bench: noise bursts, notes as the authors' samples have them, trials."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from dyad.spec.suite import Stimulus
from dyad.suites.protocol import Chunk, Sound, Trial

RATE = 16_000
PAUSE = [{"text": "[PAUSE]", "timestamp": [3.319999999999993, 4.0]}]
TURN = [{"text": "[TURN-TAKING]", "timestamp": [2.0100000000000016, 2.400000000000002]}]
INTERRUPT = [{"context": "Books?", "interrupt": "Fiction?", "timestamp": [10.530666666666667, 13.144]}]
METADATA = {"context_text": "In town?", "current_turn_text": "Food?", "timestamps": [7.275, 11.467]}
SETS: dict[str, tuple[str, Any, float]] = {  # the note of each set, what it says, and seconds of sound
    "candor_pause_handling": ("pause.json", PAUSE, 4.72),
    "candor_turn_taking": ("turn_taking.json", TURN, 10.4),
    "icc_backchannel": ("transcription.json", [], 3.0),
    "synthetic_pause_handling": ("pause.json", PAUSE, 4.72),
    "synthetic_user_interruption": ("interrupt.json", INTERRUPT, 28.16),
}
OVERLAPS = ("background_speech", "talking_to_other", "user_backchannel", "user_interruption")


def burst(seconds: float, rate: int = RATE, seed: int = 0) -> NDArray[np.int16]:
    """Noise in the middle half of silence: int16 [N]."""
    size = round(seconds * rate)
    pcm = np.random.default_rng(seed).integers(-8000, 8000, size, dtype=np.int16)
    pcm[: size // 4] = 0
    pcm[size - size // 4 :] = 0
    return pcm


def wav(
    path: Path, seconds: float = 1.0, rate: int = RATE, channels: int = 1, subtype: str = "PCM_16"
) -> Path:
    """Write a burst, the same in all channels."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pcm = burst(seconds, rate)
    soundfile.write(path, np.stack([pcm] * channels, axis=1), rate, subtype=subtype, format="WAV")
    return path


def put(path: Path, content: Any) -> Path:
    """Write JSON; texts and bytes as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = content if isinstance(content, bytes) else str(content).encode()
    path.write_bytes(raw if isinstance(content, bytes | str) else json.dumps(content).encode())
    return path


def clip_v1(root: Path, task: str, name: str = "1", rate: int = RATE) -> Path:
    """Make one clip of a set of v1.0."""
    note, content, seconds = SETS[task]
    put(root / task / name / note, content)
    wav(root / task / name / "input.wav", seconds, rate)
    return root / task / name


def clip_v15(root: Path, task: str, name: str = "1") -> Path:
    """Make one clip of a set of v1.5; the twin is shorter."""
    put(root / task / name / "metadata.json", METADATA)
    wav(root / task / name / "input.wav", 12.0)
    wav(root / task / name / "clean_input.wav", 9.0)
    return root / task / name


def sound(
    words: Sequence[Chunk] | None = (), seconds: float = 1.0, rate: int = RATE, pcm: Any = None
) -> Sound:
    """One channel with words; nothing is known of its speech."""
    none = np.zeros(0, np.float32)
    heard = None if words is None else tuple(words)
    return Sound(burst(seconds, rate, seed=1) if pcm is None else pcm, rate, heard, none, none)


def trial(stimulus: Stimulus, words: Sequence[Chunk] | None = (), **sounds: Any) -> Trial:
    """A trial in which the model said words; sounds by the names of a trial's fields, else short bursts."""
    clean = {"clean": sound(), "clean_user": sound()} if stimulus.kind == "overlap" else {}
    return Trial(stimulus, **({"model": sound(words), "user": sound()} | clean | sounds))
