"""Sound as arrays: levels, peaks, the causal resampler, and audio files (layer 0).

Every file is read through `decoded` or described by `facts`, which say where it holds less than it declares.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

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

CHUNKED = {b"RIFF": "little", b"RF64": "little", b"RIFX": "big", b"FORM": "big"}  # and their byte order
SAMPLES = (b"data", b"SSND")  # the chunk of the samples
STREAMED = 0x7FFF0000  # bytes: who writes to a pipe puts this much or more, or 0, where a size belongs
UNKNOWN = 1 << 40  # frames that no file has: libsndfile's word for a length that nobody wrote
SLACK_S = 0.01  # of a file that may be lacking
BLOCK = 1 << 20  # frames


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


class Facts(NamedTuple):
    """What a file holds; `lacks` says what of it is not there, e.g. "cut off: 5.0 of 8.0 s", else ""."""

    frames: int
    rate: int
    channels: int
    subtype: str
    lacks: str

    @property
    def seconds(self) -> float:
        """The length of what is there."""
        return self.frames / self.rate


class Decoded(NamedTuple):
    """All that a file holds, [N, channels], and what it is."""

    pcm: NDArray[Any]
    facts: Facts


def decoded(source: Path | bytes, dtype: str = "float32") -> Decoded:
    """Read a sound file as far as it goes; `dtype` "" is int16 where the file has 16 bits, else float32.

    A file without a length, as a streaming writer leaves it, is read to its end. Raises LibsndfileError for
    what is no sound.
    """
    with _opened(source) as (file, share):
        wanted = dtype or ("int16" if file.subtype == "PCM_16" else "float32")
        whole = None
        if file.frames < UNKNOWN:
            with suppress(soundfile.LibsndfileError):
                whole = file.read(dtype=wanted, always_2d=True)
        pcm = _as_far_as_it_goes(source, wanted) if whole is None else whole
        return Decoded(pcm, _facts(file, source, share, len(pcm)))


def facts(source: Path | bytes) -> Facts:
    """Return what `decoded` would, without the sound, and without reading it where its header tells."""
    with _opened(source) as (file, share):
        if file.format not in ("FLAC", "MP3"):
            return _facts(file, source, share, file.frames)
    return decoded(source).facts


def _facts(file: soundfile.SoundFile, source: Path | bytes, share: float, frames: int) -> Facts:
    """`share` of the bytes of all samples are there, and `frames` could be decoded."""
    rate = int(file.samplerate)
    whole = max(frames / share, file.frames if file.format == "FLAC" and file.frames < UNKNOWN else 0)
    lacks = ""
    if whole - frames > SLACK_S * rate:
        lacks = f"cut off: {_two(frames / rate, whole / rate)} s"
    elif file.format == "OGG" and not _has_last_page(_tail(source)):
        lacks = f"cut off: {frames / rate:.1f} s, and its last page is lacking"
    return Facts(frames, rate, int(file.channels), str(file.subtype), lacks)


def _two(there: float, declared: float) -> str:
    digits = 1 if f"{there:.1f}" != f"{declared:.1f}" else 2
    return f"{there:.{digits}f} of {declared:.{digits}f}"


@contextmanager
def opened(source: Path | bytes) -> Iterator[soundfile.SoundFile]:
    """Open a file to read parts of it; one that a streaming writer left without a length is all there."""
    with _opened(source) as (file, _):
        yield file


@contextmanager
def _opened(source: Path | bytes) -> Iterator[tuple[soundfile.SoundFile, float]]:
    """Open a file, and say which share of its samples' bytes it holds."""
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as raw:
        at, share = _declared(raw)
        if at:  # libsndfile takes a size of 0 at its word
            raw.seek(0)
            held = bytearray(raw.read())
            held[at : at + 4] = b"\xff" * 4
            raw = io.BytesIO(held)
        raw.seek(0)
        with soundfile.SoundFile(raw if at or isinstance(source, bytes) else source) as file:
            yield file, share


def _declared(raw: BinaryIO) -> tuple[int, float]:
    """Return where a size of 0 stands before samples, 0 for nowhere; and the share of samples that is there.

    A share of 1 also where no size is known.
    """
    size = raw.seek(0, io.SEEK_END)
    chunks = list(_chunks(raw, size))
    own = next((chunk for chunk in chunks if chunk[0] in SAMPLES), None)
    if own is None or own[1] >= size:
        return 0, 1.0
    _, start, declared = own
    if not declared:
        last = chunks[-1]
        return (0 if last[1] + last[2] in (size, size + 1) else start - 4), 1.0  # other chunks follow it
    return 0, 1.0 if declared >= STREAMED else min(1.0, (size - start) / declared)


