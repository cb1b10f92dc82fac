"""Voices: distinct speakers, places of words, levels, and repeats to the bit."""

import shutil
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("hibari")
pytest.importorskip("onnxruntime")

from dyad.errors import ConfigError
from dyad.speech.timbre import PRESETS
from dyad.speech.voices import ENGINES, load_voice

TEXT = "I really wanted to know when you are arriving, my lawyer."
OTHERS = [("espeak", "en-us", "espeak-ng"), ("flite", "slt", "flite")]


def pitch(pcm):
    """Median F0 in Hz by autocorrelation over 40 ms frames, 60–500 Hz."""
    found = []
    for k in range(0, len(pcm) - 1920, 960):
        frame = pcm[k : k + 1920] * np.hanning(1920)
        r = np.fft.irfft(np.abs(np.fft.rfft(frame, 8192)) ** 2)[: 24_000 // 60]
        lag = 48 + int(np.argmax(r[48:]))
        if r[lag] > 0.5 * r[0] > 0:
            found.append(24_000 / lag)
    return float(np.median(found))


def say(preset, text=TEXT, **how):
    return load_voice("hibari", preset)(text, **how)


def test_presets_are_distinct_speakers():
    measured = {preset: pitch(say(preset).pcm) for preset in PRESETS}
    heart = measured["heart"]
    for preset, timbre in PRESETS.items():
        assert measured[preset] / heart == pytest.approx(timbre.pitch, rel=0.08)
    heights = sorted(measured.values())
    assert len(heights) >= 5
    assert min(b / a for a, b in pairwise(heights)) > 1.06


def test_the_same_seed_gives_the_same_bits_and_another_seed_other_speech():
    from dyad.speech.voices import _say

    first = say("low", seed=7)
    _say.cache_clear()
    again, other = say("low", seed=7), say("low", seed=8)
    assert np.array_equal(first.pcm, again.pcm)
    assert first.words == again.words
    assert first.pcm.shape != other.pcm.shape or np.abs(first.pcm - other.pcm).max() > 0.01
    assert abs(len(other.pcm) / len(first.pcm) - 1) < 0.1


def test_pace_is_speed():
    assert 1.15 < len(say("heart").pcm) / len(say("heart", pace=1.3).pcm) < 1.45


@pytest.mark.parametrize("preset", list(PRESETS))
def test_levels_are_alike(preset):
    pcm = say(preset).pcm
    frames = pcm[: len(pcm) // 480 * 480].reshape(-1, 480)
    power = (frames**2).mean(axis=1)
    active = power[power > power.max() * 1e-3]
    assert 10 * np.log10(active.mean()) == pytest.approx(-26, abs=0.5)
    assert np.abs(pcm).max() <= 0.8 + 1e-6


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "My budget is $420, and I can't go higher — sorry! 😀 ok?",
        "It starts at 7:30 p.m. in the green-room. Dr. Quillon, No. 4, said so... on 3/4/2024!",
        "*Stop*  [please](/x/) <b>now</b>\n\nand   then:",
        "a " * 90,
    ],
)
def test_every_token_has_one_place_in_order(text):
    said = say("warm", text)
    assert [word.s for word in said.words] == text.split()
    edges = [edge for word in said.words for edge in (word.start, word.end)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= len(said.pcm)


def test_places_are_where_the_sound_is():
    said = say("heart", "Stop. Now.")
    first, second = said.words
    between = said.pcm[first.end + 1_200 : second.start - 1_200]  # but for 50 ms
    assert len(between) > 2_400
    assert np.abs(between).max() < 0.02
    for word in said.words:
        assert np.abs(said.pcm[word.start : word.end]).max() > 0.1


def test_edges_are_trimmed():
    pcm = np.abs(say("heart").pcm)
    loud = np.flatnonzero(pcm > 0.02 * pcm.max())
    assert loud[0] <= 960
    assert len(pcm) - loud[-1] <= 961


@pytest.mark.parametrize("text", ["", "   ", "— … 😀"])
def test_nothing_to_say_is_silence_without_sound(text):
    said = say("heart", text)
    assert len(said.pcm) == 0
    assert [word.s for word in said.words] == text.split()


def test_speech_is_shared_and_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        say("heart").pcm[0] = 1


@pytest.mark.parametrize(("engine", "preset", "program"), OTHERS)
def test_programs_speak_too(engine, preset, program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    voice = load_voice(engine, preset)
    text = "Hello, $(rm) -v there; \"it's\" 5 o'clock."
    said = voice(text)
    assert [word.s for word in said.words] == text.split()
    assert 1.0 < len(said.pcm) / 24_000 < 6.0
    assert said.words[-1].end <= len(said.pcm)
    assert len(voice("Hello there.", pace=1.4).pcm) < len(voice("Hello there.").pcm)


@pytest.mark.parametrize(
    ("engine", "preset", "message"),
    [
        ("hibary", "heart", "did you mean 'hibari'"),
        ("hibari", "hart", "did you mean 'heart'"),
        ("flite", "/etc/passwd", "flite"),
        ("espeak", "--stdin", "espeak-ng"),
        ("piper", "nowhere.onnx", "piper"),
    ],
)
def test_unknown_voices_are_refused(engine, preset, message):
    with pytest.raises(ConfigError, match=message):
        load_voice(engine, preset)


def test_a_missing_program_names_its_remedy(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigError, match="apt install espeak-ng"):
        load_voice("espeak", "en-us")
    with pytest.raises(ConfigError, match="piper-tts"):
        load_voice("piper", "any")
    assert set(ENGINES) == {"hibari", "kokoro", "openjtalk", "espeak", "flite", "piper"}
