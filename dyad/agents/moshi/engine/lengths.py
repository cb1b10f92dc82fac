"""How long the prompts of a row are, counted without loading a model, and without torch where none is needed.

A plan asks for it, and importing torch would take most of its time.
"""

from __future__ import annotations

from pathlib import Path

import soundfile

from dyad.agents.moshi.voice_files import VoiceFile, find_voice
from dyad.audio import check_whole, facts, unreadable
from dyad.spec.base import RATE, TICK

SPACER = 6  # frames of silence after the voice and after the text: 0.5 s, rounded down
DRAWN_FRAMES = 8  # of a voice that random weights draw


def length(voice_frames: int, tokens: int) -> int:
    """Return how many frames a prompt takes whose voice and text have so many frames and tokens."""
    return voice_frames + SPACER + tokens + SPACER


def voice_frames(voice: str, folder: Path | None) -> int:
    """Return how many frames a voice lasts, by its file's own account; raises ConfigError for a bad file."""
    if not voice:
        return 0
    file = find_voice(voice, folder)
    if file is None:
        return DRAWN_FRAMES
    if file.is_sound:
        return _sound_frames(file)
    return _embedded_frames(file)


def _embedded_frames(file: VoiceFile) -> int:
    from .embeddings import opened

    embeddings, _ = opened(file.read(), str(file))
    return len(embeddings) + 1  # a voice file has those of all frames but the last


def _sound_frames(file: VoiceFile) -> int:
    try:
        held = facts(file.read())
    except soundfile.LibsndfileError as error:
        raise unreadable(file, error) from None
    check_whole(file, held)
    return -(-held.frames * RATE // (held.rate * TICK))
