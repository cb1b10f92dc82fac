"""Sound as arrays: levels, peaks, the causal resampler, and the two kinds of audio file (layer 0)."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from dyad.errors import ConfigError
from dyad.spec.base import RATE, TICK, TICK_S

Floats = NDArray[np.float32]
Pcm = NDArray[np.int16]

FULL_SCALE = 32768.0  # int16 steps per unit, so that sample k of a file is read as k / 32768 and written as k
LOUDEST = 32767.0 / FULL_SCALE  # the largest float that int16 holds
PEAK_SAMPLES = 480  # 20 ms

TAPS = 48  # per phase of the resampler
STEEP = 36  # instead, per phase and unit of the ratio, where the rate falls below two thirds
CUT_OFF = 0.92  # of the lower Nyquist frequency
KAISER_BETA = 9.0


def tick_size(rate: int) -> int:
    """Return the number of samples in 80 ms at a rate in Hz."""
    return round(rate * TICK_S)


def to_int16(pcm: NDArray[Any]) -> Pcm:
    """Round float samples in [-1, 1] to int16 of the same shape; louder ones are clipped."""
    scaled = np.rint(np.multiply(pcm, FULL_SCALE, dtype=np.float32))
    clipped: Floats = np.clip(scaled, -FULL_SCALE, FULL_SCALE - 1, out=scaled)
    return clipped.astype(np.int16)


def to_float(pcm: Pcm) -> Floats:
    """Return int16 samples as float32 in [-1, 1)."""
    return np.multiply(pcm, np.float32(1 / FULL_SCALE), dtype=np.float32)


def rms_per_tick(pcm: NDArray[Any]) -> NDArray[np.float64]:
    """Return the RMS of each 80 ms tick: [..., N] int16 or float at 24 kHz → [..., N // 1920].

    int16 is read as a signal in [-1, 1); a last part that does not fill a tick is left out.
    """
    ticks = pcm.shape[-1] // TICK
    whole = pcm[..., : ticks * TICK]
    signal = to_float(whole) if pcm.dtype == np.int16 else whole
    frames = signal.reshape(*pcm.shape[:-1], ticks, TICK)
    energy: NDArray[np.float64] = np.einsum("...n,...n->...", frames, frames).astype(np.float64)
    return np.sqrt(energy / TICK)


def peaks(pcm: Pcm) -> NDArray[np.int8]:
    """Return what a waveform view draws: int16 [2, N] → int8 [2, ceil(N / 480), 2].

    The last axis is (min, max) of each 20 ms in steps of 1/128, rounded outward; +1.0 is drawn as 127.
    """
    spare = -pcm.shape[-1] % PEAK_SAMPLES
    padded = np.pad(pcm, ((0, 0), (0, spare)), mode="edge") if spare else pcm
    parts = padded.reshape(len(pcm), -1, PEAK_SAMPLES)
    low = parts.min(axis=-1) >> 8
    high = -(-parts.max(axis=-1).astype(np.int32) >> 8)
    return np.stack([low, np.minimum(high, 127)], axis=-1).astype(np.int8)


@lru_cache(maxsize=16)
def _kernel(rate_in: int, rate_out: int) -> tuple[Floats, int]:
    """Return the matrix [K - 1 + S, S·L/M] that maps one window of input to the outputs it ends, and S.

    K is the number of taps per phase: the lower the output's share of the input's band, the longer a filter
    of the same steepness.
    """
    common = int(np.gcd(rate_in, rate_out))
    up, down = rate_out // common, rate_in // common
    each = TAPS if 2 * down <= 3 * up else STEEP * down // up
    size = each * up
    at = np.arange(size) - (size - 1) / 2
    cut = CUT_OFF * min(rate_in, rate_out) / (rate_in * up)
    taps = np.sinc(cut * at) * np.kaiser(size, KAISER_BETA)
    taps *= up / taps.sum()
    # Blocks of about as many inputs as a filter has taps waste the least work on zeros and on copies.
    periods = tick_size(rate_in) // down
    fitting = (down * g for g in range(1, periods + 1) if periods % g == 0)
    step = min(fitting, key=lambda inputs: abs(inputs - each))
    kernel = np.zeros((each - 1 + step, step * up // down), np.float32)
    for out in range(kernel.shape[1]):
        newest = out * down // up
        kernel[newest : newest + each, out] = taps[out * down % up :: up][::-1]
    kernel.flags.writeable = False
    return kernel, step


class Resampler:
    """Causal polyphase FIR: every tick of `rate_in` gives exactly one tick of `rate_out`, for `rows` rows.

    48 taps per phase or more, Kaiser window with β = 9, cut-off at 0.92 of the lower Nyquist frequency: at
    least 87 dB from 1.1 of it on. Delay between 24 kHz and 16, 22.05 or 48 kHz: at most 1.5 ms; 2.2 ms to
    8 kHz and 3.0 ms from it, which such a narrow band costs. A signal gives the same bits tick by tick and in
    one call, alone and beside other rows.
    """

    def __init__(self, rate_in: int, rate_out: int, rows: int) -> None:
        """Rates in Hz, each with a whole number of samples per 80 ms (ConfigError otherwise)."""
        for rate in (rate_in, rate_out):
            if rate <= 0 or rate % 25:
                raise ConfigError(
                    f"{rate} Hz has no whole number of samples in 80 ms; use a multiple of 25 Hz"
                )
        self._kernel, self._step = _kernel(rate_in, rate_out)
        self._tick = tick_size(rate_in)
        self._past = np.zeros((rows, len(self._kernel) - self._step), np.float32)

    def __call__(self, pcm: Floats) -> Floats:
        """Resample the next whole ticks: float32 [rows, k·tick of rate_in] → [rows, k·tick of rate_out]."""
        rows, size = pcm.shape
        signal = np.concatenate([self._past, pcm], axis=1)
        self._past = signal[:, size:].copy()
        width = len(self._kernel)
        windows = np.lib.stride_tricks.sliding_window_view(signal, width, axis=1)[:, :: self._step]
        # One product of one fixed shape per row and tick: BLAS may round differently for another shape.
        blocks = np.ascontiguousarray(windows).reshape(rows * size // self._tick, -1, width)
        return (blocks @ self._kernel).reshape(rows, -1)


def flac_bytes(pcm: Pcm) -> bytes:
    """Return int16 [2, N] at 24 kHz as a 16-bit FLAC file, left = seat a, right = seat b."""
    file = io.BytesIO()
    soundfile.write(file, pcm.T, RATE, format="FLAC", subtype="PCM_16")
    return file.getvalue()


def read_flac(path: Path) -> Pcm:
    """Read a recording as int16 [2, N]; raises ConfigError when it is not stereo at 24 kHz."""
    pcm, rate = _read(path, "int16")
    if rate != RATE or pcm.shape[1] != 2:
        raise ConfigError(
            f"{path} is not a recording: it has {pcm.shape[1]} channels at {rate} Hz, not 2 at {RATE}"
        )
    return np.ascontiguousarray(pcm.T)


def read_mono(path: Path, channel: int | None = None, wanted: int = RATE) -> Floats:
    """Read one channel of an audio file as float32 [N] at the `wanted` rate, converted as a whole if need be.

    Raises ConfigError, naming file and remedy, for a file that is missing, unreadable, empty or not finite,
    or that has several channels and no `channel` (counted from 0).
    """
    pcm, rate = _read(path, "float32")
    if not len(pcm):
        raise ConfigError(f"{path} is empty; give a file with at least one sample")
    if channel is None and pcm.shape[1] > 1:
        raise ConfigError(f"{path} has {pcm.shape[1]} channels; choose one with channel=0…{pcm.shape[1] - 1}")
    if channel is not None and not 0 <= channel < pcm.shape[1]:
        raise ConfigError(f"{path} has no channel {channel}; it has {pcm.shape[1]}, counted from 0")
    mono = np.ascontiguousarray(pcm[:, channel or 0])
    if not np.isfinite(mono).all():
        raise ConfigError(f"{path} holds NaN or infinite samples; export it again as 16-bit PCM")
    return resampled(mono, rate, wanted)


def resampled(pcm: Floats, rate: int, wanted: int) -> Floats:
    """Return whole sound, float32 [N], at another rate in Hz: [ceil(N · wanted / rate)], no delay."""
    if rate == wanted:
        return pcm
    from scipy.signal import resample_poly

    common = int(np.gcd(rate, wanted))
    return np.asarray(resample_poly(pcm, wanted // common, rate // common), np.float32)


def _read(path: Path, dtype: str) -> tuple[NDArray[Any], int]:
    if not path.is_file():
        raise ConfigError(f"{path} does not exist; give the path of an audio file")
    try:
        pcm, rate = soundfile.read(path, dtype=dtype, always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ConfigError(
            f"{path} cannot be read as audio ({error.error_string}); use WAV or FLAC"
        ) from error
    return pcm, int(rate)
