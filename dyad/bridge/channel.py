"""The channel: what the line does to speech on its way. Only what is heard changes, never the recording.

In this order, per direction and only where configured: gain, delay, the listener's own echo, band limit,
white noise, clipping, packet loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dyad.spec import RATE, SEATS, TICK, Direction, RunSpec

from .protocol import Floats

Effect = Callable[[Floats], Floats]

SPEECH_DBFS = -26.0  # nominal level of active speech, against which `noise_snr_db` is meant
PACKET = RATE // 50  # 20 ms
BAND_ORDER = 4  # of the Butterworth filter, per edge


def make_channel(lanes: Sequence[RunSpec]) -> Effect:
    """Return the function from what was said to what arrives, float32 [R, 1920] each, once per tick.

    Row r of the result is what row r ^ 1 hears. Rows without a channel pass unchanged, bit for bit.
    """
    directions = [way for run in lanes for way in (run.channel.ab, run.channel.ba)]
    rows = np.array([row for row, way in enumerate(directions) if way != Direction()], np.intp)
    if not len(rows):
        return lambda said: said
    ways = [directions[row] for row in rows]
    seeds = [lanes[row // 2].stream_seed("noise", SEATS[row % 2]) for row in rows]
    before, echo, after = _speech(ways), _echo(ways), _line(ways, seeds)

    def carry(said: Floats) -> Floats:
        heard = said.copy()
        heard[rows] = after(before(said[rows]) + echo(said[rows ^ 1]))
        return heard

    return carry


def _speech(ways: Sequence[Direction]) -> Effect:
    gain = _column([way.gain for way in ways])
    delay = _delay([way.delay_ms for way in ways])
    return lambda speech: delay(speech * gain)


def _echo(ways: Sequence[Direction]) -> Effect:
    gain = _column([way.echo_gain for way in ways])
    delay = _delay([way.echo_ms for way in ways])
    return lambda own: delay(own * gain)


def _line(ways: Sequence[Direction], seeds: Sequence[int]) -> Effect:
    effects = [_band(ways), _noise(ways, seeds), _clip(ways), _loss(ways, seeds)]

    def carry(speech: Floats) -> Floats:
        for effect in effects:
            speech = effect(speech)
        return speech

    return carry


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, np.float32)[:, None]


def _delay(delays_ms: Sequence[float]) -> Effect:
    """Delay each row by its own number of samples, with one ring for all rows."""
    delays = np.rint(np.array(delays_ms) * RATE / 1000).astype(np.int64)
    if not delays.any():
        return lambda speech: speech
    size = int(delays.max()) + TICK
    ring = np.zeros((len(delays), size), np.float32)
    rows, clock = np.arange(len(delays))[:, None], np.arange(TICK)

    def carry(speech: Floats) -> Floats:
        ring[:, clock % size] = speech
        late: Floats = ring[rows, (clock - delays[:, None]) % size]
        clock[:] += TICK
        return late

    return carry


def _band(ways: Sequence[Direction]) -> Effect:
    """Limit each row to its pass band with a causal filter whose state is kept from tick to tick."""
    bands = {way.band_hz for way in ways if way.band_hz}
    filters = [
        (np.array([i for i, way in enumerate(ways) if way.band_hz == band]), _sections(*band))
        for band in bands
    ]
    states = [np.zeros((len(sections), len(rows), 2)) for rows, sections in filters]

    def carry(speech: Floats) -> Floats:
        from scipy.signal import sosfilt

        for (rows, sections), state in zip(filters, states, strict=True):
            speech[rows], state[:] = sosfilt(sections, speech[rows].astype(np.float64), axis=-1, zi=state)
        return speech

    return carry if filters else lambda speech: speech


def _sections(low_hz: float, high_hz: float) -> NDArray[np.float64]:
    """Return the filter of a band; 0 and half the sample rate are open ends."""
    from scipy.signal import butter

    sections: NDArray[np.float64]
    if low_hz == 0:
        sections = butter(BAND_ORDER, high_hz, "lowpass", fs=RATE, output="sos")
    elif high_hz == RATE / 2:
        sections = butter(BAND_ORDER, low_hz, "highpass", fs=RATE, output="sos")
    else:
        sections = butter(BAND_ORDER, (low_hz, high_hz), "bandpass", fs=RATE, output="sos")
    return sections


def _noise(ways: Sequence[Direction], seeds: Sequence[int]) -> Effect:
    """Add white noise whose RMS lies `noise_snr_db` below the nominal speech level."""
    noisy = [
        (row, np.float32(10 ** ((SPEECH_DBFS - way.noise_snr_db) / 20)), np.random.default_rng([seed, 0]))
        for row, (way, seed) in enumerate(zip(ways, seeds, strict=True))
        if way.noise_snr_db is not None
    ]

    def carry(speech: Floats) -> Floats:
        for row, rms, random in noisy:
            speech[row] += rms * random.standard_normal(TICK, np.float32)
        return speech

    return carry


def _clip(ways: Sequence[Direction]) -> Effect:
    limit = _column([np.inf if way.clip is None else way.clip for way in ways])
    return lambda speech: np.clip(speech, -limit, limit)


def _loss(ways: Sequence[Direction], seeds: Sequence[int]) -> Effect:
    """Replace lost 20 ms packets by silence; each packet is lost on its own."""
    lossy = [
        (row, way.loss, np.random.default_rng([seed, 1]))
        for row, (way, seed) in enumerate(zip(ways, seeds, strict=True))
        if way.loss
    ]

    def carry(speech: Floats) -> Floats:
        packets = speech.reshape(len(speech), -1, PACKET)
        for row, share, random in lossy:
            packets[row, random.random(TICK // PACKET) < share] = 0.0
        return packets.reshape(speech.shape)

    return carry
