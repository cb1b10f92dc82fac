"""VITA's speech decoder: a generator of audio segments for one phrase."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

WIDTH, RATE = 896, 24_000
SIGN = 4_800  # samples of a token's tone
SEGMENT = 600  # samples per codec token


class llm2TTS:
    """A tone for each token of a phrase."""

    def __init__(self, model_path: str) -> None:
        """`model_path`: folder of the voice."""
        self.model_path = model_path

    def run(
        self,
        hidden: torch.Tensor,
        top_k: int,
        prefix: Any,
        codec_chunk_size: int = 40,
        codec_padding_size: int = 10,
        penalty_window_size: int = -1,
        penalty: float = 1.1,
        N: int = 2401,
        seg_threshold: float = 0.01,
    ) -> Iterator[torch.Tensor]:
        """Yield the phrase as float [1, 1, n] at 24 kHz, from float [1, tokens · 4, 896]."""
        if hidden.dim() != 3 or hidden.shape[0] != 1 or hidden.shape[2] != WIDTH:
            raise RuntimeError(f"expected [1, n, {WIDTH}], not {list(hidden.shape)}")
        time = torch.arange(SIGN) / RATE
        sound = [0.2 * torch.sin(2 * torch.pi * (200 + token) * time) for token in hidden[0, ::4, 0]]
        yield from torch.split(torch.cat(sound).reshape(1, 1, -1), SEGMENT * codec_chunk_size, dim=2)
