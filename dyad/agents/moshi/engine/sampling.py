"""Sampling with one random stream per row: counter-based, so that rows know nothing of each other."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

_MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class Sampling:
    """How a row draws its tokens: temperature (0 = greedy) and top-k of the audio and of the text stream."""

    temp: float = 0.8
    temp_text: float = 0.7
    top_k: int = 250
    top_k_text: int = 25


DEFAULT = Sampling()  # of every official configuration
GREEDY = Sampling(temp=0.0, temp_text=0.0)


def _mix(x: Tensor) -> Tensor:
    """Scramble 32-bit integers held in int64 (a multiply-xorshift finaliser)."""
    x = x & _MASK
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & _MASK
    x = ((x ^ (x >> 15)) * 0x846CA68B) & _MASK
    return x ^ (x >> 16)


def uniform(seed: Tensor, step: Tensor, streams: int, count: int) -> Tensor:
    """Return float64 [B, streams, count] in (0, 1): functions of (row's seed, row's step, stream, rank).

    seed, step: int64 [B]. Integer tensor operations alone: the same on every device, safe under CUDA graphs,
    and independent of batch size, of the row's position and of what other rows draw.
    """
    stream = torch.arange(streams, device=seed.device)
    rank = torch.arange(count, device=seed.device)
    row = _mix(_mix(_mix(seed) ^ (seed >> 32)) + step * 0x9E3779B1)
    each = _mix(row[:, None] + stream * 0x85EBCA77)
    return (_mix(each[:, :, None] + rank * 0xC2B2AE3D).double() + 0.5) / 4294967296.0


def gumbel(u: Tensor, temp: Tensor, top_k: Tensor) -> Tensor:
    """Turn uniforms [B, streams, k] into float32 noise for `draw`, one temperature and top-k per row.

    Rank 0 alone remains in a greedy row (temp 0), and the `top_k` best ranks in the others.
    """
    rank = torch.arange(u.shape[-1], device=u.device)
    keep = torch.where(temp > 0, top_k, 1)[:, None, None] > rank
    noise = torch.where(temp[:, None, None] > 0, -torch.log(-torch.log(u)), 0.0)
    return torch.where(keep, noise, float("-inf")).float()


def draw(logits: Tensor, temp: Tensor, noise: Tensor) -> Tensor:
    """Draw one token per row, int64 [B], from float logits [B, V] by the Gumbel-max rule on the top k.

    noise: [B, k] of `gumbel`. The law is that of softmax(logits / temp) cut to the k best and normalised.
    """
    scale = torch.where(temp > 0, 1.0 / temp.clamp_min(1e-6), 1.0)
    best, token = torch.topk(logits.float(), min(noise.shape[-1], logits.shape[-1]), dim=-1)
    chosen = (best * scale[:, None] + noise[:, : best.shape[-1]]).argmax(-1, keepdim=True)
    return token.gather(-1, chosen)[:, 0]
