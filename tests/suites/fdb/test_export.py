"""Exported folders: read again, they are the trials that were written, and the authors' layout."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.spec.suite import Stimulus
from dyad.suites.fdb import export
from dyad.suites.fdb.export import export_trials
from dyad.suites.fdb.layout import read_v1, read_v15
from dyad.suites.protocol import Chunk, Exported, Sound
from dyad.suites.transcripts import read_chunks
from tests.suites.fdb.folders import (
    INTERRUPT,
    METADATA,
    OVERLAPS,
    PAUSE,
    SETS,
    TURN,
    clip_v1,
    clip_v15,
    put,
    sound,
    trial,
    wav,
)

SHARES = "icc_gt_distribution.json"
WORDS = (Chunk("Yes,", 3.36, 3.9), Chunk("it", 4.46, 4.6899999999999995), Chunk("is", 15.0, None))
V15_SOUNDS = [f"{clean}{name}" for clean in ("", "clean_") for name in ("input", "output")]
V15_FILES = {f"{stem}.{kind}" for stem in V15_SOUNDS for kind in ("wav", "json")} | {"metadata.json"}

times = st.none() | st.floats(0, 100)
chunks = st.lists(st.builds(Chunk, st.text(max_size=6), times, times), max_size=4)
samples = st.lists(st.integers(-32768, 32767), min_size=1, max_size=40).map(lambda x: np.array(x, np.int16))
a_few = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def pcm(path: Path) -> tuple[np.ndarray, int]:
    read, rate = soundfile.read(path, dtype="int16")
    return read, rate


def heard_whole(words: Sequence[Chunk], seconds: float = 1.0) -> Sound:
    return replace(sound(words, seconds=seconds), whole=True)


def unplaced(stimuli: Sequence[Stimulus]) -> list[Stimulus]:
    return [stimulus.model_copy(update={"folder": ""}) for stimulus in stimuli]


@pytest.fixture
def v1(tmp_path: Path) -> list[Stimulus]:
    for task in SETS:
        clip_v1(tmp_path / "data", task, "3", rate=48_000)
    put(tmp_path / "data" / SHARES, {"3": [0.25, 0.75]})
    return read_v1(tmp_path / "data")


@pytest.fixture
def v15(tmp_path: Path) -> list[Stimulus]:
    for task in OVERLAPS:
        clip_v15(tmp_path / "data", task, "3")
    return read_v15(tmp_path / "data")


def test_v1_and_back(tmp_path: Path, v1: list[Stimulus]) -> None:
    model = heard_whole(WORDS, seconds=4.70)  # neither the length nor the rate of the stimulus
    wrote = export_trials([trial(s, model=model) for s in v1], tmp_path / "out")
    assert wrote == Exported(tuple(f"{s.task}/3" for s in v1), ())
    again = read_v1(tmp_path / "out")
    assert unplaced(again) == unplaced(v1)
    for stimulus, before in zip(again, v1, strict=True):
        assert stimulus.path.read_bytes() == before.path.read_bytes()
        said, rate = pcm(stimulus.path.with_name("output.wav"))
        assert (said.tolist(), rate, len(said)) == (model.pcm.tolist(), 16_000, 75_200)
        assert soundfile.info(stimulus.path.with_name("output.wav")).subtype == "PCM_16"
        interrupted = stimulus.kind == "interruption"
        kept = WORDS[2:] if interrupted else WORDS
        assert read_chunks(stimulus.path.with_name("output.json")) == (kept, "")
        assert stimulus.path.with_name("output_whole.json").exists() == interrupted


def test_v15_and_back(tmp_path: Path, v15: list[Stimulus]) -> None:
    heard = {name: sound([Chunk(name, 0.5, 1.0)], seconds, pcm=None) for name, seconds in
             {"model": 2.0, "user": 3.0, "clean": 1.5, "clean_user": 2.5}.items()}  # fmt: skip
    wrote = export_trials([trial(s, **heard) for s in v15 if not s.clean], tmp_path / "out")
    assert wrote == Exported(tuple(f"{task}/3" for task in OVERLAPS), ())
    assert unplaced(read_v15(tmp_path / "out")) == unplaced(v15)
    stems = {"input": "user", "clean_input": "clean_user", "output": "model", "clean_output": "clean"}
    for task in OVERLAPS:
        folder = tmp_path / "out" / task / "3"
        assert files(folder) == V15_FILES
        for stem, name in stems.items():  # four sounds, four transcripts
            assert read_chunks(folder / f"{stem}.json") == ((Chunk(name, 0.5, 1.0),), "")
        for stem in ("output", "clean_output"):
            assert np.array_equal(pcm(folder / f"{stem}.wav")[0], heard[stems[stem]].pcm)
        for stem in ("input", "clean_input"):
            source = tmp_path / "data" / task / "3" / f"{stem}.wav"
            assert (folder / f"{stem}.wav").read_bytes() == source.read_bytes()


@given(said=chunks, played=samples, rate=st.sampled_from([8_000, 16_000, 24_000, 48_000]))
@a_few
def test_any_words_and_samples(
    tmp_path_factory: pytest.TempPathFactory, said: list[Chunk], played: Any, rate: int
) -> None:
    folder = tmp_path_factory.mktemp("any")
    stimulus = Stimulus(id="x_turn_taking.1", task="x_turn_taking", kind="turn_taking", clip="1", folder="",
                        duration_s=1.0, span=(0.5, 0.5))  # fmt: skip
    export_trials([trial(stimulus, model=sound(said, rate=rate, pcm=played))], folder)
    (again,) = read_v1(folder)
    assert unplaced([again]) == [stimulus]
    assert read_chunks(again.path.with_name("output.json")) == (tuple(said), "")
    back, back_rate = pcm(again.path.with_name("output.wav"))
    assert (back.tolist(), back_rate) == (played.tolist(), rate)


def test_without_files_what_is_known_is_written(
    tmp_path: Path, v1: list[Stimulus], v15: list[Stimulus]
) -> None:
    known = [s for s in [*read_v1(tmp_path / "data"), *v15] if not s.clean]
    played = {s.id: sound(seconds=s.duration_s) for s in known}
    clean = sound(seconds=9.0)
    trials = [trial(s, user=played[s.id], clean_user=clean) for s in unplaced(known)]
    export_trials(trials, tmp_path / "out")
    again = read_v1(tmp_path / "out") + read_v15(tmp_path / "out")
    assert unplaced(again) == unplaced([*v1, *v15])
    for stimulus in again:
        expected = clean if stimulus.clean else played[stimulus.id]
        assert np.array_equal(pcm(stimulus.path)[0], expected.pcm)


def test_generated_notes_have_the_form_of_the_authors(
    tmp_path: Path, v1: list[Stimulus], v15: list[Stimulus]
) -> None:
    known = unplaced([s for s in [*v1, *v15] if not s.clean])
    export_trials([trial(s) for s in known], tmp_path / "out")
    turn = [{**TURN[0], "timestamp": [TURN[0]["timestamp"][0]] * 2}]
    for place, expected in {
        "candor_pause_handling/3/pause.json": PAUSE,
        "candor_turn_taking/3/turn_taking.json": turn,
        "synthetic_user_interruption/3/interrupt.json": INTERRUPT,
        "user_interruption/3/metadata.json": METADATA,
        f"icc_backchannel/{SHARES}": {"3": [0.25, 0.75]},
    }.items():
        assert json.loads((tmp_path / "out" / place).read_text("ascii")) == expected


def test_files_beside_the_stimulus_are_copied(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path / "data", "synthetic_user_interruption")
    put(clip / "transcription.json", "[  ]")
    wav(clip / "context.wav")
    wav(clip / "interrupt.wav", 0.5)
    put(clip / "rating.json", {"rating": 4})  # of another output
    put(clip / "output.json", "{}")
    export_trials([trial(s) for s in read_v1(tmp_path / "data")], tmp_path / "out")
    made = tmp_path / "out" / "synthetic_user_interruption" / "1"
    copied = {"input.wav", "interrupt.json", "transcription.json", "context.wav", "interrupt.wav"}
    assert files(made) == copied | {"output.wav", "output.json"}
    assert all((made / name).read_bytes() == (clip / name).read_bytes() for name in copied)


def test_a_link_out_of_the_set_is_not_copied(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path / "data", "candor_turn_taking")
    stimuli = read_v1(tmp_path / "data")
    for name in ("transcription.json", "input.wav", "turn_taking.json"):
        (clip / name).unlink(missing_ok=True)
        (clip / name).symlink_to(put(tmp_path / "secret", "secret"))
    user = sound(seconds=10.4)
    export_trials([trial(s, user=user) for s in stimuli], tmp_path / "out")
    made = tmp_path / "out" / "candor_turn_taking" / "1"
    assert files(made) == {"input.wav", "turn_taking.json", "output.wav", "output.json"}
    assert b"secret" not in b"".join((made / name).read_bytes() for name in files(made))
    assert np.array_equal(pcm(made / "input.wav")[0], user.pcm)


@pytest.mark.parametrize(("crop", "kept"), [(True, ["after"]), (False, ["before", "in", "after"])])
def test_words_before_the_end_of_an_interruption(tmp_path: Path, crop: bool, kept: list[str]) -> None:
    clip_v1(tmp_path / "data", "synthetic_user_interruption")  # ends at 13.144 s
    said = (Chunk("before", 1.0, 2.0), Chunk("in", 11.0, 12.0), Chunk("after", 17.224, 17.704))
    (stimulus,) = read_v1(tmp_path / "data")
    export_trials([trial(stimulus, model=heard_whole(said))], tmp_path / "out", crop=crop)
    clip = tmp_path / "out" / "synthetic_user_interruption" / "1"
    assert [word.text for word in read_chunks(clip / "output.json")[0]] == kept
    assert read_chunks(clip / "output_whole.json") == (said, "")


def test_words_that_may_not_be_all_stay_as_they_are(tmp_path: Path) -> None:
    clip_v1(tmp_path / "data", "synthetic_user_interruption")
    said = (Chunk("before", 1.0, 2.0), Chunk("after", 17.224, 17.704))
    export_trials([trial(s, said) for s in read_v1(tmp_path / "data")], tmp_path / "out")
    clip = tmp_path / "out" / "synthetic_user_interruption" / "1"
    assert read_chunks(clip / "output.json") == (said, "")
    assert not (clip / "output_whole.json").exists()


def test_transcripts_that_do_not_exist_are_counted(
    tmp_path: Path, v1: list[Stimulus], v15: list[Stimulus]
) -> None:
    overlap = trial(v15[0], model=sound(), user=sound(None), clean=None, clean_user=sound())
    wrote = export_trials([trial(v1[0], None), trial(v1[1], ()), overlap], tmp_path / "out")
    assert wrote.untranscribed == (
        "candor_pause_handling/3/output.json",
        "background_speech/3/input.json",
        "background_speech/3/clean_output.json",
    )
    assert not (tmp_path / "out" / wrote.untranscribed[0]).exists()
    assert read_chunks(tmp_path / "out" / "candor_turn_taking/3/output.json") == ((), "")


def test_repetitions_need_names(tmp_path: Path, v1: list[Stimulus]) -> None:
    one = trial(v1[2])
    with pytest.raises(ConfigError, match="icc_backchannel/3; export one repetition"):
        export_trials([one, one], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    export_trials([one, one], tmp_path / "out", names=["30", "31"])
    assert [s.clip for s in read_v1(tmp_path / "out")] == ["30", "31"]
    assert {s.reference for s in read_v1(tmp_path / "out")} == {(0.25, 0.75)}


@pytest.mark.parametrize("name", ["a b", "é", "1.clean", "../../up", "..", "a/b", "a\\b", "x\ny", "n" * 256])
def test_names_stay_in_the_folder(tmp_path: Path, v1: list[Stimulus], name: str) -> None:
    export_trials([trial(v1[0])], tmp_path / "deep" / "out", names=[name])
    (again,) = read_v1(tmp_path / "deep" / "out")
    assert again.path.resolve().parents[1] == (tmp_path / "deep" / "out" / "candor_pause_handling").resolve()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "deep"]


def test_an_odd_name_keeps_its_id(tmp_path: Path) -> None:
    for name in ("a b", "1.clean", "x" * 60):
        clip_v1(tmp_path / "data", "candor_turn_taking", name)
    before = read_v1(tmp_path / "data")
    export_trials([trial(s) for s in before], tmp_path / "out")
    assert unplaced(read_v1(tmp_path / "out")) == unplaced(before)


def test_nothing_is_overwritten(tmp_path: Path, v1: list[Stimulus]) -> None:
    one = [trial(v1[0])]
    kept = put(tmp_path / "full" / "kept.txt", "kept")
    for folder in (kept.parent, kept):
        with pytest.raises(ConfigError, match="is not empty"):
            export_trials(one, folder)
    with pytest.raises(ConfigError, match="cannot be written"):
        export_trials(one, kept / "below")
    assert kept.read_text() == "kept"
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    export_trials(one, tmp_path / "link")
    assert files(tmp_path / "empty") >= {"candor_pause_handling/3/output.wav"}


def test_a_folder_appears_complete_or_not_at_all(tmp_path: Path, v1: list[Stimulus]) -> None:
    trials = [trial(v1[0]), trial(v1[1], [Chunk("w", float("nan"), 1.0)])]
    with pytest.raises(ValueError, match="JSON"):
        export_trials(trials, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_folder_that_somebody_fills_meanwhile_is_left_alone(
    tmp_path: Path, v1: list[Stimulus], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(export, "_write_references", lambda *_: put(out / "theirs.txt", "theirs"))
    with pytest.raises(ConfigError, match="cannot be written"):
        export_trials([trial(v1[0])], out)
    assert files(tmp_path / "out") == {"theirs.txt"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out"]


def test_what_is_no_trial_is_refused(tmp_path: Path, v15: list[Stimulus]) -> None:
    with pytest.raises(ConfigError, match="no trial"):
        export_trials([], tmp_path / "out")
    with pytest.raises(ConfigError, match=r"background_speech\.3\.clean is no trial"):
        export_trials([trial(s) for s in v15], tmp_path / "out")
