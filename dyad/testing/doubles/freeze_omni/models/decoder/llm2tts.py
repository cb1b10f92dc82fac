"""Freeze-Omni's speech decoder: a generator of audio segments for one phrase."""

from __future__ import annotations

from collections.abc import Iterator

import torch

WIDTH, RATE = 896, 24_000
WORD = 6_000  # samples
SEGMENT = 600  # samples per codec token


class llm2TTS:
    """A tone for each word, as loud as what was heard."""

    def __init__(self, model_path: str) -> None:
        """`model_path`: folder of the checkpoints."""
        self.model_path = model_path

    def run(
        self,
        hidden: torch.Tensor,
        top_k: int,
        prefix: torch.Tensor,
        codec_chunk_size: int = 40,
        codec_padding_size: int = 10,
        penalty_window_size: int = -1,
        penalty: float = 1.1,
        N: int = 2401,
        seg_threshold: float = 0.01,
    ) -> Iterator[torch.Tensor]:
        """Yield a phrase as float [1, 1, n] at 24 kHz, from float [1, words · 4, 896] and as many states."""
        for given in (hidden, prefix):
            if given.dim() != 3 or given.shape[0] != 1 or given.shape[2] != WIDTH:
                raise RuntimeError(f"expected [1, n, {WIDTH}], not {list(given.shape)}")
        words, loudness = hidden[0, ::4, 0], float(prefix[0, 0, 0])
        time = torch.arange(WORD) / RATE
        sound = [torch.sin(2 * torch.pi * (200 + 40 * word) * time) for word in words]
        whole = (5 * loudness * torch.cat(sound)).reshape(1, 1, -1).clamp(-0.9, 0.9)
        yield from torch.split(whole, SEGMENT * codec_chunk_size, dim=2)
