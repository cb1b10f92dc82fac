import io

import numpy as np
import pytest
import soundfile

from dyad.report.sound import DELAY, RATE, encode

FRAME = 576  # samples of an MP3 frame at 24 kHz


def noise(seconds: int) -> np.ndarray:
    """Noise of both seats that is like itself at one place only, as dull as speech."""
    raw = np.random.default_rng(0).normal(0, 1, (2, seconds * RATE + 9))
    dull = np.apply_along_axis(np.convolve, 1, raw, np.ones(10), "valid")
    return (3000 * dull / dull.std()).astype(np.int16)


def late_by(heard: np.ndarray, sent: np.ndarray, at: int) -> int:
    """By how many samples a second of `sent` comes late in `heard`."""
    own, around = sent[at : at + RATE].astype(float), heard[at - 2000 : at + RATE + 2000].astype(float)
    return int(np.argmax(np.correlate(around, own, "valid"))) - 2000


def test_both_channels_come_back_in_their_place_and_apart(tones: np.ndarray):
    file = encode(tones)
    heard, rate = soundfile.read(io.BytesIO(file), dtype="int16")
    assert rate == RATE
    assert tones.shape[1] <= len(heard) < tones.shape[1] + 2 * FRAME
    heard = heard[: tones.shape[1]].T
    for channel in (0, 1):
        assert np.corrcoef(heard[channel, DELAY:], tones[channel, DELAY:])[0, 1] > 0.99
        silent = tones[channel] == 0
        assert np.abs(heard[channel, silent]).mean() < 30, "one seat is not heard in the other's channel"
    assert len(file) < tones.nbytes / 4


@pytest.mark.parametrize("at_s", [1, 15, 28])
def test_sound_is_in_step_with_the_lanes_throughout(at_s: int):
    sent = noise(30)
    heard, _ = soundfile.read(io.BytesIO(encode(sent)), dtype="int16")
    for channel in (0, 1):
        assert abs(late_by(heard[:, channel], sent[channel], at_s * RATE)) <= 1


def test_the_place_of_a_byte_tells_its_time():
    file = encode(noise(4))
    size = 72 * 56_000 // RATE  # bytes of a frame
    assert len(file) % size == 0
    assert {file[at : at + 2] for at in range(0, len(file), size)} == {b"\xff\xf3"}
    assert len(file) // size == -(-4 * RATE // FRAME)
    assert b"Info" not in file[:size]


def test_a_recording_of_a_minute_is_written_whole():
    pcm = np.random.default_rng(0).normal(0, 500, (2, 60 * RATE)).astype(np.int16)
    assert 0 <= soundfile.info(io.BytesIO(encode(pcm))).frames - 60 * RATE < 2 * FRAME


REFUSED = [
    np.zeros((3, 9000), np.int16),
    np.zeros((2, 9000), np.float32),
    np.zeros(9000, np.int16),
    np.zeros((2, DELAY), np.int16),
]


@pytest.mark.parametrize("pcm", REFUSED, ids=["three channels", "float", "one axis", "too short"])
def test_another_shape_or_type_is_refused(pcm: np.ndarray):
    with pytest.raises(ValueError, match=r"expected int16 \[2, N\]"):
        encode(pcm)
