"""The vocoder: speech tokens come out as sound, 40 ms each, three tokens and 160 ms late."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import soundfile

LOOKAHEAD = 3  # tokens
TOKEN = 960  # samples at 24 kHz
HELD = 3_840  # samples: eight frames of the spectrum
SILENT = 4218  # the token of silence


class Token2wav:
    """A token is what the model heard 40 ms of, at half its level; the voice hums along, at its own pitch."""

    def __init__(self, model_path: str, float16: bool = False, n_timesteps: int = 10) -> None:
        self.flow = SimpleNamespace(pre_lookahead_len=LOOKAHEAD)
        self.cache: dict[str, float] | None = {}
        self.stream_cache: dict[str, Any] | None = None
        self.hift_cache_dict: dict[str, Any] = {}
        self._stream_prompt: str | None = None

    def set_stream_cache(self, prompt_wav: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the state in which every turn of a voice begins."""
        voice, _ = soundfile.read(prompt_wav, dtype="float32")
        self.cache = {prompt_wav: 100.0 + 100.0 * float(np.abs(voice).max())}  # Hz
        self._stream_prompt = prompt_wav
        self.stream_cache = {"hummed": 0}
        self.hift_cache_dict = {"first_chunk": True, "speech": np.zeros(0, np.float32)}
        return self.stream_cache, self.hift_cache_dict

    def stream(self, tokens: Sequence[Any], prompt_wav: str | None = None, last_chunk: bool = False) -> bytes:
        """Return the sound of all tokens but the last three, or of all that is left, as 16-bit PCM."""
        prompt = prompt_wav or self._stream_prompt
        if self.stream_cache is None or self.cache is None:
            raise ValueError("Call set_stream_cache(prompt_wav) before stream()")
        if prompt is None or prompt != self._stream_prompt:
            raise ValueError("Prompt changed; call set_stream_cache() to start a new stream")
        if not last_chunk and len(tokens) <= LOOKAHEAD:
            raise ValueError("Non-final chunk requires fresh tokens plus three lookahead tokens")
        fresh = tokens if last_chunk else tokens[:-LOOKAHEAD]
        sound = [self._sound(token, self.cache[prompt], self.stream_cache) for token in fresh]
        return self._late(np.concatenate([np.zeros(0, np.float32), *sound]), last_chunk)

    def _sound(self, token: Any, pitch: float, state: dict[str, Any]) -> Any:
        if isinstance(token, int):
            return np.zeros(TOKEN, np.float32)
        at = state["hummed"] + np.arange(TOKEN)
        state["hummed"] += TOKEN
        return token + 0.1 * np.sin(2 * np.pi * pitch * at / 24_000, dtype=np.float32)

    def _late(self, sound: Any, last_chunk: bool) -> bytes:
        state = self.hift_cache_dict
        known = np.concatenate([state["speech"], sound])
        out = known if last_chunk else known[:-HELD]
        state["speech"] = known[len(out) :]
        if state["first_chunk"] and not last_chunk:
            out = np.concatenate([np.zeros(HELD, np.float32), out])
        state["first_chunk"] = False
        return bytes((np.clip(out, -1.0, 1.0) * 32767).astype("<i2").tobytes())
