"""Whisper's input: filters and scaling."""

import numpy as np
import pytest

from dyad.speech.mel import log_mel, mel_filters


def test_filters_are_slaneys():
    filters = mel_filters(80)
    assert filters.shape == (80, 201)
    assert filters[0, 1] == pytest.approx(0.0248626, abs=1e-6)
    assert filters[1, 1] == pytest.approx(0.0019908, abs=1e-6)
    assert (filters * 40).sum(axis=1)[41:] == pytest.approx(np.ones(39), abs=0.05)  # unit area, 40 Hz bins


def test_a_tone_lights_its_own_band_and_silence_the_floor():
    at = np.arange(16_000) / 16_000
    mel = log_mel((0.5 * np.sin(2 * np.pi * 1000 * at)).astype(np.float32), 200)
    assert mel.shape == (80, 200)
    assert mel.dtype == np.float32
    assert int(mel[:, 50].argmax()) == int(mel_filters(80)[:, 25].argmax())  # bin 25 is 1 kHz
    assert mel.max() - mel.min() == pytest.approx(2.0)  # 8 decades, divided by 4
    assert np.all(mel[:, 150] == mel.min())
