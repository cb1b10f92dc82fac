"""Whisper's input: the log-mel spectrogram (Radford et al. 2022, arXiv 2212.04356, sec. 2.2)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from .types import Floats

RATE, N_FFT, HOP = 16_000, 400, 160

Doubles = NDArray[np.float64]


def log_mel(pcm16k: Floats, frames: int, mels: int = 80) -> Floats:
    """Return float32 [mels, frames]: 10 ms steps, log10, 8 decades deep, scaled to about [−1, 1].

    The waveform is padded with silence, or cut, to `frames` steps.
    """
    audio = np.zeros(frames * HOP)
    kept = min(len(pcm16k), len(audio))
    audio[:kept] = pcm16k[:kept]
    padded = np.pad(audio, N_FFT // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, N_FFT)[::HOP][:frames]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)
    power = np.abs(np.fft.rfft(windows * hann, axis=1)) ** 2
    logs = np.log10(np.maximum(power @ mel_filters(mels).T, 1e-10))
    scaled = (np.maximum(logs, logs.max() - 8.0) + 4.0) / 4.0
    return np.ascontiguousarray(scaled.T, np.float32)


@cache
def mel_filters(mels: int) -> Doubles:
    """Return [mels, 201] triangular filters on Slaney's mel scale, each of unit area, from 0 to 8 kHz."""
    edges = _mel_to_hz(np.linspace(0.0, float(_hz_to_mel(np.array(RATE / 2))), mels + 2))
    bins = np.fft.rfftfreq(N_FFT, 1 / RATE)
    width = np.diff(edges)
    rise = (bins - edges[:-2, None]) / width[:-1, None]
    fall = (edges[2:, None] - bins) / width[1:, None]
    height = 2.0 / (edges[2:] - edges[:-2])
    filters: Doubles = np.maximum(0.0, np.minimum(rise, fall)) * height[:, None]
    return filters


# Slaney's scale: linear below 1 kHz (15 mels), 27 steps to each factor of 6.4 above.
_KNEE_HZ, _KNEE_MEL, _STEP = 1000.0, 15.0, np.log(6.4) / 27.0


def _hz_to_mel(hz: Doubles) -> Doubles:
    above = _KNEE_MEL + np.log(np.maximum(hz, _KNEE_HZ) / _KNEE_HZ) / _STEP
    return np.where(hz < _KNEE_HZ, hz * _KNEE_MEL / _KNEE_HZ, above)


def _mel_to_hz(mel: Doubles) -> Doubles:
    above = _KNEE_HZ * np.exp(_STEP * (np.maximum(mel, _KNEE_MEL) - _KNEE_MEL))
    return np.where(mel < _KNEE_MEL, mel * _KNEE_HZ / _KNEE_MEL, above)
