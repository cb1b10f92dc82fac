"""The sound of a model before and after an overlap: suite_fdb.md §7.4 and its addendum."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dyad.audio import Floats, to_int16
from dyad.errors import ConfigError
from dyad.spec.suite import Stimulus
from dyad.suites.fdb import acoustics as module
from dyad.suites.fdb.acoustics import (
    FLAGS,
    Piece,
    acoustics,
    available,
    full_scale_levels,
    levels,
    measured,
    partition,
    speech_s,
    split_time,
    stale,
    trimmed,
    trimmed_mean,
    voiced,
    wpm,
)
from dyad.suites.protocol import Chunk, Scored, Sound, Trial

RATE = 16_000
ON = frozenset(FLAGS) - {"stale_acoustics"}
SOUNDS = ("pitch", "pitch_std", "intensity", "intensity_std")
needs_praat = pytest.mark.skipif(importlib.util.find_spec("parselmouth") is None, reason="needs parselmouth")
needs_vad = pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is None, reason="needs onnxruntime")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """What a machine has differs between these tests."""
    module._heard.cache_clear()
    module._utmos_model.cache_clear()
    yield
    module._heard.cache_clear()
    module._utmos_model.cache_clear()


def words(*spans: tuple[float, float]) -> list[Chunk]:
    return [Chunk("w", *span) for span in spans]


def tone(hertz: float, seconds: float, level: float = 0.5) -> Floats:
    at = np.arange(round(seconds * RATE)) / RATE
    return (level * np.sin(2 * np.pi * hertz * at)).astype(np.float32)


def vowel(seconds: float, hertz: float = 150) -> Floats:
    """A buzz with formants and the rhythm of syllables, most of which Silero takes for speech."""
    at = np.arange(round(seconds * RATE)) / RATE
    phase = 2 * np.pi * np.cumsum(hertz * (1 + 0.08 * np.sin(2 * np.pi * 0.7 * at))) / RATE
    gains = [
        sum(np.exp(-(((h * hertz - f) / w) ** 2)) for f, w in ((600, 200), (1200, 250))) for h in range(1, 30)
    ]
    buzz = sum((gain + 0.02) * np.sin(h * phase) for h, gain in enumerate(gains, 1))
    buzz = buzz * np.clip(0.5 - 0.5 * np.cos(2 * np.pi * 4 * at), 0.05, 1)
    return (0.5 * buzz / np.abs(buzz).max()).astype(np.float32)


def silence(seconds: float) -> Floats:
    return np.zeros(round(seconds * RATE), np.float32)


def sound(pcm: Floats, heard: Sequence[Chunk] | None) -> Sound:
    probs = np.ones(-(-len(pcm) // 512), np.float32)
    return Sound(to_int16(pcm), RATE, None if heard is None else tuple(heard), probs, probs)


def trial(model: Sound, clean: Sound | None = None, folder: str = ".", end: float | None = 2.0) -> Trial:
    span = None if end is None else (end - 0.5, end)
    stimulus = Stimulus(id="x.1", task="x", kind="overlap", clip="1", folder=folder, span=span)
    return Trial(stimulus, model, model, clean)


def by_name(scores: Sequence[Scored]) -> dict[str, Scored]:
    found = {score.measure: score for score in scores}
    assert len(found) == len(scores)
    return found


# Words


@pytest.mark.parametrize(
    ("spans", "split"),
    [
        ([(1, 2), (4.8, 5.3), (5.3, 6)], 4.8),
        ([(1, 2), (5.6, 6)], 5.6),
        ([(1, 2), (3, 4)], 4),
        ([(1, 5), (5, 5.5)], 5.0),
        ([], 5.0),
        ([(5.6, 6), (1, 2)], 5.6),  # order of starts, whatever that of the file
    ],
)
def test_split_time(spans: list[tuple[float, float]], split: float) -> None:
    assert split_time(words(*spans), 5.0) == split


def test_a_word_that_ends_at_the_split_is_before_it() -> None:
    spoken = [*words((1, 2), (4.8, 5.3)), Chunk("w", None, 3.0)]
    assert partition(spoken, 2) == (words((1, 2)), words((4.8, 5.3)))


@pytest.mark.parametrize(
    ("spans", "rate"),
    [
        ([(i * 0.4, i * 0.4 + 0.4) for i in range(10)], 150),  # 10 words in 4 s
        ([(0, 0.2), (3.6, 4)], 30),  # a pause counts as time
        ([(1, 1)], 0),
        ([], 0),
        ([(3, 4), (1, 2)], 0),  # in the order of the file, as the authors have it
    ],
)
def test_words_per_minute(spans: list[tuple[float, float]], rate: float) -> None:
    assert wpm(words(*spans)) == pytest.approx(rate)
    assert (speech_s(words(*spans)) > 0) == (rate > 0)


# Sound


@needs_praat
@pytest.mark.parametrize("hertz", [80.0, 150.0, 400.0])
def test_pitch_of_a_tone_is_its_frequency(hertz: float) -> None:
    found = voiced(tone(hertz, 1.0))
    assert found is not None
    assert len(found) > 80  # frames of 10 ms
    assert np.mean(found) == pytest.approx(hertz, rel=1e-3)


@needs_praat
def test_only_voiced_frames_between_50_and_600_hz_count() -> None:
    assert np.asarray(voiced(silence(1.0))).size == 0
    found = voiced(np.concatenate([tone(150, 0.5), silence(0.5)]))
    assert found is not None
    assert len(found) < 60
    assert np.all((found >= 50) & (found <= 600))


@needs_praat
def test_intensity_is_in_db_above_the_threshold_of_hearing() -> None:
    """Praat takes samples for pascals: a sine of amplitude A has 20 log10(A / sqrt 2 / 2e-5) dB."""
    found = levels(tone(200, 1.0, 0.5))
    assert found is not None
    assert np.median(found) == pytest.approx(20 * np.log10(0.5 / np.sqrt(2) / 2e-5), abs=0.01)


@needs_praat
def test_praat_has_no_level_of_silence_and_nothing_of_very_short_sounds() -> None:
    assert levels(silence(1.0)) is None
    assert levels(tone(200, 0.03)) is None
    assert voiced(tone(200, 0.03)) is None


def test_levels_of_full_scale() -> None:
    assert full_scale_levels(silence(1.0)) == pytest.approx(np.full(100, -200.0))
    assert full_scale_levels(tone(200, 1.0, 1.0)) == pytest.approx(np.full(100, -3.0103), abs=1e-3)
    assert len(full_scale_levels(tone(200, 0.0199))) == 1  # whole frames only
    assert full_scale_levels(tone(200, 0.005, 1.0)) == pytest.approx([-3.01], abs=0.01)
    assert full_scale_levels(silence(0.005)) == pytest.approx([-100.0])


@needs_vad
def test_trimming_joins_the_speech_and_drops_the_rest() -> None:
    speech = vowel(1.5)
    found = trimmed(np.concatenate([silence(1), speech, silence(2), speech, silence(1)]))
    assert found is not None
    assert 1.0 * RATE < len(found) < 3.4 * RATE
    assert np.mean(np.abs(found) < 1e-6) < 0.1
    assert trimmed(silence(2)) is None


@pytest.mark.parametrize(
    ("windows", "kept_ms"),
    [
        # windows of 32 ms, 30 ms of padding; a pause counts from 50 ms on, seen at the start of a window
        ("..##...##....", 2 * (64 + 60)),
        ("..##..##.....", 6 * 32 + 60),
        ("..##.##......", 5 * 32 + 60),
        ("..#..........", None),
        (".............", None),
    ],
)
def test_what_is_trimmed(windows: str, kept_ms: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    probs = np.array([0.5 if window == "#" else 0.1 for window in windows], np.float32)
    monkeypatch.setattr(module, "window_probs", lambda pcm: np.stack([probs] * len(pcm)))
    found = trimmed(np.arange(512 * len(windows), dtype=np.float32))
    assert (None if found is None else len(found) / 16) == kept_ms
    assert found is None or np.all(np.diff(found) > 0)  # pieces in order, nothing twice


# A part


@needs_praat
@needs_vad
def test_a_silent_part_in_compat_has_the_authors_stand_ins() -> None:
    found = measured(Piece(silence(1.0), []), ON)
    values = [found[name].value for name in ("wpm", "speech_s", *SOUNDS)]
    assert values == [0.0, 0.0, 0.0, 0.0, pytest.approx(-200.0), 0.0]


@needs_praat
@needs_vad
@pytest.mark.parametrize(
    ("flag", "lost"),
    [
        ("untrimmed_silence", set(SOUNDS)),
        ("acoustic_zeros", {"wpm", "speech_s", "pitch", "pitch_std"}),
        ("intensity_fallback", {"intensity", "intensity_std"}),
    ],
)
def test_without_a_flag_its_stand_ins_are_missing(flag: str, lost: set[str]) -> None:
    found = measured(Piece(silence(1.0), []), ON - {flag})
    assert {name for name, value in found.items() if value.value is None} == lost | {"utmos"}
    assert all(found[name].reason for name in lost)


@needs_praat
@needs_vad
def test_strict_has_nothing_for_silence() -> None:
    found = measured(Piece(silence(1.0), []), frozenset())
    assert {value.value for value in found.values()} == {None}
    assert all(value.reason for value in found.values())


def test_a_part_without_samples_has_no_values_in_any_mode() -> None:
    found = measured(Piece(silence(0), words((0, 1))), ON)
    assert set(found.values()) == {(None, "no sound")}


@needs_praat
@needs_vad
@pytest.mark.parametrize("mode", ["compat", "strict"])
def test_a_voice_that_rises_is_higher_after_the_overlap(mode: str) -> None:
    model = sound(
        np.concatenate([vowel(2.0, 130), vowel(2.0, 200)]), words((0.2, 1.8), (2.0, 3.0), (3.0, 4.0))
    )
    clean = sound(vowel(2.0, 160), words((0.5, 1.5)))
    found = by_name(acoustics(trial(model, clean), mode, {}))
    pre, post, alone = (found[f"pitch_{part}"].value for part in ("pre", "post", "clean"))
    assert pre is not None
    assert post is not None
    assert alone is not None
    assert pre == pytest.approx(130, rel=0.1)
    assert pre < alone < post
    assert (found["wpm_post"].value, found["part_s_pre"].value, found["part_s_post"].value) == (
        60.0,
        2.0,
        2.0,
    )
    assert found["wpm_clean"].value == 60.0


def test_parts_that_cannot_be_made_are_missing_for_a_reason() -> None:
    def reasons(made: Trial, mode: str, part: str) -> set[str]:
        return {s.reason for s in acoustics(made, mode, {}) if s.measure.endswith(part) and s.value is None}

    model = sound(silence(1), words((0, 1)))
    assert reasons(trial(model), "compat", "clean") == {"no run without the overlap"}
    assert reasons(trial(sound(silence(1), None)), "strict", "pre") == {"no transcript"}
    assert reasons(trial(model, end=None), "strict", "post") == {"no time of the overlap"}
    timeless = trial(sound(silence(1), [Chunk("w", 0.0, None)]))
    assert reasons(timeless, "compat", "pre") == {"words without times"}


def test_strict_counts_only_words_that_are_speech() -> None:
    silent = np.zeros(125, np.float32)
    model = Sound(to_int16(silence(4)), RATE, tuple(words((0, 1), (1, 2))), silent, silent)
    found = {mode: by_name(acoustics(trial(model, end=3.0), mode, {})) for mode in ("compat", "strict")}
    assert found["compat"]["wpm_pre"].value == 60.0
    assert found["strict"]["wpm_pre"].value is None


# What a machine lacks


@needs_vad
def test_without_the_packages_rates_of_speech_stand_and_sound_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("parselmouth", "utmosv2"):
        monkeypatch.setitem(sys.modules, name, None)
    assert available() == dict.fromkeys(SOUNDS, "needs the package parselmouth") | {
        "utmos": "needs the package utmosv2"
    }
    found = measured(Piece(vowel(1.0), words((0, 1))), ON)
    assert found["wpm"].value == 60.0
    assert {found[name] for name in SOUNDS} == {(None, "needs the package parselmouth")}
    with pytest.raises(ConfigError, match=r"\[acoustics\]"):
        voiced(tone(100, 1))


@needs_vad
def test_utmos_is_asked_about_the_trimmed_speech(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package brings torch and fetches its weights: a stand-in keeps its call."""
    import soundfile

    lengths: list[float] = []

    class Model:
        def predict(self, input_path: str) -> float:
            pcm, rate = soundfile.read(input_path)
            lengths.append(len(pcm) / rate)
            return 3.25

    stand_in = ModuleType("utmosv2")
    stand_in.__spec__ = importlib.util.spec_from_loader("utmosv2", None)
    stand_in.create_model = lambda pretrained: Model()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "utmosv2", stand_in)
    found = measured(Piece(np.concatenate([silence(2), vowel(2)]), []), ON)
    assert found["utmos"].value == 3.25
    assert 0.5 < lengths[0] < 2.2


