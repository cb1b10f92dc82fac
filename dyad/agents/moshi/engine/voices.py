"""Voices for a system prompt: from a voice file, from a sound file through Mimi, or drawn by name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import soundfile
import torch
from moshi.models.compression import MimiModel
from moshi.models.lm import LMModel
from scipy.signal import resample_poly
from torch import Tensor

from dyad.agents.moshi.architecture import STREAMS
from dyad.agents.moshi.voice_files import find_voice
from dyad.audio import Floats, check_whole, decoded, unreadable
from dyad.errors import ConfigError
from dyad.spec.base import RATE, TICK

from .embeddings import RING, opened
from .graphs import plainly
from .lengths import DRAWN_FRAMES
from .system_prompt import NO_VOICE, Voice, prompted
from .weights import Loaded
from .words import PAD

LOUDNESS_LUFS = -24.0  # at which PersonaPlex was given its voices


def load_voice(voice: str, loaded: Loaded) -> Voice:
    """Return a voice by name or file, see `find_voice`; "" is no voice, and random weights draw theirs.

    Raises ConfigError when there is no such voice, or when its file does not hold one that fits the model.
    """
    if not voice:
        return NO_VOICE
    file = find_voice(voice, loaded.voices)
    if file is None:
        return drawn_voice(voice.removesuffix(".pt"), loaded.lm.card)
    if file.is_sound:
        return _said(encode(loaded.new_mimi(), normalised(file.read(), str(file))), loaded.lm.card)
    return read_voice(file.read(), str(file), loaded.lm)


def _said(codes: Tensor, card: int) -> Voice:
    return Voice(prompted(codes, torch.full((codes.shape[1],), PAD), card))


def drawn_voice(name: str, card: int) -> Voice:
    """Return what random weights have as the voice of a name: 8 frames of `card` codes, always the same."""
    drawn = hashlib.shake_128(name.encode()).digest(STREAMS * DRAWN_FRAMES * 2)
    codes = np.frombuffer(drawn, "<u2").reshape(STREAMS, DRAWN_FRAMES) % card
    return _said(torch.from_numpy(codes.astype(np.int64)), card)


def read_voice(data: bytes, where: str, lm: LMModel) -> Voice:
    """Return the voice of a `.pt` file of T frames as NVIDIA's personaplex saves it.

    It holds the embeddings of positions 0 … T - 2, float [T - 1, 1, 1, dim], and the last four positions of
    the token grid as a ring, int64 [1, 17, 4]. Raises ConfigError, naming `where`, for any other content.
    """
    embeddings, ring = opened(data, where)
    if embeddings.shape[1] != lm.dim:
        raise ConfigError(
            f"{where} is a voice of width {embeddings.shape[1]}, the model has {lm.dim}; take one of its own"
        )
    voice = Voice(_last_frames(ring, lm.delays, len(embeddings) + 1), embeddings)
    if not _known(voice.frames, lm) or not embeddings.isfinite().all():
        raise ConfigError(f"{where} holds codes or numbers that the model does not know; fetch it again")
    return voice


def _last_frames(ring: Tensor, delays: Sequence[int], frames: int) -> Tensor:
    """Return int64 [17, frames]: the last two frames as a ring of positions has them, zeros before."""
    found = torch.zeros(len(ring), frames, dtype=torch.long)
    for frame in (frames - 2, frames - 1):
        at = (frame + torch.as_tensor(delays)) % RING
        found[:, frame] = ring.gather(1, at[:, None])[:, 0]
    return found


def _known(frames: Tensor, lm: LMModel) -> bool:
    """Whether every token is one that the model has an embedding for, start tokens included."""
    most = torch.full((len(frames), 1), lm.card)
    most[0] = lm.text_card
    return bool(((frames >= 0) & (frames <= most)).all())


def normalised(data: bytes, where: str) -> Floats:
    """Return a sound file as float32 [N] at 24 kHz, mono, at -24 LUFS, as PersonaPlex wants a voice.

    Loudness: ITU-R BS.1770-4, gated. Raises ConfigError, naming `where`, when the file cannot be read or when
    its loudness is undefined (shorter than 0.4 s, silent, not finite), and when pyloudnorm is missing.
    """
    try:
        from pyloudnorm import Meter
    except ImportError as error:
        raise ConfigError('a voice from a sound file needs pyloudnorm: pip install ".[moshi]"') from error
    try:
        pcm, held = decoded(data)
    except soundfile.LibsndfileError as error:
        raise unreadable(where, error) from error
    check_whole(where, held)
    mono = pcm.mean(axis=1, dtype=np.float64)
    common = int(np.gcd(held.rate, RATE))
    wanted = resample_poly(mono, RATE // common, held.rate // common)
    meter = Meter(RATE)
    loudness = -np.inf
    if len(wanted) >= meter.block_size * RATE and np.isfinite(wanted).all():
        loudness = float(meter.integrated_loudness(wanted))
    if not np.isfinite(loudness):
        raise ConfigError(f"{where} has no loudness; give at least 0.4 s of speech, about 10 s is good")
    gain = 10 ** ((LOUDNESS_LUFS - loudness) / 20)
    return np.asarray(wanted * gain, np.float32)


@torch.no_grad()
def encode(mimi: MimiModel, pcm: Floats) -> Tensor:
    """Return the codes int64 [8, T] of a sound at 24 kHz, its last frame padded with zeros.

    Frame by frame, as the model hears: longer pieces lead to other codes. `mimi` must not be streaming.
    """
    frames = torch.from_numpy(np.pad(pcm, (0, -len(pcm) % TICK))).to(next(mimi.parameters()))
    with mimi.streaming(1), plainly():
        codes = [mimi.encode(frame[None, None])[0].cpu() for frame in frames.reshape(-1, TICK)]
    return torch.cat(codes, 1)