def _chunks(raw: BinaryIO, size: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield the chunks of a WAV or AIFF file: name, where it starts, its size; nothing of other files."""
    raw.seek(0)
    head = raw.read(12)
    order, long = CHUNKED.get(head[:4]), 0
    at = 12 if order else size
    while at + 8 <= size:
        raw.seek(at)
        name, bytes_ = raw.read(4), int.from_bytes(raw.read(4), order or "little")  # type: ignore[arg-type]
        if not (name.isascii() and name.decode("latin-1").isprintable()):
            return
        if name == b"ds64":  # where RF64 has the size of its samples
            long = int.from_bytes(raw.read(16)[8:], "little")
        bytes_ = long if name in SAMPLES and head[:4] == b"RF64" and long else bytes_
        yield name, at + 8, bytes_
        at += 8 + bytes_ + bytes_ % 2


def _tail(source: Path | bytes) -> bytes:
    most = 1 << 17  # two pages of Ogg
    if isinstance(source, bytes):
        return source[-most:]
    with source.open("rb") as raw:
        raw.seek(-min(most, raw.seek(0, io.SEEK_END)), io.SEEK_END)
        return raw.read()


def _has_last_page(tail: bytes) -> bool:
    """Whether an Ogg file ends with a whole page that says that it is the last."""
    page = tail[max(tail.rfind(b"OggS"), 0) :]
    if len(page) < 27 or not page[5] & 4:
        return False
    lacing = page[27 : 27 + page[26]]
    return len(page) >= 27 + page[26] + sum(lacing)


def _as_far_as_it_goes(source: Path | bytes, dtype: str) -> NDArray[Any]:
    """Decode until the decoder fails. What it had by then lies before the NaN in its buffer."""
    blocks = list[Floats]()
    with _opened(source) as (file, _):
        while not blocks or len(blocks[-1]) == BLOCK:
            block = np.full((BLOCK, file.channels), np.nan, np.float32)
            with suppress(soundfile.LibsndfileError):
                file.read(dtype="float32", always_2d=True, out=block)
            blocks.append(block[: int(np.isnan(block[:, 0]).argmax()) if np.isnan(block).any() else BLOCK])
    pcm = np.concatenate(blocks)
    return pcm if dtype == "float32" else to_int16(pcm)


def flac_bytes(pcm: Pcm) -> bytes:
    """Return int16 [2, N] at 24 kHz as a 16-bit FLAC file, left = seat a, right = seat b."""
    file = io.BytesIO()
    soundfile.write(file, pcm.T, RATE, format="FLAC", subtype="PCM_16")
    return file.getvalue()


def read_flac(path: Path) -> Pcm:
    """Read a recording as int16 [2, N]; raises ConfigError when it is not stereo at 24 kHz."""
    pcm, held = read_file(path, "int16")
    if (held.rate, held.channels) != (RATE, 2):
        raise ConfigError(
            f"{path} is not a recording: it has {held.channels} channels at {held.rate} Hz, not 2 at {RATE}"
        )
    return np.ascontiguousarray(pcm.T)


def read_mono(path: Path, channel: int | None = None, wanted: int = RATE, part: bool = False) -> Floats:
    """Read one channel of an audio file as float32 [N] at the `wanted` rate, converted as a whole if need be.

    Raises ConfigError, naming file and remedy, for a file that is missing, unreadable, empty or not finite,
    that is cut off unless a `part` will do, or that has several channels and no `channel` (counted from 0).
    """
    pcm, held = read_file(path, part=part)
    if not len(pcm):
        raise ConfigError(f"{path} is empty; give a file with at least one sample")
    if channel is None and pcm.shape[1] > 1:
        raise ConfigError(f"{path} has {pcm.shape[1]} channels; choose one with channel=0…{pcm.shape[1] - 1}")
    if channel is not None and not 0 <= channel < pcm.shape[1]:
        raise ConfigError(f"{path} has no channel {channel}; it has {pcm.shape[1]}, counted from 0")
    mono = np.ascontiguousarray(pcm[:, channel or 0])
    if not np.isfinite(mono).all():
        raise ConfigError(f"{path} holds NaN or infinite samples; export it again as 16-bit PCM")
    return resampled(mono, held.rate, wanted)


def resampled(pcm: Floats, rate: int, wanted: int) -> Floats:
    """Return whole sound, float32 [N], at another rate in Hz: [ceil(N · wanted / rate)], no delay."""
    if rate == wanted:
        return pcm
    from scipy.signal import resample_poly

    common = int(np.gcd(rate, wanted))
    return np.asarray(resample_poly(pcm, wanted // common, rate // common), np.float32)


def read_file(path: Path, dtype: str = "float32", part: bool = False) -> Decoded:
    """Read a sound file as `decoded`; raises ConfigError where it is missing, no sound, or cut off.

    With `part` a file that is cut off is read as far as it goes.
    """
    if not path.is_file():
        raise ConfigError(f"{path} does not exist; give the path of an audio file")
    try:
        found = decoded(path, dtype)
    except soundfile.LibsndfileError as error:
        raise unreadable(path, error) from error
    if not part:
        check_whole(path, found.facts)
    return found


def check_whole(where: object, found: Facts) -> None:
    """Raise ConfigError for a file that holds less than it declares."""
    if found.lacks:
        raise ConfigError(f"{where} is {found.lacks}; copy or export it again")


def unreadable(where: object, error: soundfile.LibsndfileError) -> ConfigError:
    """Return what is said of a file that is no sound."""
    return ConfigError(f"{where} cannot be read as audio ({error.error_string}); use WAV or FLAC")
