"""Speech segments from the energy of each tick (dyad's spec of DyaFDB, arXiv 2610.08125, App. C)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dyad.audio import Pcm, rms_per_tick
from dyad.errors import ConfigError, near
from dyad.spec import SEATS, Segment

Doubles = NDArray[np.float64]
Spans = NDArray[np.int64]
Mask = NDArray[np.bool_]

_SPEECH_RMS = 10 ** (-26 / 20)  # where `level` brings a channel's speech
_MAX_GAIN = 10.0  # ±20 dB, so that a channel of faint noise is not made into speech


@dataclass(frozen=True)
class VadSetting:
    """Energy VAD: thresholds are RMS of a signal in [−1, 1], lengths are ticks.

    A segment starts on a tick above `on` and ends before the first below `off`; segments shorter than
    `min_ticks` are dropped and gaps of at most `merge_ticks` closed, in the stated order. `level` first
    brings each channel's speech to −26 dBFS, so that a quiet voice is not cut shorter than a loud one.
    """

    on: float = 0.010
    off: float = 0.004
    min_ticks: int = 2
    merge_ticks: int = 4
    order: Literal["drop_then_merge", "merge_then_drop"] = "drop_then_merge"
    level: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.off <= self.on:
            raise ConfigError(f"VAD: off ({self.off}) must be above 0 and at most on ({self.on})")


SETTINGS: Mapping[str, VadSetting] = MappingProxyType(
    {
        "dyafdb": VadSetting(),
        "merge_first": VadSetting(order="merge_then_drop"),
        "levelled": VadSetting(level=True),
    }
)


def vad_setting(name: str) -> VadSetting:
    """Return a named setting; ConfigError when there is none."""
    if name not in SETTINGS:
        raise ConfigError(f"unknown VAD setting '{name}'{near(name, SETTINGS)}")
    return SETTINGS[name]


def segments_from_rms(rms: Doubles, setting: VadSetting) -> Spans:
    """Return the speech segments of one channel, int64 [k, 2] in ticks, sorted and disjoint: [start, end)."""
    if setting.level:
        rms = rms * _level_gain(rms)
    spans = runs(_hysteresis(rms, setting))
    if setting.order == "drop_then_merge":
        return merge(_drop(spans, setting.min_ticks), setting.merge_ticks)
    return _drop(merge(spans, setting.merge_ticks), setting.min_ticks)


def segments(pcm: Pcm, setting: VadSetting) -> list[Segment]:
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


def _hysteresis(rms: Doubles, setting: VadSetting) -> Mask:
    """Speech from a tick above `on` until the first below `off`: the state is the last event's."""
    event = np.where(rms > setting.on, 1, np.where(rms < setting.off, -1, 0))
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
