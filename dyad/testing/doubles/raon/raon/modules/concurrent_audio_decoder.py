"""The decoder's front: streams, what waits for each of them, and upstream's time-outs, in no time at all.

Upstream's is a process, which has to import torch first: this one says that it takes 6 s to be ready. As
there, all streams come out of one queue in the order in which they went in, and a frame counts as pending
until it comes out, be it while another stream is served.
"""

from __future__ import annotations

import queue
from collections import defaultdict, deque
from typing import Any

import torch

READY_S = 6.0
Result = tuple[int, Any]


class ConcurrentAudioDecoder:
    """Decodes the codes of any number of streams, each in the order in which they came."""

    def __init__(self, model: Any) -> None:
        self.model, self.is_running = model, False
        self.last: dict[int, int] = {}  # stream → how many more frames come before it dies
        self.stream_output_queues: dict[int, queue.Queue[Result]] = defaultdict(queue.Queue)
        self.stream_pending_counts: dict[int, int] = {}
        self._output: deque[tuple[int, int, Any]] = deque()
        self._streams = self._sequences = 0

    def start(self, timeout: float = 5.0) -> None:
        """Start; raises RuntimeError as upstream does when it is not ready in time."""
        if self.is_running:
            raise RuntimeError("Audio decoder worker is already running.")
        if timeout < READY_S:
            raise RuntimeError("Audio decoder worker failed to start (timeout waiting for ready signal)")
        self.is_running = True

    def create_stream(self) -> int:
        """Return the number of a fresh stream."""
        assert self.is_running
        self.stream_pending_counts[self._streams] = 0
        self._streams += 1
        return self._streams - 1

    def destroy_stream(self, stream_id: int) -> None:
        """Forget a stream; what is on its way comes out all the same."""
        self.stream_pending_counts.pop(stream_id, None)
        self.stream_output_queues.pop(stream_id, None)

    def get_stream_pending_count(self, stream_id: int) -> int:
        """Return how many frames of a stream have not come out."""
        return self.stream_pending_counts.get(stream_id, 0)

    def push_audio_codes(self, stream_id: int, audio_codes: Any) -> int:
        """Take the codes of a frame, int64 [1, 1, 8]."""
        assert self.is_running
        assert audio_codes.ndim == 3
        assert audio_codes.dtype == torch.int64
        self._sequences += 1
        self.stream_pending_counts[stream_id] += 1
        self._output.append((stream_id, self._sequences, self.model.codec.sound(audio_codes[0, 0])))
        return self._sequences

    def pull_audio(self, stream_id: int, block: bool = True, timeout: float | None = None) -> Result | None:
        """Return the audio of a stream's next frame, float32 [1, 1920], or None when it does not come."""
        left = self.last.get(stream_id, 1)
        if stream_id in self.last:
            self.last[stream_id] = left - 1
        self.is_running = left > 0
        mine = self.stream_output_queues[stream_id]
        while mine.empty():
            if not self._output or not self.is_running:
                return None
            stream, sequence, audio = self._output.popleft()
            self.stream_output_queues[stream].put((sequence, audio))
            if stream in self.stream_pending_counts:
                self.stream_pending_counts[stream] -= 1
        return mine.get()

    def drain_to(self, max_pending: int, stream_id: int, timeout_per_item: float = 1.0) -> list[Result]:
        """Return what is decoded, until only so many frames of a stream are pending."""
        results = []
        while self.get_stream_pending_count(stream_id) > max_pending:
            if (result := self.pull_audio(stream_id, timeout=timeout_per_item)) is None:
                break
            results.append(result)
        return results
