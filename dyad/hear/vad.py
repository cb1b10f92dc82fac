"""Speech segments from the energy of each tick (dyad's spec of DyaFDB, arXiv 2610.08125, App. C)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dyad.audio import Pcm, rms_per_tick
from dyad.spec import SEATS, Segment
from dyad.spec.study import VadSettings

Doubles = NDArray[np.float64]
Spans = NDArray[np.int64]
Mask = NDArray[np.bool_]

_SPEECH_RMS = 10 ** (-26 / 20)  # where `normalise` brings a channel's speech
_MAX_GAIN = 10.0  # ±20 dB, so that a channel of faint noise is not made into speech


def segments_from_rms(rms: Doubles, setting: VadSettings) -> Spans:
    """Return the speech segments of one channel, int64 [k, 2] in ticks, sorted and disjoint: [start, end).

    `rms` [ticks] of a signal in [−1, 1]. A segment starts on a tick above `start_rms` and ends before the
    first below `stop_rms`; those shorter than `min_frames` are dropped and gaps of at most `merge_frames`
    closed, in the stated order. `normalise` first brings the channel's speech to −26 dBFS, so that a quiet
    voice is not cut shorter than a loud one.
    """
    if setting.normalise:
        rms = rms * _level_gain(rms)
    spans = runs(_hysteresis(rms, setting))
    if setting.order == "drop_then_merge":
        return merge(_drop(spans, setting.min_frames), setting.merge_frames)
    return _drop(merge(spans, setting.merge_frames), setting.min_frames)


def segments(pcm: Pcm, setting: VadSettings) -> list[Segment]:
    """Return both channels' segments of int16 [2, N] at 24 kHz, ordered by start, seat a first."""
    found = [
        Segment(seat=seat, start=int(start), end=int(end))
        for seat, rms in zip(SEATS, rms_per_tick(pcm), strict=True)
        for start, end in segments_from_rms(rms, setting)
    ]
    return sorted(found, key=lambda segment: (segment.start, segment.seat))


def runs(mask: Mask) -> Spans:
    """Return the runs of True in a mask as int64 [k, 2]: [start, end)."""
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return edges.reshape(-1, 2).astype(np.int64)


def merge(spans: Spans, gap: int) -> Spans:
    """Close gaps of at most `gap` between sorted spans."""
    if not len(spans):
        return spans
    apart = spans[1:, 0] - spans[:-1, 1] > gap
    first, last = np.concatenate([[True], apart]), np.concatenate([apart, [True]])
    return np.stack([spans[first, 0], spans[last, 1]], axis=1)


def _drop(spans: Spans, shortest: int) -> Spans:
    return spans[spans[:, 1] - spans[:, 0] >= shortest]


def _hysteresis(rms: Doubles, setting: VadSettings) -> Mask:
    """Speech from above `start_rms` until the first tick below `stop_rms`: the state is the last event's."""
    event = np.where(rms > setting.start_rms, 1, np.where(rms < setting.stop_rms, -1, 0))
    last = np.maximum.accumulate(np.where(event != 0, np.arange(len(rms)), -1))
    speech: Mask = (last >= 0) & (event[last] > 0)
    return speech


def _level_gain(rms: Doubles) -> float:
    """Return the gain that brings speech, the ticks within 20 dB of the loud ones, to −26 dBFS."""
    loud = np.quantile(rms, 0.95) if len(rms) else 0.0
    if loud <= 0:
        return 1.0
    active = rms[rms > loud / 10]
    return float(np.clip(_SPEECH_RMS / np.sqrt(np.mean(active**2)), 1 / _MAX_GAIN, _MAX_GAIN))
