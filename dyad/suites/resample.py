"""Sound at 16 kHz as the authors of Full-Duplex-Bench have it: torchaudio's default resampler, in scipy."""

from __future__ import annotations

from math import ceil, gcd

import numpy as np
from numpy.typing import NDArray

from dyad.audio import Floats, Pcm, to_float

VAD_RATE = 16_000
CROSSINGS = 6  # zero crossings of the sinc on each side
ROLL_OFF = 0.99  # of the lower Nyquist frequency


def at_16k(pcm: Pcm, rate: int) -> Floats:
    """Return int16 [N] as float32 at 16 kHz; nothing is rounded in between."""
    return sinc_resampled(to_float(pcm), rate, VAD_RATE)


def sinc_resampled(pcm: Floats, rate: int, wanted: int) -> Floats:
    """Return float32 [N] at another rate in Hz, [ceil(N · wanted / rate)], by a sinc under a Hann window."""
    if rate == wanted:
        return pcm
    from scipy.signal import resample_poly

    common = gcd(rate, wanted)
    up, down = wanted // common, rate // common
    return np.asarray(resample_poly(pcm, up, down, window=_taps(up, down)), np.float32)


def _taps(up: int, down: int) -> NDArray[np.float64]:
    """Return the filter at `up` times the rate, whose sum is 1: resample_poly multiplies it by `up`."""
    cut = ROLL_OFF * min(up, down) / (up * down)
    reach = ceil(CROSSINGS / cut)
    at = np.clip(np.arange(-reach, reach + 1) * cut, -CROSSINGS, CROSSINGS)
    return np.asarray(np.sinc(at) * np.cos(np.pi * at / (2 * CROSSINGS)) ** 2 * cut)
