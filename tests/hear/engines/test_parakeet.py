"""Parakeet's adapter in a real worker, against its stand-in: NeMo and its weights are too large for tests."""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pytest

from dyad.errors import ConfigError
from dyad.hear.asr import asr_key, check_asr, transcribe
from dyad.hear.channel import hear_channel
from dyad.hear.ears import RATE, setting_of
from dyad.hear.engines.parakeet import ears as module
from dyad.hear.engines.parakeet.ears import EARS, LANGUAGES
from dyad.host.process import WorkerDied

DOUBLE = {"upstream": "double"}
V3 = {"model": "nvidia/parakeet-tdt-0.6b-v3"}

pytestmark = pytest.mark.xdist_group("parakeet")  # what is set up once is set up by one worker


@pytest.fixture(scope="module", autouse=True)
def _end():
    module._worker(setting_of(EARS, DOUBLE))
    yield
    module._worker(setting_of(EARS, DOUBLE)).stop()


@pytest.fixture
def own(monkeypatch):
    """A worker of the test's own, which may be lost; it ends when nobody knows it any more."""
    monkeypatch.setattr(module, "_started", cache(module._started.__wrapped__))


def bursts(*spans, length=6.0, rate=RATE):
    """Noise in the given spans of seconds."""
    pcm = np.zeros(round(length * rate), np.float32)
    for start, end in spans:
        at = slice(round(start * rate), round(end * rate))
        pcm[at] = np.random.default_rng(0).normal(0, 0.1, len(pcm[at]))
    return pcm


def test_words_come_with_their_times_in_seconds():
    (words,) = EARS.hear([bursts((1.0, 1.5), (2.4, 3.0))], setting_of(EARS, DOUBLE))
    assert [word.text for word in words] == ["w1", "w2"]
    assert [word.start for word in words] == pytest.approx([0.96, 2.4])
    assert [word.end for word in words] == pytest.approx([1.52, 3.04])


def test_channels_are_heard_apart_and_an_empty_one_has_no_words():
    tracks = [bursts((1.0, 2.0)), np.zeros(0, np.float32), bursts((3.0, 4.0), (4.5, 5.0), length=9.0)]
    together = EARS.hear(tracks, setting_of(EARS, DOUBLE))
    assert [len(words) for words in together] == [1, 0, 2]
    assert together == [EARS.hear([track], setting_of(EARS, DOUBLE))[0] for track in tracks]


def test_a_recording_is_transcribed_and_words_end_with_it():
    pcm = np.stack([bursts((1.0, 2.0), rate=24_000), bursts((5.9, 5.99), length=5.99, rate=24_000)[:1]
                    .repeat(144_000)])  # fmt: skip
    pcm[1, -2_000:] = pcm[0, 24_000:26_000]
    words = transcribe((pcm * 32767).astype(np.int16), "parakeet", params=DOUBLE)
    assert [word.seat for word in words] == ["a", "b"]
    assert words[1].end == 144_000  # the stand-in's last frame ends later


@pytest.mark.usefixtures("own")
def test_a_worker_is_kept_and_one_that_died_is_started_anew():
    setting, track = setting_of(EARS, DOUBLE), bursts((1.0, 2.0))
    first = EARS.hear([track], setting)
    worker = module._worker(setting)
    assert module._worker(setting).pid == worker.pid != os.getpid()
    worker.stop()
    assert EARS.hear([track], setting) == first
    assert module._worker(setting).pid != worker.pid


@pytest.mark.usefixtures("own")
def test_a_worker_that_dies_at_work_is_an_error_and_never_silence():
    worker = module._worker(setting_of(EARS, DOUBLE))
    os.kill(worker.pid, 9)
    with pytest.raises(WorkerDied, match="parakeet"):
        module._heard(worker, bursts((1.0, 2.0)))


def test_its_known_fault_is_got_around():
    """The stand-in, like Parakeet, hears nothing after 0.4 to 0.6 s of silence (public report A10)."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("hibari")
    from scipy.signal import resample_poly

    from dyad.speech.voices import load_voice

    said = np.asarray(resample_poly(load_voice("hibari", "heart")("Take the train.").pcm, 2, 3), np.float32)
    said = said[np.flatnonzero(np.abs(said) > 1e-3)[0] :]
    track = np.pad(said, (RATE // 2, RATE))
    assert EARS.hear([track], setting_of(EARS, DOUBLE)) == [[]]
    found = hear_channel(track, EARS, setting_of(EARS, DOUBLE))
    assert (found.status, found.tries) == ("ok", 2)
    assert found.words[0].start == pytest.approx(0.5, abs=0.1)


def test_what_is_missing_is_said_in_one_line_with_the_way_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("DYAD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(
        ConfigError, match="asr 'parakeet' has no environment; run: python -m dyad agents inst"
    ):
        check_asr("parakeet")
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    with pytest.raises(ConfigError, match=r"hf download nvidia/parakeet-tdt-0.6b-v2 .*CC-BY-4.0"):
        check_asr("parakeet", params={"env": str(tmp_path / "env")})
    with pytest.raises(ConfigError, match=r"holds 0 \.nemo files"):
        check_asr("parakeet", str(tmp_path), params={"env": str(tmp_path / "env")})
    (tmp_path / "mine.nemo").write_bytes(b"weights")
    check_asr("parakeet", str(tmp_path), params={"env": str(tmp_path / "env")})
    with pytest.raises(ConfigError, match=r"no Python in .*; correct asr.params.env"):
        check_asr("parakeet", params={"env": str(tmp_path / "hub")} | {"env": str(tmp_path)})


def test_each_version_has_its_languages():
    check_asr("parakeet", params=DOUBLE)
    with pytest.raises(ConfigError, match=r"knows English, not 'fr'; set asr.params.model=.*-v3"):
        check_asr("parakeet", lang="fr", params=DOUBLE)
    for lang in ("en", "fr", *LANGUAGES):
        check_asr("parakeet", lang=lang, params=DOUBLE | V3)
    with pytest.raises(ConfigError, match="does not know 'ja'"):
        check_asr("parakeet", lang="ja", params=DOUBLE | V3)


def test_words_are_named_by_model_and_not_by_place(tmp_path):
    plain = asr_key("parakeet")
    assert asr_key("parakeet", params={"device": "cpu", "env": "/elsewhere", "timeout_s": 1.0}) == plain
    others = [
        asr_key("parakeet", params=p) for p in (V3, DOUBLE, {"revision": "1a2b"}, {"align": {"by": "sphinx"}})
    ]
    (tmp_path / "mine.nemo").write_bytes(b"weights")
    others.append(asr_key("parakeet", str(tmp_path)))
    assert len({tuple(key) for key in [plain, *others]}) == 6
