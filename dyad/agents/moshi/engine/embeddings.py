"""What a voice file of PersonaPlex holds. It needs torch but no model, so that a plan can ask, too."""

from __future__ import annotations

import io

import torch
from torch import Tensor

from dyad.agents.moshi.architecture import STREAMS
from dyad.errors import ConfigError

RING = 4  # positions that a voice file keeps: position p at p % 4


def opened(data: bytes, where: str) -> tuple[Tensor, Tensor]:
    """Return the embeddings float [T - 1, dim] and the ring int64 [17, 4] of a `.pt` voice of T frames.

    Raises ConfigError, naming `where`, when the bytes are no such file; nothing but tensors is ever loaded.
    """
    try:
        held = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
        embeddings, ring = held["embeddings"].float(), held["cache"].long()
        return embeddings.reshape(len(embeddings), -1), ring.reshape(1 + 2 * STREAMS, RING)
    except Exception as error:  # torch raises whatever the bytes provoke, a dozen types
        # its own words are many, and say how to open a file that may run anything
        why = type(error).__name__
        raise ConfigError(
            f"{where} is not a voice file ({why}); save one with NVIDIA's personaplex"
        ) from None
