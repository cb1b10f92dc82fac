"""Words from audio: real recognisers on synthetic stereo speech."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.hear.asr import asr_key, check_asr, transcribe
from dyad.hear.engines import parts, whisper
from dyad.hear.engines.whisper import doubtful
from dyad.hear.utterances import utterances
from dyad.spec import RATE
from dyad.text import fold

SAID = {
    "a": [(1.0, "I think Torvan should take the morning shift."), (7.0, "Do you agree?")],
    "b": [(4.2, "He has no license, so choose Belmery."), (7.3, "Yes, of course.")],
}


def engines():
    for package in ("onnxruntime", "pocketsphinx", "hibari", "ctranslate2", "tokenizers"):
        pytest.importorskip(package)


@pytest.fixture(scope="module")
def talk():
    """int16 [2, N] of two speakers, and the true words with their starts in samples."""
    engines()
    from dyad.speech.voices import load_voice

    pcm, truth = np.zeros((2, 9 * RATE)), {"a": [], "b": []}
    for k, (seat, preset) in enumerate((("a", "bright"), ("b", "low"))):
        for at, text in SAID[seat]:
            said, start = load_voice("hibari", preset)(text), round(at * RATE)
            pcm[k, start : start + len(said.pcm)] += said.pcm
            truth[seat] += [(word.s, start + word.start) for word in said.words]
    return (pcm * 32767).astype(np.int16), truth


def bare(word):
    return "".join(c for c in word.lower() if c.isalpha())


def test_whisper_finds_words_and_places_on_both_channels(talk):
    pcm, truth = talk
    words = transcribe(pcm, "whisper", ["Torvan", "Belmery"])
    assert words == sorted(words, key=lambda word: (word.start, word.seat))
    for seat in ("a", "b"):
        mine = [word for word in words if word.seat == seat]
        assert [bare(word.s) for word in mine] == [bare(s) for s, _ in truth[seat]]
        late = [word.start - at for word, (_, at) in zip(mine, truth[seat], strict=True)]
        assert np.median(np.abs(late)) < 0.04 * RATE
        assert np.abs(late).max() < 0.16 * RATE
        assert all(w.start >= 0 and w.start + 0.02 * RATE <= w.end <= pcm.shape[1] for w in mine)
        assert all(0 < w.conf <= 1 for w in mine)


def test_a_pack_that_is_doubtful_is_heard_again_alone(talk, monkeypatch):
    from dyad.speech.whisper import Whisper

    batches, hear_all = [], Whisper.hear_all

    def counted(self, pieces, hint):
        batches.append(len(pieces))
        return hear_all(self, pieces, hint)

    monkeypatch.setattr(Whisper, "hear_all", counted)
    packed = transcribe(talk[0], "whisper", ["Torvan", "Belmery"])
    assert batches == [2]  # two utterances of each seat
    monkeypatch.setattr(whisper, "doubtful", lambda *_: True)
    alone = transcribe(talk[0], "whisper", ["Torvan", "Belmery"])
    assert batches[1:] == [2, 4]
    assert [bare(w.s) for w in alone] == [bare(w.s) for w in packed]
    assert max(abs(a.start - b.start) for a, b in zip(alone, packed, strict=True)) < 0.1 * RATE


@pytest.mark.parametrize(
    ("text", "holders", "answer"),
    [
        ("Thirty is too little. No, not now.", [0, 0, 0, 0, 1, 1, 1], False),
        ("I put it on the shelf.", [0, 0, 0, 1, 1, 1], False),  # a pause inside a sentence
        ("Fifty is little. It holds steady.", [0, 0, 0, 0, 1, 1], True),
        ("Then let me go on here. I mean it.", [0, 0, 0, 0, 0, 1, 1, 1, 1], True),
        ("No one knows.", [0, 1, 1], True),
        ("Yes, of course.", [0, 0, 0], True),  # nothing in the second
    ],
)
def test_a_hole_in_a_pack_is_seen(text, holders, answer):
    assert doubtful(text.split(), holders, 2) is answer
    assert doubtful([], [], 2)


def test_sphinx_hears_plain_words(talk):
    words = [word.s for word in transcribe(talk[0], "sphinx") if word.seat == "a"]
    assert {"morning", "agree"} <= set(words)


def test_it_repeats(talk):
    assert transcribe(talk[0], "whisper") == transcribe(talk[0], "whisper")


@pytest.mark.parametrize("asr", ["whisper", "sphinx"])
def test_silence_and_noise_have_no_words(asr):
    engines()
    quiet = np.zeros((2, 3 * RATE), np.int16)
    quiet[1] = np.random.default_rng(0).normal(0, 300, 3 * RATE)
    assert transcribe(quiet, asr) == []


def test_none_has_no_words_and_needs_no_engine():
    assert transcribe(np.zeros((2, RATE), np.int16), "none") == []


def test_an_unknown_asr_and_a_missing_model_are_refused(monkeypatch, tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'whisper'"):
        check_asr("wisper")
    engines()
    monkeypatch.setenv("DYAD_WHISPER_DIR", str(tmp_path))
    with pytest.raises(ConfigError, match=r"model\.bin"):
        check_asr("whisper")
    with pytest.raises(ConfigError, match=r"elsewhere.*model\.bin"):
        transcribe(np.zeros((2, RATE), np.int16), "whisper", model_dir=str(tmp_path / "elsewhere"))


def test_words_are_told_apart_by_named_weights_only(monkeypatch, tmp_path):
    monkeypatch.delenv("DYAD_WHISPER_DIR", raising=False)
    for name in ("model.bin", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"weights")
    plain = asr_key("whisper")
    named = asr_key("whisper", str(tmp_path))
    assert named[-1] == hashlib.sha256(b"weights").hexdigest()
    assert plain != named
    monkeypatch.setenv("DYAD_WHISPER_DIR", str(tmp_path))
    assert asr_key("whisper") == named
    assert asr_key("sphinx") != plain


def test_a_missing_package_names_the_command(monkeypatch):
    from dyad.speech import engines as loading

    monkeypatch.setattr(parts, "need", lambda name: loading.need("no_such_engine"))
    with pytest.raises(ConfigError, match=r'pip install "\.\[cascade\]"'):
        check_asr("sphinx")


def test_other_languages_than_english_are_heard_by_a_multilingual_whisper_only(tmp_path):
    check_asr("none", lang="fr")
    engines()
    with pytest.raises(ConfigError, match="asr=sphinx knows English only, not 'fr'"):
        check_asr("sphinx", lang="fr")
    for name in ("model.bin", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"weights")
    check_asr("whisper", str(tmp_path))
    with pytest.raises(ConfigError, match="knows English, not 'fr'"):
        check_asr("whisper", str(tmp_path), "fr")


def test_japanese_is_heard_character_by_character_where_it_was_said():
    engines()
    pytest.importorskip("pyopenjtalk")
    from dyad.speech.voices import load_voice

    pcm, truth = np.zeros((2, 6 * RATE)), []
    for seat, at, text in ((0, 0.5, "残るのはヒマワリです。"), (1, 3.2, "はい、ヒマワリですね。")):
        said, start = load_voice("openjtalk", "mei")(text), round(at * RATE)
        pcm[seat, start : start + len(said.pcm)] += said.pcm
        truth += [("ab"[seat], word.s[0], start + word.start) for word in said.words]
    words = transcribe((pcm * 32767).astype(np.int16), "whisper", ["ヒマワリ", "スミレ"], lang="ja")
    assert [(word.seat, fold(word.s[0])) for word in words] == [(seat, fold(s)) for seat, s, _ in truth]
    late = [word.start - at for word, (_, _, at) in zip(words, truth, strict=True)]
    assert np.abs(late).max() < 0.16 * RATE


probabilities = st.lists(st.sampled_from([0.0, 0.1, 0.45, 0.9, 1.0]), max_size=700)


@given(probabilities)
def test_utterances_cover_speech_once_and_are_short(values):
    probs = np.array(values, np.float32)
    spans = utterances(probs)
    covered = np.zeros(len(probs), int)
    for start, end in spans:
        covered[start:end] += 1
        assert 0 < end - start <= 176  # 13.6 s and the quiet around
    assert covered.max(initial=0) <= 1
    assert np.all(covered[probs > 0.4] == 1)


def test_a_long_utterance_is_cut_where_speech_is_least_likely():
    probs = np.ones(300, np.float32)
    probs[140] = 0.5
    assert utterances(probs).tolist() == [[0, 140], [140, 300]]