@needs_vad
def test_utmos_that_cannot_be_loaded_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(pretrained: bool) -> None:
        raise OSError("no network")

    stand_in = ModuleType("utmosv2")
    stand_in.__spec__ = importlib.util.spec_from_loader("utmosv2", None)
    stand_in.create_model = fail  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "utmosv2", stand_in)
    assert measured(Piece(vowel(1), []), ON)["utmos"] == (None, "UTMOSv2 failed: no network")


# Of several samples, and of an earlier run


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([*range(1, 10), 100], 5.5),  # 5th percentile 1.45, 95th 59.05
        ([1, 100], 50.5),  # fewer than three are not trimmed
        ([None, 4.0, float("nan")], 4.0),
        ([2, 2, 2, 2], 2),
        ([None], None),
        ([], None),
    ],
)
def test_trimmed_mean(values: list[float | None], mean: float | None) -> None:
    assert trimmed_mean(values) == mean


def write(folder: Path, content: object) -> Path:
    (folder / "general_split.json").write_text(json.dumps(content))
    return folder


def test_stale_values_are_whole_groups_and_never_rates(tmp_path: Path) -> None:
    old = {
        "wpm": 10.0,
        "mean_pitch": 111.0,
        "std_pitch": 9.0,
        "mean_intensity": 60.0,
        "utmosv2": float("nan"),
    }
    write(tmp_path, {"pre": old, "post": {"utmosv2": 2.5}, "clean": None, "split_t": 1.0})
    assert stale(tmp_path) == {"pre": {"pitch": 111.0, "pitch_std": 9.0}, "post": {"utmos": 2.5}}


@pytest.mark.parametrize("content", [[], None, {"pre": [1]}, {"pre": {"mean_pitch": "x", "std_pitch": "y"}}])
def test_a_file_of_another_form_holds_nothing(tmp_path: Path, content: object) -> None:
    assert not any(stale(write(tmp_path, content)).values())
    (tmp_path / "general_split.json").write_text("{")
    assert stale(tmp_path) == {}


@pytest.mark.parametrize(
    ("mode", "flags", "reused"),
    [
        ("compat", {"stale_acoustics": True}, True),
        ("compat", {}, False),  # of another model, perhaps: only who asks for it gets it
        ("strict", {"stale_acoustics": True}, False),
    ],
)
def test_stale_values_are_reused_only_on_request(
    tmp_path: Path, mode: str, flags: dict[str, bool], reused: bool
) -> None:
    write(tmp_path, {"pre": {"mean_pitch": 777.0, "std_pitch": 7.0}})
    made = trial(sound(silence(4), words((0, 1))), folder=str(tmp_path))
    assert (by_name(acoustics(made, mode, flags))["pitch_pre"].value == 777.0) is reused
