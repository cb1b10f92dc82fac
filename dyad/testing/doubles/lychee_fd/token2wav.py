"""The vocoder: a token of speech becomes 40 ms of a hum, with a peak where the token says, and of breath."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

TOKEN = 960  # samples at 24 kHz
CODES = 6_561
HELD = 3_840  # samples that are held back to cross-fade


class Token2wav:
    """Keeps the state of one stream in `stream_cache` and `hift_cache_dict`.

    As upstream's flow does, it hands out views of a buffer that all streams share: what a stream has not
    copied is overwritten by the next call for another.
    """

    def __init__(self, model_path: str, float16: bool = False) -> None:
        self.flow = SimpleNamespace(pre_lookahead_len=3)
        self.stream_lookahead_len = 3
        self.cache: dict[str, int] = {}
        self.hift_cache_dict: dict[str, Any] = {}
        self._cnn_cache_buffer = torch.zeros(1)  # tokens of the stream

    def set_stream_cache(self, prompt_wav: str) -> None:
        self.cache[prompt_wav] = len(prompt_wav)
        self.stream_cache = self._kept(0.0)
        self.hift_cache_dict = {"speech": torch.zeros(1, 0)}

    def stream(self, generated_speech_tokens: list[int], prompt_wav: str, last_chunk: bool = False) -> bytes:
        if prompt_wav not in self.cache or self.stream_cache is None:
            raise ValueError("stream_cache is not set")
        if not all(0 <= token < CODES for token in generated_speech_tokens):
            raise IndexError("index out of range in self")
        ready = len(generated_speech_tokens) - (0 if last_chunk else self.stream_lookahead_len)
        past = int(self.stream_cache["estimator_cnn_cache"])
        sounds = [_sound(token, past + at) for at, token in enumerate(generated_speech_tokens[:ready])]
        speech = torch.cat([self.hift_cache_dict["speech"], *(sound.unsqueeze(0) for sound in sounds)], dim=1)
        self.stream_cache = self._kept(float(past + ready))
        self.hift_cache_dict = {"speech": speech[:, -HELD:]}
        said = speech if last_chunk else speech[:, :-HELD]
        pcm: bytes = (np.clip(said.numpy(), -1.0, 1.0) * 32_767.0).astype("<i2").tobytes()
        return pcm

    def _kept(self, tokens: float) -> dict[str, Any]:
        self._cnn_cache_buffer[0] = tokens
        return {"estimator_cnn_cache": self._cnn_cache_buffer[:]}


def _sound(token: int, past: int) -> Any:
    """Return 40 ms at 24 kHz of a token: position of the peak among 640 samples at 16 kHz, and its height.

    The hum grows with the tokens of the stream.
    """
    place, height = divmod(token, 10)
    hum = torch.sin(torch.arange(TOKEN) * (12 * torch.pi / TOKEN))  # whole periods, of 150 Hz
    sound = (0.05 + 1e-4 * past) * hum + 1e-4 * torch.randn(TOKEN)
    sound[place * 3 // 2] += 0.05 * height
    return sound
