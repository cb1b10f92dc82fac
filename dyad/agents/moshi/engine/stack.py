"""The two transformers of a Moshi model, run on the package's weights with state that rows own.

`moshi` keeps streaming state inside its modules, one scalar step for all rows; here the caller keeps it, per
row. The arithmetic is that of `LMModel.forward` (moshi 0.2.13): pre-norm blocks, RMS norm in float32,
interleaved rotary positions, gated SiLU.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as nnf

_EPS = 1e-8  # of rms_norm_f32


class Block(NamedTuple):
    """The weights of one layer (of one codebook's step, in the depth transformer)."""

    norm1: Tensor
    qkv: Tensor
    out: Tensor
    norm2: Tensor
    up: Tensor
    down: Tensor


@dataclass(frozen=True)
class Shape:
    """What the cache of a stack depends on."""

    layers: int
    heads: int
    head_dim: int
    max_period: float


def blocks(transformer: Any, step: int = 0) -> list[Block]:
    """Return the layers' weights of a `moshi` StreamingTransformer, those of `step` where steps differ."""
    return [_block(layer, step) for layer in transformer.layers]


def _block(layer: Any, step: int) -> Block:
    attention = layer.self_attn
    gating = layer.gating[step] if layer.weights_per_step else layer.gating
    return Block(
        norm_of(layer.norm1),
        attention.in_projs[step].weight,
        attention.out_projs[step].weight,
        norm_of(layer.norm2),
        gating.linear_in.weight,
        gating.linear_out.weight,
    )


def norm_of(module: Any) -> Tensor:
    """Return the scale of an RMS norm, [C]."""
    scale: Tensor = module.alpha.view(-1)
    return scale


def shape_of(transformer: Any) -> Shape:
    """Return a stack's shape."""
    attention = transformer.layers[0].self_attn
    heads = attention.num_heads
    return Shape(len(transformer.layers), heads, attention.embed_dim // heads, float(transformer.max_period))


def rms(x: Tensor, alpha: Tensor) -> Tensor:
    """Return the RMS norm of x [..., C], which torch computes in float32 whatever x and `alpha` are."""
    return nnf.rms_norm(x, alpha.shape, alpha, _EPS)


def feed_forward(x: Tensor, block: Block) -> Tensor:
    """Return x + the gated feed-forward of x [..., C]."""
    gate, value = nnf.linear(rms(x, block.norm2), block.up).chunk(2, dim=-1)
    return x + nnf.linear(nnf.silu(gate) * value, block.down)


def rotation(positions: Tensor, shape: Shape) -> Tensor:
    """Return the rotary factors of int64 positions [...], complex64 [..., D/2]."""
    half = torch.arange(shape.head_dim // 2, device=positions.device, dtype=torch.float32)
    frequency = torch.exp(half * (-math.log(shape.max_period) * 2 / shape.head_dim))
    angle = positions[..., None].float() * frequency
    return torch.complex(torch.cos(angle), torch.sin(angle))


def rotate(x: Tensor, factors: Tensor) -> Tensor:
    """Rotate pairs of neighbours in x [..., D] by complex factors that broadcast against [..., D/2]."""
    pairs = torch.view_as_complex(x.float().view(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * factors).flatten(-2).to(x.dtype)


def _project(x: Tensor, block: Block, shape: Shape) -> Tensor:
    """Return queries, keys and values of x [N, C]: [N, 3, H, D]."""
    return nnf.linear(rms(x, block.norm1), block.qkv).view(len(x), 3, shape.heads, shape.head_dim)


def ring_step(
    x: Tensor, layers: Sequence[Block], ring: Sequence[Tensor], at: Tensor, shape: Shape, reach: int
) -> Tensor:
    """Run one position of every row through a stack; x [B, C] → [B, C].

    ring: one tensor [2, B, H, ring, D] per layer (keys, values), written at slot `at` mod ring. at: the
    position of each row, int64 [B]. Only the first `reach` slots are read; they must cover every filled one.
    """
    rows, size = torch.arange(len(x), device=x.device), ring[0].shape[3]
    slot = at % size
    beyond = torch.arange(reach, device=x.device) > torch.where(at < size, at, size)[:, None]
    mask = torch.zeros_like(beyond, dtype=x.dtype).masked_fill_(beyond, float("-inf"))[:, None, None]
    turn = rotation(at, shape)[:, None, None]
    for block, cache in zip(layers, ring, strict=True):
        qkv = _project(x, block, shape)
        q, k = rotate(qkv[:, :2], turn).unbind(1)
        cache[:, rows, :, slot] = torch.stack([k, qkv[:, 2]], 1)
        heard = nnf.scaled_dot_product_attention(
            q[:, :, None], cache[0, :, :, :reach], cache[1, :, :, :reach], mask
        )
        x = feed_forward(x + nnf.linear(heard.flatten(1), block.out), block)
    return x


def ring_fill(x: Tensor, layers: Sequence[Block], ring: Sequence[Tensor], row: int, shape: Shape) -> Tensor:
    """Run the first T positions of one row at once; x [T, C] → [T, C]. The ring must hold them all."""
    count = len(x)
    turn = rotation(torch.arange(count, device=x.device), shape)[:, None, None]
    for block, cache in zip(layers, ring, strict=True):
        qkv = _project(x, block, shape)
        q, k = rotate(qkv[:, :2], turn).unbind(1)
        past = torch.stack([k, qkv[:, 2]]).transpose(1, 2)
        cache[:, row, :, :count] = past
        heard = nnf.scaled_dot_product_attention(q.transpose(0, 1)[None], past[:1], past[1:], is_causal=True)
        x = feed_forward(x + nnf.linear(heard[0].transpose(0, 1).flatten(1), block.out), block)
    return x


def short_step(
    x: Tensor, layers: Sequence[Block], cache: Sequence[Tensor], step: int, shape: Shape
) -> Tensor:
    """Run step `step` of a stack without positions and with few steps; x [B, C] → [B, C].

    cache: one tensor [B, steps, 2, H, D] per layer, written at `step`.
    """
    for block, past in zip(layers, cache, strict=True):
        qkv = _project(x, block, shape)
        past[:, step] = qkv[:, 1:]
        if step == 0:  # attention to one position is that position
            heard = qkv[:, 2]
        else:
            keys, values = past[:, : step + 1].permute(2, 0, 3, 1, 4)
            heard = nnf.scaled_dot_product_attention(qkv[:, 0, :, None], keys, values)
        x = feed_forward(x + nnf.linear(heard.flatten(1), block.out), block)
    return x
