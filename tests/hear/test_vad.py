"""Energy VAD: the worked example of the paper's definition, and rules that hold for any energy."""

import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.cli.compose import compose
from dyad.hear.vad import merge, runs, segments, segments_from_rms
from dyad.spec import TICK
from dyad.spec.study import VadSettings

# the shipped settings, as Hydra composes them
NAMES = ("dyafdb", "merge_first", "normalised")
SETTINGS = {name: compose([f"vad={name}"]).studies[0].vad for name in NAMES}
PAPER = SETTINGS["dyafdb"]
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]

energies = st.lists(st.sampled_from([0.0, 0.001, 0.003, 0.004, 0.006, 0.010, 0.011, 0.2]), max_size=80).map(
    lambda values: np.array(values, float)
)
settings = st.builds(
    VadSettings,
    name=st.just("drawn"),
    start_rms=st.just(0.010),
    stop_rms=st.just(0.004),
    min_frames=st.integers(1, 5),
    merge_frames=st.integers(0, 6),
    order=st.sampled_from(["drop_then_merge", "merge_then_drop"]),
)


def mask_of(spans, size):
    mask = np.zeros(size, bool)
    for start, end in spans:
        mask[start:end] = True
    return mask


def tone(levels):
    """int16 [2, N]: per tick a constant of the given level, the second channel silent."""
    left = np.repeat(np.round(np.array(levels) * 32768), TICK).astype(np.int16)
    return np.stack([left, np.zeros_like(left)])


@pytest.mark.parametrize(
    ("name", "expected"),
    [("dyafdb", "segments"), ("merge_first", "segments_merge_then_drop")],
)
def test_worked_example(name, expected):
    example = GOLDEN["vad"]
    found = segments_from_rms(np.array(example["rms_milli"]) / 1000, SETTINGS[name])
    assert found.tolist() == example[expected]


def test_seconds_in_ticks():
    assert (PAPER.min_frames, PAPER.merge_frames) == (
        GOLDEN["frames"]["keep_min"],
        GOLDEN["frames"]["merge_max"],
    )


@given(energies, settings)
def test_segments_are_sorted_apart_and_inside(rms, setting):
    spans = segments_from_rms(rms, setting)
    assert np.all(spans[:, 0] < spans[:, 1])
    assert np.all(spans[1:, 0] - spans[:-1, 1] > setting.merge_frames)
    assert not len(spans) or (spans[0, 0] >= 0 and spans[-1, 1] <= len(rms))


@given(energies, settings)
def test_segments_of_the_own_mask_are_the_same(rms, setting):
    spans = segments_from_rms(rms, setting)
    again = segments_from_rms(mask_of(spans, len(rms)) * 0.1, setting)
    assert again.tolist() == spans.tolist()


@given(energies)
def test_every_segment_begins_loud_and_holds_no_long_quiet(rms):
    for start, end in segments_from_rms(rms, PAPER):
        assert rms[start] > PAPER.start_rms
        assert end == len(rms) or rms[end] < PAPER.stop_rms
        quiet = runs(rms[start:end] < PAPER.stop_rms)
        assert not len(quiet) or (quiet[:, 1] - quiet[:, 0]).max() <= PAPER.merge_frames


@given(energies)
def test_without_drop_and_merge_no_loud_tick_is_lost(rms):
    bare = PAPER.model_copy(update={"min_frames": 1, "merge_frames": 0})
    mask = mask_of(segments_from_rms(rms, bare), len(rms))
    assert np.all(mask[rms > bare.start_rms])
    assert not np.any(mask[rms < bare.stop_rms])


@given(st.lists(st.booleans(), max_size=60).map(lambda values: np.array(values, bool)))
def test_runs_cover_the_mask_exactly(mask):
    assert np.array_equal(mask_of(runs(mask), len(mask)), mask)
    assert np.array_equal(merge(runs(mask), 0), runs(mask))


def test_channels_are_told_apart_and_ordered():
    pcm = tone([0, 0.1, 0.1, 0, 0, 0, 0, 0, 0, 0])
    both = np.stack([pcm[0], np.roll(pcm[0], 5 * TICK)])
    found = segments(both, PAPER)
    assert [(s.seat, s.start, s.end) for s in found] == [("a", 1, 3), ("b", 6, 8)]


def test_silence_has_no_segments():
    assert segments(np.zeros((2, 100 * TICK), np.int16), SETTINGS["normalised"]) == []


def test_a_normalised_setting_does_not_depend_on_loudness():
    levels = [0, 0.2, 0.15, 0.03, 0.02, 0.03, 0.2, 0.1, 0, 0, 0, 0, 0, 0.12, 0.1, 0.03, 0.0, 0.0]
    loud, quiet = np.array(levels), np.array(levels) / 8
    assert segments_from_rms(quiet, SETTINGS["normalised"]).tolist() == [[1, 8], [13, 16]]
    assert segments_from_rms(loud, SETTINGS["normalised"]).tolist() == [[1, 8], [13, 16]]
    assert segments_from_rms(quiet, PAPER).tolist() != segments_from_rms(loud, PAPER).tolist()


def test_a_minute_is_segmented_in_a_few_milliseconds():
    draw = np.random.default_rng(0)
    envelope = np.repeat(draw.random((2, 750)) > 0.5, TICK, axis=1)
    pcm = (draw.integers(-3000, 3000, (2, 750 * TICK)) * envelope).astype(np.int16)
    segments(pcm, PAPER)
    start = time.process_time()
    for _ in range(10):
        segments(pcm, PAPER)
    assert (time.process_time() - start) / 10 < 0.1  # 6 ms here; a loop over samples would take seconds
