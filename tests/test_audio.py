"""Sound as arrays: exact round trips, levels, and the resampler's published table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dyad.audio import (
    Resampler,
    flac_bytes,
    peaks,
    read_flac,
    read_mono,
    rms_per_tick,
    tick_size,
    to_float,
    to_int16,
)
from dyad.errors import ConfigError

# rates, samples per tick, delay in ms, dB from 1.1 × and up to 0.8 × the lower Nyquist, SNR at 1 kHz
TABLE = [
    (24_000, 16_000, 1280, 0.99, 87.0, -0.16, 126),
    (16_000, 24_000, 1920, 1.49, 93.8, -0.005, 98),
    (22_050, 24_000, 1920, 1.09, 93.7, -0.005, 110),
    (24_000, 22_050, 1764, 1.00, 93.3, -0.005, 123),
    (24_000, 8_000, 640, 2.23, 90.6, -0.07, 104),
    (8_000, 24_000, 1920, 2.98, 93.8, -0.005, 98),
    (24_000, 48_000, 3840, 0.99, 93.3, -0.005, 98),
    (48_000, 24_000, 1920, 0.74, 90.1, -0.08, 107),
    (24_000, 44_100, 3528, 1.00, 93.6, -0.005, 98),
    (44_100, 24_000, 1920, 0.75, 91.6, -0.07, 100),
]
RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]


def tone(rate: int, freq_hz: float, ticks: int) -> np.ndarray:
    at = np.arange(tick_size(rate) * ticks) / rate
    return np.sin(2 * np.pi * freq_hz * at).astype(np.float32)[None]


def response(rate_in: int, rate_out: int) -> np.ndarray:
    """Return the filter, read off the resampler: output j answers an impulse at input i with h[jM - iL]."""
    common = np.gcd(rate_in, rate_out)
    up, down = rate_out // common, rate_in // common
    impulses = np.eye(down, tick_size(rate_in), dtype=np.float32)
    said = Resampler(rate_in, rate_out, down)(impulses)
    filter_ = np.zeros((48 if 2 * down <= 3 * up else 36 * down // up) * up)
    for row, answer in enumerate(said):
        at = np.arange(len(answer)) * down - row * up
        inside = (at >= 0) & (at < len(filter_))
        filter_[at[inside]] = answer[inside]
        assert not answer[~inside].any()
    return filter_ / up


@pytest.mark.parametrize(("rate_in", "rate_out", "size", "delay_ms", "stop_db", "pass_db", "snr_db"), TABLE)
def test_resampler_table(rate_in, rate_out, size, delay_ms, stop_db, pass_db, snr_db):
    filter_ = response(rate_in, rate_out)
    rate = rate_in * rate_out / np.gcd(rate_in, rate_out)
    delay_s = np.sum(filter_ * np.arange(len(filter_))) / np.sum(filter_) / rate
    assert round(1000 * delay_s, 2) == delay_ms
    gain_db = 20 * np.log10(np.abs(np.fft.rfft(filter_, 1 << 19)) + 1e-12)
    hz = np.fft.rfftfreq(1 << 19, 1 / rate)
    lower = min(rate_in, rate_out) / 2
    assert gain_db[hz >= 1.1 * lower].max() <= -stop_db
    assert gain_db[hz <= 0.8 * lower].min() >= pass_db

    said = Resampler(rate_in, rate_out, 1)(tone(rate_in, 1000, 20))
    assert said.shape == (1, 20 * size)
    late = 2 * np.pi * 1000 * (np.arange(said.shape[1]) / rate_out - delay_s)
    rest = (said[0] - np.sin(late))[2000:]
    assert 10 * np.log10(0.5 / np.mean(rest**2)) >= snr_db


@settings(max_examples=40, deadline=None)
@given(
    rate_in=st.sampled_from(RATES),
    rate_out=st.sampled_from(RATES),
    rows=st.integers(1, 9),
    ticks=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_blocks_rows_and_whole_agree_to_the_bit(rate_in, rate_out, rows, ticks, seed):
    size = tick_size(rate_in)
    pcm = np.random.default_rng(seed).uniform(-1, 1, (rows, ticks * size)).astype(np.float32)
    whole = Resampler(rate_in, rate_out, rows)(pcm)
    by_tick = Resampler(rate_in, rate_out, rows)
    blocks = [by_tick(pcm[:, start : start + size]) for start in range(0, ticks * size, size)]
    alone = [Resampler(rate_in, rate_out, 1)(row[None]) for row in pcm]
    assert np.array_equal(whole, np.concatenate(blocks, axis=1))
    assert np.array_equal(whole, np.concatenate(alone))
    assert whole.shape == (rows, ticks * tick_size(rate_out))


@pytest.mark.parametrize("rows", [64, 128])
def test_wide_batches_do_not_change_a_row(rows):
    pcm = np.random.default_rng(1).uniform(-1, 1, (rows, 1920)).astype(np.float32)
    wide = Resampler(24_000, 16_000, rows)(pcm)
    assert np.array_equal(wide[17:18], Resampler(24_000, 16_000, 1)(pcm[17:18]))


def test_resampler_is_causal():
    pcm = np.random.default_rng(2).uniform(-1, 1, (1, 3840)).astype(np.float32)
    changed = pcm.copy()
    changed[0, 1920:] = 0
    assert np.array_equal(
        Resampler(24_000, 16_000, 1)(pcm)[:, :1280], Resampler(24_000, 16_000, 1)(changed)[:, :1280]
    )


def test_a_rate_without_whole_ticks_is_refused():
    with pytest.raises(ConfigError, match="11030 Hz"):
        Resampler(11_030, 24_000, 1)


@given(arrays(np.int16, st.integers(1, 200)))
def test_int16_survives_float(pcm):
    assert np.array_equal(to_int16(to_float(pcm)), pcm)


def test_loud_floats_are_clipped():
    assert to_int16(np.array([-9.0, -1.0, 1.0, 9.0, 0.5 / 32768])).tolist() == [
        -32768,
        -32768,
        32767,
        32767,
        0,
    ]


def test_rms_of_known_signals():
    pcm = np.zeros((2, 1920 * 3 + 7), np.float32)
    pcm[0, 1920:3840] = 0.25
    pcm[1, 0] = 1.0
    want = [[0, 0.25, 0], [1 / np.sqrt(1920), 0, 0]]
    assert np.allclose(rms_per_tick(pcm), want, rtol=1e-6)
    assert np.allclose(rms_per_tick(to_int16(pcm)), want, rtol=1e-4)


@given(arrays(np.int16, st.tuples(st.just(2), st.integers(1, 1500))))
def test_peaks_contain_every_sample(pcm):
    drawn = peaks(pcm)
    assert drawn.shape == (2, -(-pcm.shape[1] // 480), 2)
    low, high = np.repeat(drawn.astype(int), 480, axis=1)[:, : pcm.shape[1]].transpose(2, 0, 1) * 256
    assert (low <= pcm).all()
    assert ((pcm <= high) | (high == 127 * 256)).all()
    assert (pcm - low).reshape(-1).min() < 256  # and no wider than one step


def test_peaks_of_silence_and_full_scale():
    pcm = np.array([[0] * 480 + [32767] * 480, [-32768] * 480 + [-1] * 480], np.int16)
    assert peaks(pcm).tolist() == [[[0, 0], [127, 127]], [[-128, -128], [-1, 0]]]


def test_flac_is_lossless(tmp_path: Path):
    pcm = np.random.default_rng(0).integers(-32768, 32768, (2, 5000)).astype(np.int16)
    (tmp_path / "audio.flac").write_bytes(flac_bytes(pcm))
    assert np.array_equal(read_flac(tmp_path / "audio.flac"), pcm)
    info = soundfile.info(tmp_path / "audio.flac")
    assert (info.samplerate, info.subtype, info.channels) == (24_000, "PCM_16", 2)
    assert np.array_equal(read_mono(tmp_path / "audio.flac", 1), to_float(pcm[1]))


def test_equal_sound_gives_equal_files():
    pcm = np.random.default_rng(0).integers(-3000, 3000, (2, 5000)).astype(np.int16)
    assert flac_bytes(pcm) == flac_bytes(pcm.copy())


@pytest.mark.parametrize(
    ("samples", "rate", "channel", "says"),
    [
        (np.zeros(0, np.float32), 24_000, None, "empty"),
        (np.full(100, np.nan, np.float32), 24_000, None, "NaN"),
        (np.zeros((100, 2), np.float32), 24_000, None, "choose one with channel=0…1"),
        (np.zeros((100, 2), np.float32), 24_000, 2, "no channel 2"),
    ],
)
def test_unusable_files_are_refused_in_one_line(tmp_path: Path, samples, rate, channel, says):
    path = tmp_path / "partner.wav"
    soundfile.write(path, samples, rate, subtype="FLOAT")
    with pytest.raises(ConfigError, match=r"partner\.wav") as caught:
        read_mono(path, channel)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
def test_a_file_of_another_rate_is_read_at_ours_without_delay(tmp_path: Path, rate):
    at = np.arange(rate) / rate
    soundfile.write(tmp_path / "tone.wav", 0.5 * np.sin(2 * np.pi * 440 * at), rate, subtype="FLOAT")
    read = read_mono(tmp_path / "tone.wav")
    assert len(read) == 24_000
    ours = 0.5 * np.sin(2 * np.pi * 440 * np.arange(24_000) / 24_000)
    assert np.abs(read - ours)[500:-500].max() < 2e-3


def test_missing_and_broken_files_are_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="does not exist"):
        read_mono(tmp_path / "nowhere.wav")
    (tmp_path / "notes.wav").write_text("not audio")
    with pytest.raises(ConfigError, match="cannot be read as audio"):
        read_mono(tmp_path / "notes.wav")


def test_a_mono_file_is_no_recording(tmp_path: Path):
    soundfile.write(tmp_path / "mono.flac", np.zeros(10), 24_000)
    with pytest.raises(ConfigError, match="not a recording"):
        read_flac(tmp_path / "mono.flac")
