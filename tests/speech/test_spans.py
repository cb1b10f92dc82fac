"""Speech in samples from Silero's probabilities, against what its package returned for the same ones."""

import json
from pathlib import Path

import numpy as np
import pytest

from dyad.speech.spans import seconds_as_authors, speech_spans, timestamps, window_probs

# Recorded from silero-vad 6.2.3, `get_speech_timestamps_from_probs`; probabilities in hundredths.
RECORDED = json.loads((Path(__file__).parents[1] / "golden" / "silero_spans.json").read_text())


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['samples']}-{case['settings']}")
def test_the_same_spans_as_the_package(case):
    probs = np.array(case["percent"], np.float32) / np.float32(100)
    found = timestamps(probs, case["samples"], **case["settings"])
    assert found.shape == (len(case["spans"]), 2)
    assert found.tolist() == case["spans"]


def test_seconds_are_rounded_to_a_tenth_and_end_with_the_recording():
    spans = np.array([[480, 64_800], [70_000, 95_999]])
    assert seconds_as_authors(spans, 95_999).tolist() == [[0.0, 4.0], [4.4, 95_999 / 16_000]]
    assert seconds_as_authors(spans[:0], 0).shape == (0, 2)


def test_spans_in_seconds_are_not_rounded():
    probs = np.array([0] * 10 + [0.9] * 20 + [0] * 10, np.float32)
    assert speech_spans(probs, 40 * 512).tolist() == [[(5_120 - 480) / 16_000, (15_360 + 480) / 16_000]]
    assert speech_spans(probs[:0], 0).shape == (0, 2)


@pytest.fixture(scope="module")
def sentence():
    pytest.importorskip("onnxruntime")
    pytest.importorskip("hibari")
    from scipy.signal import resample_poly

    from dyad.speech.voices import load_voice

    said = load_voice("hibari", "heart")("I would rather take the morning train.").pcm
    return np.pad(np.asarray(resample_poly(said, 2, 3), np.float32), (16_000, 8_111))


def test_speech_is_found_where_it_lies(sentence):
    (start, end), *more = speech_spans(window_probs(sentence[None])[0], len(sentence))
    assert not more
    assert start == pytest.approx(1.0, abs=0.25)
    assert end == pytest.approx(len(sentence) / 16_000 - 0.5, abs=0.3)


def test_a_row_of_windows_does_not_depend_on_its_neighbours_or_on_what_follows(sentence):
    rows = np.stack([sentence, np.roll(sentence, 997), np.zeros_like(sentence)])
    probs = window_probs(rows)
    assert probs.shape == (3, -(-len(sentence) // 512))
    for row, batch in zip(rows, probs, strict=True):
        assert np.array_equal(window_probs(row[None])[0], batch)
    part = window_probs(rows[:, : 40 * 512])
    assert np.array_equal(part, probs[:, :40])
    assert probs[2].max() < 0.1
    assert window_probs(rows[:, :0]).shape == (3, 0)


def test_the_last_window_is_filled_with_zeros(sentence):
    cut = sentence[: 30 * 512 + 100]
    filled = np.pad(cut, (0, 412))
    assert np.array_equal(window_probs(cut[None]), window_probs(filled[None]))
