"""Rows: one language model of the Moshi family, many independent conversations.

The timeline is that of `moshi`'s LMGen. Call n takes the user's frame n - 1, predicts position n + 1 of the
delayed grid (text and semantic code of own frame n, acoustic codes of own frame n - 1), and returns own frame
n - 1. Call 0 primes: its input is ignored and it returns nothing. Whatever is per conversation is per row:
seed, temperature, top-k, position, whether it goes on, and what is forced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as nnf

from .depth import Depth
from .graphs import Graphed
from .prefix import FREE, Prefix
from .sampling import DEFAULT, GREEDY, Sampling, draw, gumbel, uniform
from .stack import blocks, norm_of, ring_fill, ring_step, rms, shape_of

# Slots are read in whole steps of this many, so that results do not depend on how much of the ring is read.
REACH = {"cpu": 64, "cuda": 256}


class Rows:
    """`rows` rows on one model, a `moshi` LMModel, with `ring` positions of past each.

    `most` bounds every row's top-k, so that the noise that is drawn has one shape.
    """

    def __init__(self, lm: Any, rows: int, ring: int, most: Sampling = DEFAULT) -> None:
        self.lm, self.size, self.ring, self.own = lm, rows, ring, lm.dep_q
        self._layers, self._shape, device = blocks(lm.transformer), shape_of(lm.transformer), lm.device
        self._out_norm, self._depth = norm_of(lm.out_norm), Depth(lm, rows)
        self._delays = torch.tensor(lm.delays, device=device)
        self._delay, self.initial = max(lm.delays), lm._get_initial_token()[0, :, 0]
        kv = (2, rows, self._shape.heads, ring, self._shape.head_dim)
        self._ring = [torch.zeros(kv, device=device, dtype=lm.dtype) for _ in range(self._shape.layers)]
        self._grid = torch.full((rows, lm.num_codebooks, self._delay + 2), FREE, device=device)
        self._at = torch.zeros(rows, dtype=torch.long, device=device)
        self._live = torch.ones(rows, dtype=torch.bool, device=device)
        # copies of the two above, to know without asking the device
        self._at_here, self._live_here = np.zeros(rows, np.int64), np.ones(rows, bool)
        self._seed = torch.zeros(rows, dtype=torch.long, device=device)
        self._temp = torch.zeros(2, rows, device=device)  # text, audio
        self._top_k = torch.ones(2, rows, dtype=torch.long, device=device)
        self._ranks = min(most.top_k_text, lm.text_card), min(most.top_k, lm.card)
        self.text_logits = torch.zeros(rows, lm.text_linear.weight.shape[0], device=device)
        self._call = Graphed(self._advance, device, self._still)
        for row in range(rows):
            self._draw_with(row, 0, GREEDY)

    @torch.inference_mode()
    def step(self, user: Tensor, text: Tensor | None = None, own: Tensor | None = None) -> Tensor:
        """Advance every live row by one call; return own frames, int64 [B, 1 + dep_q] (text, audio codes).

        user: int64 [B, 8], the codes of the user's frame. text: int64 [B] and own: int64 [B, dep_q] force
        what this call predicts (`FREE` = generate); forced codes condition the codebooks after them. A row
        whose call returns nothing (priming, paused) holds `FREE` throughout.
        """
        device = self._at.device
        text = torch.full((self.size,), FREE, device=device) if text is None else text
        own = torch.full((self.size, self.own), FREE, device=device) if own is None else own
        frames: Tensor = self._call(self._reach(), user, text, own)
        self._at_here += self._live_here
        return frames.clone()

    def _reach(self) -> int:
        """Slots to read: every filled one, rounded up."""
        step = REACH[self._at.device.type]
        return min(self.ring, -(-(int(self._at_here.max()) + 1) // step) * step)

    def _advance(self, reach: int, user: Tensor, text: Tensor, own: Tensor) -> Tensor:
        """The call itself: tensor operations of fixed shape, state changed in place (graphs need both)."""
        at = self._at[:, None]
        self._put(slice(1 + self.own, None), at + self._delays[1 + self.own :], user)
        tokens = torch.where(at <= self._delays, self.initial, self._get(at.expand(-1, len(self._delays))))
        h = self.temporal(torch.where(tokens == FREE, self.initial, tokens), reach)
        text, audio = self._predict(h, text, own)
        self._at += self._live
        at = self._at[:, None]
        self._put(slice(0, 1 + self.own), at.expand(-1, 1 + self.own), torch.cat([text[:, None], audio], 1))
        frame = self._get(at - self._delay + self._delays[: 1 + self.own])
        return torch.where((at > self._delay) & self._live[:, None], frame, FREE)

    def temporal(self, tokens: Tensor, reach: int) -> Tensor:
        """Run one position of every row, int64 [B, 1 + n_q], through the temporal transformer → [B, C]."""
        x = ring_step(self.embed(tokens), self._layers, self._ring, self._at, self._shape, reach)
        return rms(x, self._out_norm)

    def _predict(self, h: Tensor, text: Tensor, own: Tensor) -> tuple[Tensor, Tensor]:
        of_text, of_audio = self._noise()
        self.text_logits.copy_(nnf.linear(h, self.lm.text_linear.weight))
        text = torch.where(text >= 0, text, draw(self.text_logits, self._temp[0], of_text))
        return text, self._depth(text, h, own, self._temp[1], of_audio)

    def _noise(self) -> tuple[Tensor, Tensor]:
        """What this call draws with: [B, k] for the text, [B, dep_q, k] for the audio codes."""
        ranks = max(self._ranks)
        u = uniform(self._seed, self._at, 1 + self.own, ranks)
        text = gumbel(u[:, :1, : self._ranks[0]], self._top_k[0])[:, 0]
        return text, gumbel(u[:, 1:, : self._ranks[1]], self._top_k[1])

    def embed(self, tokens: Tensor) -> Tensor:
        """Return the sum of a position's embeddings; int64 [N, 1 + n_q] → [N, C]."""
        lm = self.lm
        x = nnf.embedding(tokens[:, 1], lm.emb[0].weight)
        for k in range(1, lm.n_q):
            x = x + nnf.embedding(tokens[:, 1 + k], lm.emb[k].weight)
        return x + nnf.embedding(tokens[:, 0], lm.text_emb.weight)

    def _get(self, positions: Tensor) -> Tensor:
        streams = positions.shape[1]
        return self._grid[:, :streams].gather(2, (positions % self._grid.shape[2])[:, :, None])[:, :, 0]

    def _put(self, streams: slice, positions: Tensor, tokens: Tensor) -> None:
        part, slot = self._grid[:, streams], (positions % self._grid.shape[2])[:, :, None]
        part.scatter_(
            2, slot, torch.where(self._live[:, None, None], tokens[:, :, None], part.gather(2, slot))
        )

    @torch.inference_mode()
    def start(self, row: int, prefix: Prefix, seed: int, sampling: Sampling) -> None:
        """Begin a row anew after a prefix; the next call must be its hand-over (`prefix.user`, `prefix.own`).

        Raises ValueError when the prefix does not fit into the ring.
        """
        length = prefix.length
        if length > self.ring:
            raise ValueError(f"a prefix of {length} positions does not fit into a ring of {self.ring}")
        grid = prefix.grid.to(self._at.device)
        if length:
            x = self.embed(grid[:, :-1].T.clamp_min(0))
            if prefix.embeddings is not None:
                x[: len(prefix.embeddings)] = prefix.embeddings.to(x)
            ring_fill(x, self._layers, self._ring, row, self._shape)
        self._grid[row] = FREE
        self._grid[row, :, length % self._grid.shape[2]] = grid[:, -1]
        self._place(row, length)
        self._draw_with(row, seed, sampling)

    def _place(self, row: int, at: int) -> None:
        self._at[row], self._at_here[row] = at, at

    def _draw_with(self, row: int, seed: int, sampling: Sampling) -> None:
        self._seed[row] = seed
        self._temp[:, row] = torch.tensor([sampling.temp_text, sampling.temp])
        self._top_k[:, row] = torch.tensor([sampling.top_k_text, sampling.top_k])

    def reseed(self, row: int, seed: int) -> None:
        """Give a row another random stream from here on."""
        self._seed[row] = seed

    def amend(self, row: int, text: int, semantic: int) -> None:
        """Replace text and semantic code of the frame that the coming call returns (`FREE` = leave)."""
        slot = int(self._at_here[row]) % self._grid.shape[2]
        for stream, token in enumerate((text, semantic)):
            if token != FREE:
                self._grid[row, stream, slot] = token

    def snapshot(self, row: int) -> dict[str, Tensor]:
        """Return a copy of a row's whole state: of its past only what is filled."""
        filled = min(int(self._at_here[row]), self.ring)
        past = torch.stack([cache[:, row, :, :filled] for cache in self._ring])
        return {"past": past, **{name: part[row].clone() for name, part in self._parts().items()}}

    def restore(self, row: int, state: dict[str, Tensor]) -> None:
        """Set a row to a saved state, in place (graphs keep their addresses)."""
        filled = state["past"].shape[3]
        for cache, past in zip(self._ring, state["past"], strict=True):
            cache[:, row, :, :filled] = past
        for name, part in self._parts().items():
            part[row] = state[name]
        self._at_here[row] = int(state["at"])

    def _parts(self) -> dict[str, Tensor]:
        return {
            "grid": self._grid, "at": self._at, "seed": self._seed,
            "temp": self._temp.T, "top_k": self._top_k.T,
        }  # fmt: skip

    def rest(self, rows: Sequence[int]) -> None:
        """Pause every row but `rows`: until `wake` the others keep their state and return `FREE`."""
        self._live_here[:] = False
        self._live_here[list(rows)] = True
        self._live.copy_(torch.from_numpy(self._live_here))

    def wake(self) -> None:
        """Let all rows go on."""
        self.rest(range(self.size))

    @contextmanager
    def _still(self) -> Iterator[None]:
        held = self._live.clone()
        self._live.fill_(False)
        try:
            yield
        finally:
            self._live.copy_(held)
