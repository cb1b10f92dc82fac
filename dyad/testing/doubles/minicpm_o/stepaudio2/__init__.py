"""The vocoder: speech tokens come out as sound, 40 ms each, three tokens and 160 ms late.

What its flow remembers of a stream are views of its own buffers, as upstream's: the next call fills them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import soundfile
import torch

LOOKAHEAD = 3  # tokens
TOKEN = 960  # samples at 24 kHz
FRAMES = 2  # of the spectrum in a token, 20 ms each
KEPT, MOST = 100, 1_000  # frames that a stream remembers beside its voice, and that there is room for
HELD = 3_840  # samples: eight frames of the spectrum
SILENT = 4218  # the token of silence


class Flow:
    """Says a token at half its level, over the hum of the voice and over noise drawn when it was made."""

    pre_lookahead_len = LOOKAHEAD

    def __init__(self) -> None:
        self._noise = (1e-4 * torch.randn(TOKEN)).numpy()
        self._att_cache_buffer, self._cnn_cache_buffer = torch.zeros(MOST), torch.zeros(1)

    def setup_cache(self, pitch: float, frames: int) -> dict[str, torch.Tensor]:
        """Remember a voice: every frame of it has its pitch, in Hz."""
        return self._remembered(torch.full((frames,), pitch), 0.0)

    def inference_chunk(self, tokens: Sequence[Any], cache: dict[str, torch.Tensor]) -> tuple[Any, Any]:
        """Return the sound of tokens, float32 [n], and what is remembered then."""
        past, hummed = cache["estimator_att_cache"], float(cache["estimator_cnn_cache"])
        pitch = float(past[0])
        sounds = [self._sound(token, pitch, hummed + TOKEN * i) for i, token in enumerate(tokens)]
        cache = self._remembered(
            torch.cat([past, torch.full((FRAMES * len(tokens),), pitch)]), hummed + TOKEN * len(tokens)
        )
        return np.concatenate([np.zeros(0, np.float32), *sounds]), cache

    def _remembered(self, frames: torch.Tensor, hummed: float) -> dict[str, torch.Tensor]:
        self._att_cache_buffer[: len(frames)] = frames
        self._cnn_cache_buffer[0] = hummed
        return {
            "estimator_att_cache": self._att_cache_buffer[: len(frames)],
            "estimator_cnn_cache": self._cnn_cache_buffer,
        }

    def _sound(self, token: Any, pitch: float, hummed: float) -> Any:
        if isinstance(token, int):
            return np.zeros(TOKEN, np.float32)
        at = hummed + np.arange(TOKEN)
        return token + self._noise + 0.1 * np.sin(2 * np.pi * pitch * at / 24_000, dtype=np.float32)


class Token2wav:
    """A token is what the model heard 40 ms of; the voice hums along, at its own pitch."""

    def __init__(self, model_path: str, float16: bool = False, n_timesteps: int = 10) -> None:
        self.flow = Flow()
        self.cache: tuple[float, int] | None = None
        self.stream_cache: dict[str, torch.Tensor] | None = None
        self.hift_cache_dict: dict[str, Any] = {}

    def set_stream_cache(self, prompt_wav: str) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """Return the state in which every turn of a voice begins."""
        self.cache = pitch, frames = _prepared(prompt_wav)
        hift_cache_dict = {"first_chunk": True, "speech": np.zeros(0, np.float32)}
        return self.flow.setup_cache(pitch, frames), hift_cache_dict

    def stream(self, tokens: Sequence[Any], prompt_wav: str, last_chunk: bool = False) -> bytes:
        """Return the sound of all tokens but the last three, or of all that is left, as 16-bit PCM."""
        if self.cache is None:
            self.cache = _prepared(prompt_wav)
        if self.stream_cache is None:
            raise ValueError("stream_cache is not set")
        if not last_chunk and len(tokens) <= LOOKAHEAD:
            raise ValueError("Non-final chunk requires fresh tokens plus three lookahead tokens")
        fresh = tokens if last_chunk else tokens[:-LOOKAHEAD]
        sound, self.stream_cache = self.flow.inference_chunk(fresh, self.stream_cache)
        past, voice = self.stream_cache["estimator_att_cache"], self.cache[1]
        if len(past) > voice + KEPT:
            self.stream_cache["estimator_att_cache"] = torch.cat([past[:voice], past[-KEPT:]])
        return self._late(sound, last_chunk)

    def _late(self, sound: Any, last_chunk: bool) -> bytes:
        state = self.hift_cache_dict
        known = np.concatenate([state["speech"], sound])
        out = known if last_chunk else known[:-HELD]
        if state["first_chunk"] and not last_chunk:
            out = np.concatenate([np.zeros(HELD, np.float32), out])
        self.hift_cache_dict = {"first_chunk": False, "speech": known[max(0, len(known) - HELD) :]}
        return bytes((np.clip(out, -1.0, 1.0) * 32767).astype("<i2").tobytes())


def _prepared(prompt_wav: str) -> tuple[float, int]:
    """Return the pitch of a voice in Hz, and how many frames its recording has."""
    voice, rate = soundfile.read(prompt_wav, dtype="float32")
    return 100.0 + 100.0 * float(np.abs(voice).max()), FRAMES * int(25 * len(voice) / rate)
