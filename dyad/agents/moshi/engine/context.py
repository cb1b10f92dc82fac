"""Frames that a row has already lived through, laid out as the token grid from which it goes on."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .prefix import FREE, Prefix


def context(initial: Tensor, delays: Sequence[int], text: Tensor, own: Tensor, user: Tensor) -> Prefix:
    """Return the prefix of a row whose first F frames are given: teacher forcing in one forward pass.

    text: int64 [F], own and user: int64 [S, F], the codes of both sides; F = 0 gives `no_prefix`.
    The hand-over call hears user frame F - 1 and returns own frame F - 1; the model makes up frame F.
    """
    before = torch.full_like(initial, FREE)
    before[1 + len(own) :] = 0
    frames = torch.cat([text[None], own, user]).to(initial)
    return laid_out(initial, delays, torch.cat([before[:, None], frames], 1))


def laid_out(
    initial: Tensor, delays: Sequence[int], frames: Tensor, embeddings: Tensor | None = None
) -> Prefix:
    """Return the prefix in which frame p stands at position p, and the codes of a delayed stream at p + 1.

    initial: int64 [1 + 2 S], start tokens. delays: 0 or 1 for each stream. frames: int64 [1 + 2 S, F] of
    text, own and user, F > 0. The start tokens stand at position 0 and, in a delayed stream, at position 1,
    so that frame 0 leaves no trace. The last frame's delayed codes come with the hand-over call.
    """
    late = torch.as_tensor(delays, device=initial.device)[:, None] > 0
    at = torch.arange(frames.shape[1], device=initial.device)
    grid = torch.where(late, frames.roll(1, 1), frames)
    grid = torch.where(at <= late.long(), initial[:, None], grid)
    streams = len(initial) // 2
    own, user = slice(1, 1 + streams), slice(1 + streams, None)
    forced = torch.where(late[own, 0], frames[own, -1], FREE)
    return Prefix(grid, frames[user, -1].clone(), forced, embeddings)
