"""Sound at 16 kHz: the numbers of torchaudio 2.11 (`functional.resample`, its defaults), to 1e-4."""

from __future__ import annotations

import numpy as np
import pytest

from dyad.audio import Floats, to_int16
from dyad.suites.resample import VAD_RATE, at_16k, sinc_resampled

# The first two samples, and those at a third, at half and at the end, of half a second.
TORCHAUDIO = [
    (8000, "noise", [-0.253489, -0.233133, -0.19727, 0.1328, 0.011001]),
    (8000, "sweep", [0.0, 6e-05, 0.470634, -2e-05, -0.000199]),
    (22050, "noise", [0.182449, 0.112086, 0.217256, -0.162718, -0.074723]),
    (22050, "sweep", [1e-06, 0.000136, 0.319256, -0.494162, -0.204874]),
    (24000, "noise", [-0.153604, 0.254933, 0.007346, -0.020468, -0.188601]),
    (24000, "sweep", [1e-06, 0.000148, 1.2e-05, 0.34804, -9e-06]),
    (32000, "noise", [-0.003347, 0.110381, 0.286769, 0.345331, -0.239023]),
    (32000, "sweep", [2e-06, 0.000197, -0.495529, -0.165936, 1e-06]),
    (44100, "noise", [0.269374, -0.095259, -0.046015, -0.040279, 0.073218]),
    (44100, "sweep", [2e-06, 0.000271, 0.029797, -0.000589, 1e-06]),
    (48000, "noise", [0.106325, 0.004669, 0.115587, 0.070939, 0.171822]),
    (48000, "sweep", [3e-06, 0.000295, -0.203557, 0.000612, 0.0]),
]


def signal(rate: int, name: str) -> Floats:
    """White noise, or a sweep up to half the rate."""
    size = rate // 2 + 7
    if name == "noise":
        return np.random.default_rng(rate).uniform(-0.5, 0.5, size).astype(np.float32)
    at = np.arange(size) / rate
    return (0.5 * np.sin(2 * np.pi * (rate / 2) / 2 / at[-1] * at * at)).astype(np.float32)


@pytest.mark.parametrize(("rate", "name", "expected"), TORCHAUDIO)
def test_it_is_the_filter_of_torchaudio(rate: int, name: str, expected: list[float]) -> None:
    sound = signal(rate, name)
    found = sinc_resampled(sound, rate, VAD_RATE)
    size = -(-len(sound) * VAD_RATE // rate)
    assert (found.dtype, len(found)) == (np.float32, size)
    assert found[[0, 1, size // 3, size // 2, size - 1]] == pytest.approx(expected, abs=1e-4)


def test_nothing_is_rounded_to_16_bit() -> None:
    found = at_16k(to_int16(signal(48_000, "noise")), 48_000)
    steps = found * 32_768
    assert np.abs(steps - np.rint(steps)).max() > 0.4


def test_sound_at_16_khz_stays_as_it_is() -> None:
    pcm = to_int16(signal(16_000, "noise"))
    assert np.array_equal(to_int16(at_16k(pcm, 16_000)), pcm)
