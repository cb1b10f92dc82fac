"""The play-out queue: agents speak in bursts of any size, the line takes exactly one tick at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .protocol import Bools, Floats


class PlayOut:
    """One queue per row, at the agent's own rate.

    All rows share one reading position, so that a pop is one slice; a row's audio is `fill` samples from
    there on, and everything beyond it is zero, so that silence needs no code.
    """

    def __init__(self, rows: int, tick: int) -> None:
        """`tick` is the number of samples in 80 ms."""
        self.fill = np.zeros(rows, np.int64)  # samples that are queued and not yet played
        self.played = np.zeros(rows, np.int64)
        self.under_runs = np.zeros(rows, np.int64)
        self.flushes = np.zeros(rows, np.int64)  # those that dropped something
        self._tick = tick
        self._audio = np.zeros((rows, 0), np.float32)
        self._at = 0

    def turn(
        self, pcm: Floats | Sequence[Floats], flush: Bools | None = None, speaking: Bools | None = None
    ) -> Floats:
        """Flush, queue `pcm` ([B, n] or one [n] per row) and return the next tick as [B, tick].

        A tick that the queue fills only partly is an under-run, unless the agent says that it does not
        speak; an empty queue is one only if it says that it does.
        """
        if flush is not None and flush.any():
            self._flush(flush)
        if isinstance(pcm, np.ndarray) and pcm.shape[1] == self._tick and not self.fill.any():
            self.played += self._tick
            return pcm  # nothing is waiting and exactly one tick came: the usual case needs no queue
        self._push(pcm)
        return self._pop(speaking)

    def clear(self, row: int) -> None:
        """Forget what a row has queued and played, for a row that begins anew."""
        self._audio[row, self._at :] = 0.0
        self.fill[row] = self.played[row] = 0

    def _flush(self, rows: Bools) -> None:
        cut = rows & (self.fill > 0)
        self._audio[cut, self._at :] = 0.0
        self.fill[cut] = 0
        self.flushes += cut

    def _push(self, pcm: Floats | Sequence[Floats]) -> None:
        sizes = np.array([len(samples) for samples in pcm], np.int64)
        self._reserve(int((self.fill + sizes).max()))
        starts = self._at + self.fill
        for row, samples in enumerate(pcm):
            self._audio[row, starts[row] : starts[row] + sizes[row]] = samples
        self.fill += sizes

    def _reserve(self, need: int) -> None:
        """Make room for `need` samples, and at least one tick, after the reading position."""
        need = max(need, self._tick)
        if self._at + need <= self._audio.shape[1]:
            return
        waiting = self._audio[:, self._at : self._at + int(self.fill.max())]
        # Twice the need and a second: the copy is rare, however long the queue is.
        self._audio = np.zeros((len(self.fill), 2 * need + 12 * self._tick), np.float32)
        self._audio[:, : waiting.shape[1]] = waiting
        self._at = 0

    def _pop(self, speaking: Bools | None) -> Floats:
        ready = np.minimum(self.fill, self._tick)
        short = ready < self._tick
        self.under_runs += short & ((ready > 0) if speaking is None else speaking)
        self.played += ready
        self.fill -= ready
        said = self._audio[:, self._at : self._at + self._tick].copy()
        self._audio[:, self._at : self._at + self._tick] = 0.0
        self._at = self._at + self._tick if self.fill.any() else 0
        return said
