"""Words of an engine, placed by an aligner: by utterance, and with the engine's own times where it fails."""

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from dyad.errors import ConfigError
from dyad.hear.align import AlignSettings, align_words, aligned, aligner_key, check_aligner, single_tokens
from dyad.hear.ears import RATE
from dyad.speech.words import Chunk

ARPA = {"dictionary": "english_us_arpa", "acoustic_model": "english_us_arpa"}
MFA = AlignSettings(by="mfa", **ARPA)
FIRST, SECOND = "I would rather take the morning train.", "Yes, of course."


@pytest.fixture(scope="module")
def track():
    """Two sentences at 16 kHz, and their true words in seconds."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("hibari")
    from scipy.signal import resample_poly

    from dyad.speech.voices import load_voice

    pcm, truth = np.zeros(8 * 24_000), []
    for at, text in ((1.0, FIRST), (5.0, SECOND)):
        said, start = load_voice("hibari", "heart")(text), round(at * 24_000)
        pcm[start : start + len(said.pcm)] += said.pcm
        truth += [(word.s, (start + word.start) / 24_000, (start + word.end) / 24_000) for word in said.words]
    return np.asarray(resample_poly(pcm, 2, 3), np.float32), truth


@pytest.fixture
def mfa(tmp_path, monkeypatch):
    """The stand-in as the program `mfa`."""
    program = tmp_path / "bin" / "mfa"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{Path(__file__).with_name('stand_in.py').read_text()}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("DYAD_MFA", raising=False)
    return program


def early(truth, by_s=0.3):
    """Words as an engine tells them: too early."""
    return [Chunk(s, start - by_s, end - by_s, 0.9) for s, start, end in truth]


def test_the_embedded_aligner_puts_words_where_they_are(track):
    pcm, truth = track
    found = align_words(pcm, early(truth), "en", AlignSettings(by="sphinx"))
    assert [word.text for word in found] == [s for s, _, _ in truth]
    assert np.abs([w.start - at for w, (_, at, _) in zip(found, truth, strict=True)]).max() < 0.12
    assert all(word.conf == 0.9 for word in found)


def test_mfa_is_called_once_and_places_every_utterance_in_its_channel(track, mfa):
    pcm, truth = track
    found = aligned([pcm, 0 * pcm], [early(truth), []], MFA, "en")
    assert found[1] == []
    for sentence in (found[0][: len(FIRST.split())], found[0][len(FIRST.split()) :]):
        own = [at for s, *at in truth if s in [word.text for word in sentence]]
        assert sentence[0].start == pytest.approx(own[0][0], abs=0.1)
        assert sentence[-1].end == pytest.approx(own[-1][1], abs=0.15)
        lengths = [word.end - word.start for word in sentence]
        assert max(lengths) - min(lengths) < 0.03  # the stand-in shares out evenly
    assert [word.text for word in found[0]] == [s for s, _, _ in truth]


def test_words_that_mfa_cuts_are_joined_and_an_utterance_that_it_leaves_out_keeps_its_times(track, mfa):
    pcm, _ = track
    told = [
        Chunk("we'll", 1.2, 1.4),
        Chunk("go", 1.5, 1.7),
        Chunk("unheard", 5.1, 5.4),
        Chunk("yes", 5.5, 5.9),
    ]
    found = align_words(pcm, told, "en", MFA)
    assert found[2:] == told[2:]
    assert [word.text for word in found[:2]] == ["we'll", "go"]
    first, second = (word.end - word.start for word in found[:2])
    assert first == pytest.approx(2 * second, abs=0.04)
    assert found[0].end == pytest.approx(found[1].start)


def test_what_mfa_says_when_it_fails_is_passed_on(track, mfa):
    pcm, truth = track
    wrong = AlignSettings(by="mfa", dictionary="klingon", acoustic_model="english_us_arpa")
    with pytest.raises(ConfigError, match=r"mfa align failed: PretrainedModelNotFoundError: .*klingon"):
        align_words(pcm, early(truth), "en", wrong)


def test_what_an_aligner_lacks_is_said_before_anything_is_heard(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="mfa is not on PATH; run: conda create"):
        check_aligner(MFA, "en")
    program = tmp_path / "own"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("DYAD_MFA", str(program))
    check_aligner(MFA, "fr")
    with pytest.raises(ConfigError, match=r"needs asr.params.align.dictionary"):
        check_aligner(AlignSettings(by="mfa"), "en")
    with pytest.raises(ConfigError, match="'--clean' is no model of mfa"):
        check_aligner(AlignSettings(by="mfa", dictionary="--clean", acoustic_model="x"), "en")
    with pytest.raises(ConfigError, match="holds no CTC model"):
        check_aligner(AlignSettings(by="ctc", model_dir=str(tmp_path)), "en")
    with pytest.raises(ConfigError, match="aligns English only"):
        check_aligner(AlignSettings(by="sphinx"), "fr")


def test_an_aligner_is_part_of_the_words_name(tmp_path):
    assert aligner_key(AlignSettings()) == []
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    ctc = aligner_key(AlignSettings(by="ctc", model_dir=str(tmp_path)))
    assert len({tuple(key) for key in (ctc, aligner_key(MFA), aligner_key(AlignSettings(by="sphinx")))}) == 3
    assert str(tmp_path) not in "".join(ctc)


def test_nothing_is_asked_where_there_is_nothing_to_place():
    """No aligner is here, and none is missed."""
    quiet = np.zeros(RATE, np.float32)
    assert aligned([quiet], [[]], AlignSettings(by="mfa", **ARPA), "en") == [[]]
    told = [Chunk("so", 0.2, 0.4)]
    assert aligned([quiet], [told], None, "en") == [told]
    assert aligned([quiet], [told], AlignSettings(), "en") == [told]


def test_words_of_a_script_without_spaces_are_cut_into_characters():
    timeless = Chunk("你好", None, None)
    cut = single_tokens([Chunk("你好。", 1.0, 2.0, 0.5), Chunk("well-known", 2.0, 3.0), timeless])
    assert cut == [Chunk("你", 1.0, 1.5, 0.5), Chunk("好。", 1.5, 2.0, 0.5), Chunk("well-known", 2.0, 3.0),
                   timeless]  # fmt: skip
