"""The depth transformer: one frame's audio tokens, codebook after codebook, for all rows at once."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as nnf

from .sampling import draw
from .stack import blocks, shape_of, short_step


class Depth:
    """The per-codebook weights of a `moshi` LMModel's depformer, and one frame's cache for `rows` rows."""

    def __init__(self, lm: Any, rows: int) -> None:
        steps = range(lm.dep_q)
        self._enter = [lm.depformer_in[k].weight for k in steps]
        self._embed = [lm.depformer_text_emb.weight, *(table.weight for table in lm.depformer_emb)]
        self._layers = [blocks(lm.depformer, k) for k in steps]
        self._leave = [lm.linears[k].weight for k in steps]
        self._shape = shape_of(lm.depformer)
        size = (rows, lm.dep_q, 2, self._shape.heads, self._shape.head_dim)
        weight = self._enter[0]
        self._cache = [weight.new_zeros(size) for _ in range(self._shape.layers)]

    def __call__(self, text: Tensor, h: Tensor, forced: Tensor, temp: Tensor, noise: Tensor) -> Tensor:
        """Return the frame's audio tokens, int64 [B, dep_q].

        text: int64 [B]. h: [B, C] of the temporal transformer. forced: int64 [B, dep_q], where not negative
        it takes the place of what was drawn and conditions the codebooks after it. temp: [B]; noise:
        [B, dep_q, k] of `gumbel`.
        """
        before, tokens = text, []
        for k, layers in enumerate(self._layers):
            x = nnf.linear(h, self._enter[k]) + nnf.embedding(before, self._embed[k])
            x = short_step(x, layers, self._cache, k, self._shape)
            drawn = draw(nnf.linear(x, self._leave[k]), temp, noise[:, k])
            before = torch.where(forced[:, k] >= 0, forced[:, k], drawn)
            tokens.append(before)
        return torch.stack(tokens, 1)
