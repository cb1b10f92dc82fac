import io

import numpy as np
import pytest
import soundfile

from dyad.report.sound import RATE, encode


def test_both_channels_come_back_in_their_place(tones: np.ndarray):
    file = encode(tones)
    heard, rate = soundfile.read(io.BytesIO(file), dtype="int16")
    assert file.startswith(b"OggS")
    assert (rate, heard.shape) == (RATE, (tones.shape[1], 2))
    for channel in (0, 1):
        assert np.corrcoef(heard[:, channel], tones[channel])[0, 1] > 0.99
    assert len(file) < tones.nbytes / 4


def test_a_recording_of_a_minute_is_written_whole():
    pcm = np.random.default_rng(0).normal(0, 500, (2, 60 * RATE)).astype(np.int16)
    assert soundfile.info(io.BytesIO(encode(pcm))).frames == 60 * RATE


REFUSED = [
    np.zeros((3, 9), np.int16),
    np.zeros((2, 9), np.float32),
    np.zeros(9, np.int16),
    np.zeros((2, 0), np.int16),
]


@pytest.mark.parametrize("pcm", REFUSED, ids=["three channels", "float", "one axis", "empty"])
def test_another_shape_or_type_is_refused(pcm: np.ndarray):
    with pytest.raises(ValueError, match=r"expected int16 \[2, N\]"):
        encode(pcm)
