"""A prefix: what a row has lived through before its first tick, as token positions of the delayed grid."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

FREE = -2  # a token that the model is to generate itself


@dataclass(frozen=True)
class Prefix:
    """Positions 0 … n of a row, and the call that hands over to live audio.

    grid: int64 [1 + n_q, n + 1], text, own and user codes with their delays already applied. Positions
    0 … n - 1 are run through the temporal transformer at once; position n is the input of the hand-over call.
    user: int64 [8], the user's codes in the hand-over call. own: int64 [8], codes that this call forces
    (`FREE` = generate). embeddings: float [e, dim] or None; they replace those of positions 0 … e - 1.
    """

    grid: Tensor
    user: Tensor
    own: Tensor
    embeddings: Tensor | None = None

    @property
    def length(self) -> int:
        """Positions that are in the ring when the hand-over call begins."""
        return self.grid.shape[1] - 1


def no_prefix(initial: Tensor, streams: int = 8) -> Prefix:
    """Return the prefix of a row that begins with nothing; `initial` int64 [1 + n_q] are the start tokens."""
    free = torch.full((streams,), FREE, dtype=torch.long)
    return Prefix(initial[:, None].clone(), torch.zeros(streams, dtype=torch.long), free)
