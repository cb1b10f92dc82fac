"""The resampler of the authors' scripts: a sinc under a Hann window, `torchaudio.functional.resample`.

Width 6 zero crossings, roll-off 0.99 of the lower Nyquist frequency, which are its defaults.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from dyad.audio import Floats

ZEROS, ROLL_OFF = 6, 0.99
ROWS = 1 << 14  # outputs per phase at a time: memory stays small for an hour of sound


def sinc_resampled(pcm: Floats, rate: int, wanted: int) -> Floats:
    """Return whole sound, float32 [N] at `rate` Hz, as float32 [ceil(N · wanted / rate)], no delay."""
    common = math.gcd(rate, wanted)
    old, new = rate // common, wanted // common
    if old == new:
        return pcm
    taps, width = _kernels(old, new)
    padded = np.pad(pcm, (width, width + old))
    frames = sliding_window_view(padded, taps.shape[1])[::old]
    parts = [frames[at : at + ROWS] @ taps.T for at in range(0, len(frames), ROWS)]
    return np.concatenate(parts).reshape(-1)[: -(-len(pcm) * new // old)]


def _kernels(old: int, new: int) -> tuple[NDArray[np.float32], int]:
    """Return one filter per phase of the output, float32 [new, 2 · width + old], and the width in samples."""
    base = min(old, new) * ROLL_OFF
    width = math.ceil(ZEROS * old / base)
    at = np.arange(-width, width + old) / old - np.arange(new)[:, None] / new
    at = np.clip(at * base, -ZEROS, ZEROS)
    window = np.cos(at * np.pi / ZEROS / 2) ** 2
    return (np.sinc(at) * window * (base / old)).astype(np.float32), width
