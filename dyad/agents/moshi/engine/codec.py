"""The codec: one streaming Mimi for all rows, with row-wise reset, snapshot and pause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import finalize

import torch
from torch import Tensor

from .graphs import Graphed, plainly


class Codec:
    """`rows` rows on one `moshi` MimiModel, which must not stream already, and which ends with it.

    Audio is float32 at 24 kHz.
    """

    def __init__(self, mimi: Any, rows: int) -> None:
        self.size, self._mimi = rows, mimi
        finalize(self, _end, mimi).atexit = False
        mimi.streaming_forever(rows)
        device = next(mimi.parameters()).device
        self._states: dict[str, Any] = mimi.get_streaming_state()
        self._device = device
        self._first = [(state, state.first) for state in self._states.values() if hasattr(state, "first")]
        self._encode = Graphed(self._encoded, device, self._still)
        self._decode = Graphed(self._decoded, device, self._still)

    @torch.inference_mode()
    def encode(self, pcm: Tensor) -> Tensor:
        """Return the codes of one frame of every row; [B, 1920] → int64 [B, 8]."""
        return self._encode(0, pcm).clone()

    @torch.inference_mode()
    def decode(self, codes: Tensor) -> Tensor:
        """Return the sound of one frame of every row; int64 [B, 8] → [B, 1920]. A code < 0 counts as 0."""
        return self._decode(0, codes).clone()

    def _encoded(self, variant: int, pcm: Tensor) -> Tensor:
        with plainly():
            codes: Tensor = self._mimi.encode(pcm[:, None])[:, :, 0]
        for state, first in self._first:  # the package binds a new tensor where a graph needs the old one
            first.copy_(state.first)
            state.first = first
        return codes

    def _decoded(self, variant: int, codes: Tensor) -> Tensor:
        with plainly():
            pcm: Tensor = self._mimi.decode(codes.clamp_min(0)[:, :, None])[:, 0]
        return pcm

    @torch.inference_mode()
    def reset(self, rows: Sequence[int]) -> None:
        """Let rows begin anew."""
        self._mimi.reset_streaming(self._only(rows))

    @torch.inference_mode()
    def rest(self, rows: Sequence[int]) -> None:
        """Pause every row but `rows`: until `wake` the others keep their state to the bit."""
        mask = self._only(rows)
        for state in self._states.values():
            state.set_exec_mask(mask)

    def wake(self) -> None:
        """Let all rows go on."""
        self.rest(range(self.size))

    def _only(self, rows: Sequence[int]) -> Tensor:
        mask = torch.zeros(self.size, dtype=torch.bool)
        mask[list(rows)] = True
        return mask.to(self._device)

    @contextmanager
    def _still(self) -> Iterator[None]:
        masks = [state.exec_mask.clone() for state in self._states.values()]
        self.rest([])
        try:
            yield
        finally:
            for state, mask in zip(self._states.values(), masks, strict=True):
                state.set_exec_mask(mask)

    def snapshot(self, row: int) -> dict[str, Tensor]:
        """Return a copy of a row's whole state."""
        return {name: tensor.select(axis, row).clone() for name, tensor, axis in self._tensors()}

    @torch.inference_mode()
    def restore(self, row: int, state: dict[str, Tensor]) -> None:
        """Set a row to a saved state, in place."""
        for name, tensor, axis in self._tensors():
            tensor.select(axis, row).copy_(state[name])

    def _tensors(self) -> Iterator[tuple[str, Tensor, int]]:
        """Every tensor of the streaming state with its name and the axis of its rows."""
        for module, state in self._states.items():
            for name, value in vars(state).items():
                if name == "kv_cache":
                    yield f"{module}.{name}.cache", value.cache, 1
                    yield f"{module}.{name}.end_offset", value.end_offset, 0
                elif isinstance(value, Tensor) and name != "exec_mask":
                    yield f"{module}.{name}", value, 0


def _end(mimi: Any) -> None:
    """Empty a model: the package leaves functions that hold it and each other, until the collector comes."""
    for module in list(mimi.modules()):
        vars(module).clear()
