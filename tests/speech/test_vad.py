"""Silero per tick: onsets, and rows that don't know of each other."""

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("hibari")

from scipy.signal import resample_poly

from dyad.speech.vad import BLOCK, SileroVad, speech_probs
from dyad.speech.voices import load_voice


@pytest.fixture(scope="module")
def speech():
    """2 s of silence, a sentence, 1 s of silence, at 16 kHz in whole ticks."""
    said = resample_poly(load_voice("hibari", "heart")("I would rather take the morning train.").pcm, 2, 3)
    whole = np.concatenate([np.zeros(25 * BLOCK), said, np.zeros(13 * BLOCK)]).astype(np.float32)
    return whole[: len(whole) // BLOCK * BLOCK]


def test_onset_within_one_tick_and_no_false_alarm(speech):
    probs = speech_probs(speech[None])[0]
    energy = np.sqrt((speech.reshape(-1, BLOCK) ** 2).mean(axis=1))
    onset = int(np.flatnonzero(energy > 0.01)[0])
    assert abs(int(np.flatnonzero(probs > 0.5)[0]) - onset) <= 1
    assert probs[:25].max() < 0.1
    assert probs[-8:].max() < 0.1


def test_a_row_does_not_depend_on_the_batch(speech):
    rows = np.stack([np.roll(speech, 997 * k) for k in range(5)])
    vad = SileroVad(5)
    batch = np.array([vad(rows[:, k : k + BLOCK]) for k in range(0, rows.shape[1], BLOCK)])
    for k in range(5):
        assert np.array_equal(batch[:, k], speech_probs(rows[k : k + 1])[0])


def test_a_reset_row_starts_afresh_and_leaves_the_others_alone(speech):
    blocks = speech.reshape(-1, BLOCK)
    vad = SileroVad(2)
    for k in range(31):  # odd, so that the rows' windows no longer end together
        vad(np.stack([blocks[k], blocks[k]]))
    vad.reset(1)
    after = np.array([vad(np.stack([blocks[31 + k], blocks[k]])) for k in range(len(blocks) - 31)])
    whole = speech_probs(speech[None])[0]
    assert np.array_equal(after[:, 0], whole[31:])
    assert np.array_equal(after[:, 1], whole[: len(after)])


def test_noise_is_not_speech():
    noise = np.random.default_rng(0).normal(0, 0.02, 30 * BLOCK).astype(np.float32)
    assert speech_probs(noise[None])[0, 5:].max() < 0.5
