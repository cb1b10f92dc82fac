"""What VITA asks of transformers: a tokenizer and an extractor of features, by the name of a folder."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import torch

WORDS = ["<|im_start|>", "<|im_end|>", "oh", "yes", "no", "do", "ok", "I", "system", "user", "assistant"]


class _Tokenizer:
    """Knows few words; every other sign is a token of its own."""

    bos_token_id = None

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        pieces = re.findall("|".join(map(re.escape, WORDS)) + "|.", text, re.DOTALL)
        return [WORDS.index(piece) if piece in WORDS else 100 + ord(piece) for piece in pieces]

    def __call__(self, text: str) -> Any:
        """Return the tokens as `input_ids`."""
        return SimpleNamespace(input_ids=self.encode(text))


class _Features:
    """Levels of 10 ms, in 80 equal bands."""

    def __call__(
        self, audio: torch.Tensor, sampling_rate: int, return_tensors: str
    ) -> dict[str, torch.Tensor]:
        """Return float32 [1, n] as `input_features` [1, frames, 80]."""
        if audio.dim() != 2 or audio.dtype != torch.float32 or sampling_rate != 16_000:
            raise ValueError(
                f"audio must be float32 [1, n] at 16000 Hz, not {audio.dtype} {list(audio.shape)}"
            )
        frames = audio[0, : audio.shape[1] // 160 * 160].reshape(-1, 160).abs().mean(1)
        return {"input_features": frames.reshape(1, -1, 1).expand(1, -1, 80)}


class AutoTokenizer:
    """Finds a tokenizer."""

    @classmethod
    def from_pretrained(cls, folder: str, trust_remote_code: bool = False) -> _Tokenizer:
        """Return the tokenizer of a folder."""
        return _Tokenizer()


class AutoFeatureExtractor:
    """Finds an extractor."""

    @classmethod
    def from_pretrained(cls, folder: str, subfolder: str = "", trust_remote_code: bool = False) -> _Features:
        """Return the extractor of a folder."""
        return _Features()
