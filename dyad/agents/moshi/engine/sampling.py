"""Sampling with one random stream per row: counter-based, so that rows know nothing of each other."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

_MASK = 0xFFFFFFFF
_SALT = 0x165667B1  # so that zero is not mixed to zero


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
    # two hashes of (seed, step): one alone, of 32 bits, would give some of 100,000 rows the same stream
    one = _mix(_mix(_mix(seed + _SALT) ^ (seed >> 32)) + step * 0x9E3779B1)
    two = _mix(_mix(_mix((seed >> 32) + _SALT) ^ (seed & _MASK)) + step * 0x27D4EB2F)
    each = _mix(one[:, None] + stream * 0x85EBCA77)[:, :, None] + rank * 0xC2B2AE3D
    return (_mix(each ^ two[:, None, None]).double() + 0.5) / 4294967296.0


def gumbel(u: Tensor, top_k: Tensor) -> Tensor:
    """Turn uniforms [B, streams, k] into float32 noise for `draw`, the `top_k` best ranks of each row."""
    rank = torch.arange(u.shape[-1], device=u.device)
    noise = -torch.log(-torch.log(u))
    return torch.where(rank < top_k[:, None, None], noise, float("-inf")).float()


def draw(logits: Tensor, temp: Tensor, noise: Tensor) -> Tensor:
    """Draw one token per row, int64 [B], from logits [B, V] by the Gumbel-max rule on the top k.

    temp: [B]. noise: [B, k] of `gumbel`. The law is that of softmax(logits / temp), cut to the k best and
    normalised. A row with temp 0 takes the best token, of equal ones the first.
    """
    logits = logits.float()
    best, token = torch.topk(logits, min(noise.shape[-1], logits.shape[-1]), dim=-1)
    chosen = (best / temp.clamp_min(1e-6)[:, None] + noise[:, : best.shape[-1]]).argmax(-1, keepdim=True)
    return torch.where(temp > 0, token.gather(-1, chosen)[:, 0], logits.argmax(-1))
