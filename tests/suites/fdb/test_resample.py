"""The authors' resampler: values that torchaudio 2.11.1 gives, lengths, and blocks of work."""

from __future__ import annotations

import numpy as np
import pytest

from dyad.suites.fdb import resample
from dyad.suites.fdb.resample import sinc_resampled

# rate, and what an impulse at sample 30 of 60 becomes at 16 kHz: the loudest sample and three on both sides
IMPULSE = [
    (8_000, 60, [-0.181515, 0.009342, 0.625911, 0.99, 0.625911, 0.009342, -0.181515]),
    (24_000, 20, [0.003381, -0.005027, 0.006228, 0.66, 0.006228, -0.005027, 0.003381]),
    (44_100, 11, [0.009442, -0.019598, 0.047211, 0.351173, -0.03066, 0.011628, -0.004647]),
    (48_000, 10, [0.00169, -0.002513, 0.003114, 0.33, 0.003114, -0.002513, 0.00169]),
]


@pytest.mark.parametrize(("rate", "at", "expected"), IMPULSE)
def test_an_impulse_becomes_what_torchaudio_makes_of_it(rate: int, at: int, expected: list[float]) -> None:
    found = sinc_resampled(np.eye(60, dtype=np.float32)[30], rate, 16_000)
    assert int(np.abs(found).argmax()) == at
    np.testing.assert_allclose(found[at - 3 : at + 4], expected, atol=1e-5)


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000])
def test_lengths_are_rounded_up_and_a_tone_keeps_its_level(rate: int) -> None:
    n = rate + 37
    found = sinc_resampled(np.sin(2 * np.pi * 440 * np.arange(n) / rate).astype(np.float32), rate, 16_000)
    assert len(found) == -(-n * 16_000 // rate)
    assert found.dtype == np.float32
    middle = np.sin(2 * np.pi * 440 * np.arange(len(found)) / 16_000)[200:-200]
    np.testing.assert_allclose(found[200:-200], middle, atol=0.02)


def test_blocks_of_work_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(1).normal(0, 0.1, 5_000).astype(np.float32)
    whole = sinc_resampled(noise, 44_100, 16_000)
    monkeypatch.setattr(resample, "ROWS", 3)
    np.testing.assert_allclose(sinc_resampled(noise, 44_100, 16_000), whole, atol=1e-6)
