"""The vocoder's bookkeeping: frames of 256 samples, what is held back, and what is faded."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch

HOP, FRAMES_PER_TOKEN = 256, 22_050 / 256 / 12.5
OVERLAP = 34 * HOP  # of 5 tokens
PLACES = 1_280  # where in its 80 ms a token has its click


class AudioDecoder:
    """Puts a click where each token says, in streams that overlap."""

    def __init__(self) -> None:
        self.mel_overlap_dict: defaultdict[str, Any] = defaultdict(lambda: None)
        self.hift_cache_dict: defaultdict[str, Any] = defaultdict(lambda: None)

    def token2wav(
        self, token: torch.Tensor, uuid: str, finalize: bool
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Return float [1, n] at 22.05 kHz for int64 [1, tokens]."""
        sound = _clicks(token)
        if (before := self.mel_overlap_dict[uuid]) is not None:
            fade = torch.linspace(0, 1, OVERLAP)
            sound[:, :OVERLAP] = sound[:, :OVERLAP] * fade + before * (1 - fade)
        if (cached := self.hift_cache_dict[uuid]) is not None:
            sound = torch.cat([cached, sound], 1)
        if finalize:
            del self.mel_overlap_dict[uuid], self.hift_cache_dict[uuid]
            return sound, None
        self.mel_overlap_dict[uuid] = sound[:, -OVERLAP:].clone()
        sound = sound[:, :-OVERLAP]
        self.hift_cache_dict[uuid] = sound[:, -HOP:].clone()
        return sound[:, :-HOP], None


def _clicks(token: torch.Tensor) -> torch.Tensor:
    count = token.shape[1]
    size = int(count * FRAMES_PER_TOKEN) * HOP
    sound = torch.zeros(1, size)
    for index, value in enumerate(token[0].tolist()):
        if value:
            sound[0, round((index + (value - 1) / PLACES) * size / count)] = 0.5
    return sound
