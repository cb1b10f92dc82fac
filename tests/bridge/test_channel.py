"""The channel: what arrives, per direction, and that nothing arrives changed without being asked to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from dyad.audio import rms_per_tick
from dyad.bridge.channel import make_channel
from dyad.spec import TICK, ChannelSpec, Direction
from dyad.testing import lane


def carry(said: np.ndarray, lanes: list) -> np.ndarray:
    """Send float32 [R, N] through the channel of the lanes, tick by tick."""
    channel = make_channel(lanes)
    ticks = said.reshape(len(said), -1, TICK).transpose(1, 0, 2)
    return np.concatenate([channel(tick.copy()) for tick in ticks], axis=1)


def run(ab: Direction | None = None, ba: Direction | None = None, **fields):
    return lane(
        "silence", "silence", channel=ChannelSpec(ab=ab or Direction(), ba=ba or Direction()), **fields
    )


def noise(rows: int, ticks: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (rows, ticks * TICK)).astype(np.float32)


def test_the_empty_channel_returns_the_very_array():
    said = noise(4, 1)
    assert make_channel([run(), run()])(said) is said


def test_a_lane_without_channel_is_untouched_beside_one_with():
    said = noise(4, 5)
    heard = carry(said, [run(), run(Direction(noise_snr_db=0.0, loss=0.5, band_hz=(300, 3400)))])
    assert np.array_equal(heard[[0, 1, 3]], said[[0, 1, 3]])
    assert not np.array_equal(heard[2], said[2])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 12_000), st.integers(0, 12_000))
def test_delay_is_exact_to_the_sample(one, two):
    said = noise(4, 8)
    heard = carry(said, [run(Direction(delay_ms=one / 24)), run(None, Direction(delay_ms=two / 24))])
    for row, delay in ((0, one), (1, 0), (2, 0), (3, two)):
        assert np.array_equal(heard[row, delay:], said[row, : said.shape[1] - delay])
        assert not heard[row, :delay].any()


def test_gain_scales_and_zero_cuts_the_line():
    said = noise(2, 3)
    heard = carry(said, [run(Direction(gain=0.0), Direction(gain=0.5))])
    assert not heard[0].any()
    assert np.array_equal(heard[1], said[1] * np.float32(0.5))


def test_echo_is_the_listeners_own_speech():
    said = noise(2, 4)
    heard = carry(said, [run(Direction(gain=0.0, echo_gain=0.25, echo_ms=100.0))])
    assert np.array_equal(heard[0, 2400:], said[1, :-2400] * np.float32(0.25))
    assert np.array_equal(heard[1], said[1])


@pytest.mark.parametrize("snr_db", [0.0, 20.0])
def test_noise_lies_at_its_level_below_nominal_speech(snr_db):
    heard = carry(np.zeros((2, 100 * TICK), np.float32), [run(Direction(noise_snr_db=snr_db))])
    level_db = 20 * np.log10(np.sqrt(np.mean(heard[0].astype(float) ** 2)))
    assert level_db == pytest.approx(-26 - snr_db, abs=0.1)
    assert not heard[1].any()
    spectrum = np.abs(np.fft.rfft(heard[0])) ** 2
    low, high = spectrum[: len(spectrum) // 2].mean(), spectrum[len(spectrum) // 2 :].mean()
    assert low / high == pytest.approx(1, abs=0.05)  # white


def test_loss_drops_whole_packets_at_its_rate():
    said = np.ones((2, 500 * TICK), np.float32)
    packets = carry(said, [run(Direction(loss=0.3))])[0].reshape(-1, 480)
    assert set(packets.sum(axis=1).tolist()) == {0.0, 480.0}
    assert (packets[:, 0] == 0).mean() == pytest.approx(0.3, abs=0.03)
    assert not carry(said, [run(Direction(loss=1.0))])[0].any()


def test_clip_limits_both_signs():
    said = noise(2, 2)
    heard = carry(said, [run(Direction(clip=0.1))])
    assert np.array_equal(heard[0], np.clip(said[0], np.float32(-0.1), np.float32(0.1)))


@pytest.mark.parametrize(
    ("freq_hz", "low_db", "high_db"), [(1000, -0.5, 0.1), (50, -200, -40), (8000, -200, -40)]
)
def test_band_limit_passes_the_band_only(freq_hz, low_db, high_db):
    said = np.zeros((2, 20 * TICK), np.float32)
    said[0] = 0.5 * np.sin(2 * np.pi * freq_hz * np.arange(20 * TICK) / 24_000)
    heard = carry(said, [run(Direction(band_hz=(300, 3400)))])
    gain_db = 20 * np.log10(rms_per_tick(heard)[0, -1] / rms_per_tick(said)[0, -1])
    assert low_db <= gain_db <= high_db


@pytest.mark.parametrize(("band", "kept"), [((0, 3400), 50), ((300, 12_000), 11_000)])
def test_a_band_may_have_one_open_end(band, kept):
    said = np.zeros((2, 20 * TICK), np.float32)
    said[0] = 0.5 * np.sin(2 * np.pi * kept * np.arange(20 * TICK) / 24_000)
    heard = carry(said, [run(Direction(band_hz=band))])
    assert rms_per_tick(heard)[0, -1] == pytest.approx(rms_per_tick(said)[0, -1], rel=0.01)


@pytest.mark.parametrize("band", [(3400, 300), (0, 12_000), (300, 20_000), (-1, 300)])
def test_a_band_that_is_none_is_refused(band):
    with pytest.raises(ValidationError, match="band_hz"):
        Direction(band_hz=band)


EVERYTHING = Direction(
    gain=0.8,
    delay_ms=7.0,
    noise_snr_db=20.0,
    loss=0.2,
    band_hz=(300, 3400),
    clip=0.3,
    echo_gain=0.1,
    echo_ms=30.0,
)


def test_a_lane_does_not_depend_on_the_lanes_beside_it():
    lanes = [run(EVERYTHING, EVERYTHING, seed=seed) for seed in range(5)]
    said = noise(10, 6)
    together = carry(said, lanes)
    for i, one in enumerate(lanes):
        assert np.array_equal(together[2 * i : 2 * i + 2], carry(said[2 * i : 2 * i + 2], [one]))
    assert not np.array_equal(together[0], carry(said[:2], [lanes[1]])[0])  # seeds do matter


def test_loss_and_noise_draw_from_streams_of_their_own():
    said = np.ones((2, 40 * TICK), np.float32)
    quiet = carry(said, [run(Direction(loss=0.3))])[0]
    noisy = carry(said, [run(Direction(loss=0.3, noise_snr_db=10.0))])[0]
    assert np.array_equal(quiet == 0, noisy == 0)
