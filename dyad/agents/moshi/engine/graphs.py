"""CUDA graphs: a call of fixed shape is recorded once and replayed; elsewhere it is simply made."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from inspect import ismethod
from typing import Any, NamedTuple, TypeVar, cast
from weakref import WeakMethod

import torch
from moshi.utils.compile import no_compile, no_cuda_graph
from torch import Tensor

F = TypeVar("F", bound=Callable[..., Any])
_WARM_UP = 2  # calls before a recording: kernels are chosen and workspaces allocated
# CUDA allows one recording at a time, and the package's switches hold for the whole process; but agents on
# devices of their own are stepped in threads.
_recording = threading.RLock()


@contextmanager
def plainly() -> Iterator[None]:
    """Keep `moshi` from recording and compiling parts of itself: whole calls are recorded here, or none."""
    with _recording, no_cuda_graph(), no_compile():
        yield


class _Recording(NamedTuple):
    graph: torch.cuda.CUDAGraph
    inputs: tuple[Tensor, ...]
    output: Tensor


class Graphed:
    """Calls `fn(variant, *tensors)`; on CUDA each variant is recorded at its first call and then replayed.

    `fn` may do tensor operations whose shapes depend on `variant` and on the shapes of `tensors` only, on its
    arguments and on tensors that stay where they are and change in place. Its output is overwritten by the
    next call. An owner whose methods these are is not kept by them: what it holds goes when it is dropped,
    without the collector. Within `still()` a call of `fn` must leave every state as it is: that is where it
    is warmed up.
    """

    def __init__(
        self,
        fn: Callable[..., Tensor],
        device: torch.device,
        still: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._fn, self._device, self._still = _loosely(fn), device, _loosely(still)
        self._recorded: dict[int, _Recording] = {}
        self._pool: Any = None  # memory that the variants share, as one runs at a time

    def __call__(self, variant: int, *tensors: Tensor) -> Tensor:
        """Return `fn(variant, *tensors)`."""
        if self._device.type != "cuda":
            return self._fn()(variant, *tensors)
        if variant not in self._recorded:
            self._recorded[variant] = self._record(
                variant, tuple(t.to(self._device).clone() for t in tensors)
            )
        recording = self._recorded[variant]
        for mine, given in zip(recording.inputs, tensors, strict=True):
            mine.copy_(given, non_blocking=True)
        recording.graph.replay()
        return recording.output

    def _record(self, variant: int, inputs: tuple[Tensor, ...]) -> _Recording:
        graph, fn, still = torch.cuda.CUDAGraph(), self._fn(), self._still()
        with _recording, torch.cuda.device(self._device), still():
            side = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(_WARM_UP):
                    fn(variant, *inputs)
            torch.cuda.current_stream().wait_stream(side)
            # on the stream of the warm-up, which is on this device; torch's own is where it recorded first
            with torch.cuda.graph(graph, self._pool, stream=side, capture_error_mode="thread_local"):
                output = fn(variant, *inputs)
        self._pool = graph.pool()
        return _Recording(graph, inputs, output)


def _loosely(fn: F) -> Callable[[], F]:
    """Return what returns a function; a method does not keep its owner, who is the one that calls."""
    return cast(Callable[[], F], WeakMethod(fn)) if ismethod(fn) else lambda: fn
