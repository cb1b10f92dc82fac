"""How long the prompts of a row are, counted without loading a model."""

from __future__ import annotations

import io
from pathlib import Path

import soundfile
import torch

from dyad.agents.moshi.engine.voices import DRAWN_FRAMES
from dyad.agents.moshi.voice_files import VoiceFile, find_voice
from dyad.errors import ConfigError
from dyad.spec.base import RATE, TICK


def voice_frames(voice: str, folder: Path | None) -> int:
    """Return how many frames a voice lasts, by its file's own account; raises ConfigError for a bad file."""
    if not voice:
        return 0
    file = find_voice(voice, folder)
    if file is None:
        return DRAWN_FRAMES
    return _sound_frames(file) if file.is_sound else _held_frames(file)


def _sound_frames(file: VoiceFile) -> int:
    try:
        facts = soundfile.info(io.BytesIO(file.read()))
    except soundfile.LibsndfileError as error:
        raise ConfigError(f"{file} cannot be read as audio ({error.error_string}); use WAV or FLAC") from None
    return -(-int(facts.frames) * RATE // (int(facts.samplerate) * TICK))


def _held_frames(file: VoiceFile) -> int:
    """A voice file has the embeddings of all frames but the last."""
    try:
        held = torch.load(io.BytesIO(file.read()), map_location="cpu", weights_only=True)
        return len(held["embeddings"]) + 1
    except Exception as error:  # torch raises whatever the bytes provoke, a dozen types
        raise ConfigError(f"{file} is not a voice file ({type(error).__name__}); fetch it again") from None
