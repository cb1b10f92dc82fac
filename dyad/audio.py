"""Sound as arrays: levels, peaks, the causal resampler, and the two kinds of audio file (layer 0)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

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
CUT = "cut off"  # begins what is said of a sound that declares more than it holds
STREAMED = 0xFFFFFFFF  # the size that a WAV declares whose writer did not know it

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
    with unreadable_named(str(path)):
        if cut := cut_off(path):
            raise ConfigError(f"{path} is {cut}; restore the whole file")
        pcm, rate = soundfile.read(whole(path), dtype=dtype, always_2d=True)
    return pcm, int(rate)


@contextmanager
def unreadable_named(where: str) -> Iterator[None]:
    """Turn what libsndfile raises for a file into a ConfigError that names it."""
    try:
        yield
    except soundfile.LibsndfileError as error:
        why = error.error_string or "it is cut off or damaged"
        raise ConfigError(f"{where} cannot be read as audio ({why}); use WAV or FLAC") from None


def whole(sound: Path | bytes) -> Path | BinaryIO:
    """Return what libsndfile reads to the end: a WAV whose writer never filled in its length, with one."""
    with _opened(sound) as file:
        at, declared, left = _wav_data(file)
        if not at or declared or not left:
            return sound if isinstance(sound, Path) else io.BytesIO(sound)
        file.seek(0)
        data = bytearray(file.read())
    data[at - 4 : at] = STREAMED.to_bytes(4, "little")
    return io.BytesIO(data)


def cut_off(sound: Path | bytes) -> str:
    """Return how much is left of a sound that declares more than it holds, as in `cut off: 5.0 of 8.0 s`.

    Empty for a whole one, for one without samples, and for what libsndfile cannot read. WAV: the size of the data against that of the
    file; FLAC: the declared samples against those that decode; Ogg: no last page.
    """
    with _opened(sound) as file:
        at, declared, left = _wav_data(file)
        last = _last_page(file)
    try:
        facts = soundfile.info(whole(sound))
    except soundfile.LibsndfileError:
        return ""
    rate, held_s = facts.samplerate, facts.frames / facts.samplerate
    if not facts.frames:
        return ""
    if at and left < declared < STREAMED:
        return f"{CUT}: {held_s:.1f} of {held_s * declared / max(1, left):.1f} s"
    if facts.format == "FLAC" and (decoded := _decoded(sound, facts.frames)) < facts.frames:
        return f"{CUT}: {decoded / rate:.1f} of {held_s:.1f} s"
    return f"{CUT}: no last page after {held_s:.1f} s" if facts.format == "OGG" and not last else ""


def _opened(sound: Path | bytes) -> BinaryIO:
    return sound.open("rb") if isinstance(sound, Path) else io.BytesIO(sound)


def _wav_data(file: BinaryIO) -> tuple[int, int, int]:
    """Return where the samples of a WAV begin, their declared size, and the bytes from there; else zeros."""
    file.seek(0)
    if (head := file.read(12))[:4] not in (b"RIFF", b"RF64") or head[8:] != b"WAVE":
        return 0, 0, 0
    long = STREAMED
    while len(chunk := file.read(8)) == 8:
        name, size = chunk[:4], int.from_bytes(chunk[4:], "little")
        at = file.tell()
        if name == b"data":
            return at, long if size == STREAMED else size, file.seek(0, io.SEEK_END) - at
        if name == b"ds64":  # of RF64: the size of the file, then that of the samples
            long = int.from_bytes(file.read(16)[8:], "little")
        file.seek(at + size + size % 2)
    return 0, 0, 0


def _decoded(sound: Path | bytes, most: int) -> int:
    with soundfile.SoundFile(whole(sound)) as file:
        try:
            return sum(map(len, file.blocks(1 << 16, dtype="int16")))
        except soundfile.LibsndfileError:
            return min(int(file.tell()), most - 1)


def _last_page(file: BinaryIO) -> bool:
    """Whether an Ogg stream ends with the page that says so (RFC 3533: flag 4 of the header type)."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - (1 << 17)))  # a page has at most 65,307 bytes
    tail = file.read()
    at = tail.rfind(b"OggS")
    parts = tail[at + 27 : at + 27 + tail[at + 26]] if 0 <= at < len(tail) - 27 else b""
    return bool(parts) and bool(tail[at + 5] & 4) and at + 27 + len(parts) + sum(parts) <= len(tail)
