"""Folders of Full-Duplex-Bench: every clip becomes a stimulus, with its notes or with what is wrong."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.spec.suite import Stimulus
from dyad.suites.fdb import layout
from dyad.suites.fdb.family import score
from dyad.suites.fdb.layout import kind_of, read_v1, read_v15, safe
from dyad.suites.protocol import Chunk
from tests.suites.fdb import folders
from tests.suites.fdb.folders import INTERRUPT, METADATA, OVERLAPS, SETS, clip_v1, clip_v15, put, trial, wav

PAUSES = "candor_pause_handling"
SAID = (Chunk("Well", 2.0, 2.4), Chunk("yes", 2.5, 4.0))
SHARES = "icc_gt_distribution.json"
one_folder = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["timestamp", "context", "interrupt", "text"]), inner)
    ),
    max_leaves=8,
)


def only(stimuli: list[Stimulus]) -> Stimulus:
    (stimulus,) = stimuli
    return stimulus


@pytest.fixture
def v1(tmp_path: Path) -> Path:
    for task in SETS:
        clip_v1(tmp_path / "data" / "v1_0", task)
    return tmp_path / "data"


# -- what is read ----------------------------------------------------------------------------------


def test_v1(v1: Path) -> None:
    put(v1 / "v1_0" / SHARES, {"1": [0.25, 0.5, 0.25]})
    found = {stimulus.task: stimulus for stimulus in read_v1(v1)}
    assert list(found) == sorted(SETS)
    assert [s.id for s in found.values()] == [f"{task}.1" for task in sorted(SETS)]
    assert {s.problem for s in found.values()} == {""}
    assert [(s.kind, s.span, s.duration_s) for s in found.values()] == [
        ("pause", (3.319999999999993, 4.0), 4.72),
        ("turn_taking", (2.0100000000000016, 2.0100000000000016), 10.4),
        ("backchannel", None, 3.0),
        ("pause", (3.319999999999993, 4.0), 4.72),
        ("interruption", (10.530666666666667, 13.144), 28.16),
    ]
    assert found["synthetic_user_interruption"].texts == {"context": "Books?", "interruption": "Fiction?"}
    assert found["icc_backchannel"].reference == (0.25, 0.5, 0.25)
    assert all(s.path.is_file() and s.path.name == "input.wav" and not s.clean for s in found.values())
    assert {s.folder for s in found.values()} == {str(v1 / "v1_0" / task / "1") for task in SETS}


def test_v15(tmp_path: Path) -> None:
    for task in OVERLAPS:
        clip_v15(tmp_path / "v1_5", task)
    found = read_v15(tmp_path)
    assert [s.id for s in found] == [f"{task}.1{twin}" for task in OVERLAPS for twin in ("", ".clean")]
    noisy, clean = found[:2]
    assert (noisy.kind, noisy.span, noisy.duration_s) == ("overlap", (7.275, 11.467), 12.0)
    assert noisy.texts == clean.texts == {"context_text": "In town?", "current_turn_text": "Food?"}
    assert (clean.id, clean.sound, clean.clean) == (noisy.clean_id, "clean_input.wav", True)
    assert (clean.span, clean.duration_s, clean.task, clean.clip) == (None, 9.0, noisy.task, "1")
    assert not any(s.problem for s in found)


@pytest.mark.parametrize("place", ["", "v1_0"])
def test_the_folder_of_the_sets_or_the_one_that_holds_it(v1: Path, place: str) -> None:
    assert read_v1(v1 / place) == read_v1(v1)


def test_a_set_alone(v1: Path) -> None:
    assert only(read_v1(v1 / "v1_0" / PAUSES)) == read_v1(v1)[0]


def test_a_relative_folder(v1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(v1 / "v1_0")
    assert read_v1(Path()) == read_v1(v1)
    monkeypatch.chdir(v1 / "v1_0" / PAUSES)
    assert read_v1(Path()) == read_v1(v1)[:1]


def test_clips_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("10", "9", "b", "100", "a1"):
        clip_v1(tmp_path, PAUSES, name)
    assert [s.clip for s in read_v1(tmp_path)] == ["9", "10", "100", "a1", "b"]


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 24_000, 44_100, 48_000])
def test_seconds_follow_the_rate_of_each_file(tmp_path: Path, rate: int) -> None:
    clip_v1(tmp_path, PAUSES, "1", rate)
    clip_v1(tmp_path, PAUSES, "2", 16_000)
    found = read_v1(tmp_path)
    assert [(s.duration_s, s.problem) for s in found] == [(pytest.approx(4.72, abs=1e-4), ""), (4.72, "")]


@pytest.mark.parametrize(
    ("name", "files", "kind"),
    [
        ("synthetic_user_interruption", ["interrupt.json"], "interruption"),
        ("synthetic_user_interruption", [], "interruption"),
        ("user_interruption_example", ["interrupt.json"], "interruption"),
        ("user_interruption", ["interrupt.json"], "interruption"),
        ("user_interruption", ["metadata.json"], "overlap"),
        ("user_interruption", ["clean_input.wav"], "overlap"),
        ("user_interruption", [], "overlap"),
        ("user_backchannel", [], "overlap"),
        ("icc_backchannel", [], "backchannel"),
        ("callfc_backchannel", [], "backchannel"),
        ("smooth_turn_taking_example", [], "turn_taking"),
        ("pause_handling", [], "pause"),
        ("pauses", [], None),
    ],
)
def test_kinds_of_sets(tmp_path: Path, name: str, files: list[str], kind: str | None) -> None:
    for file in ("input.wav", *files):
        put(tmp_path / name / "1" / file, b"")
    assert kind_of(tmp_path / name) == kind


def test_versions_beside_each_other(tmp_path: Path) -> None:
    clip_v1(tmp_path, "synthetic_user_interruption")
    clip_v15(tmp_path, "user_interruption")
    assert [s.id for s in read_v1(tmp_path)] == ["synthetic_user_interruption.1"]
    assert [s.id for s in read_v15(tmp_path)] == ["user_interruption.1", "user_interruption.1.clean"]


def test_what_is_no_clip_is_ignored(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path, PAUSES)
    for name in (".ipynb_checkpoints/input.wav", ".DS_Store", "logs/run.txt", "README.md", "1.zip"):
        put(tmp_path / PAUSES / name, b"x")
    put(clip / "old" / "input.wav", b"x")
    put(tmp_path / "notes" / "1" / "input.wav", b"x")
    put(tmp_path / ".candor_turn_taking" / "1" / "input.wav", b"x")
    assert not only(read_v1(tmp_path)).problem


def test_further_pauses_are_kept(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path, PAUSES)
    put(clip / "pause.json", [{"timestamp": [1.0, 1.5]}, {"timestamp": [3.0, 4.0]}])
    found = only(read_v1(tmp_path))
    assert (found.span, found.texts) == ((1.0, 1.5), {"pauses": "1.0–1.5, 3.0–4.0"})


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["0", "54", "TTS_a-b", "p232+1", "x" * 40])
def test_plain_names_stay(name: str) -> None:
    assert safe(name) == name


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True, max_size=5))
def test_names_are_safe_apart_and_stable(names: list[str]) -> None:
    stimuli = [
        Stimulus(id=f"{safe(n)}.{safe(n)}.clean", task=safe(n), kind="pause", clip=n, folder="")
        for n in names
    ]
    assert all("." not in stimulus.task for stimulus in stimuli)
    assert all(safe(stimulus.task) == stimulus.task for stimulus in stimuli)


def test_odd_clip_names(tmp_path: Path) -> None:
    names = ["a b", "a.b", "a_b", "1.clean", "-x", "é", "会話", "x" * 90, "a  b\n"]
    for name in names:
        clip_v1(tmp_path, PAUSES, name)
    found = read_v1(tmp_path)
    assert sorted(s.clip for s in found) == sorted(names)
    assert len({s.id for s in found}) == len(names)
    assert all(s.path.is_file() and not s.problem for s in found)
    assert next(s.id for s in found if s.clip == "a_b") == f"{PAUSES}.a_b"


def test_a_clip_cannot_take_the_id_of_a_twin(tmp_path: Path) -> None:
    clip_v15(tmp_path, "user_interruption", "1")
    clip_v15(tmp_path, "user_interruption", "1.clean")
    assert len({s.id for s in read_v15(tmp_path)}) == 4


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path, PAUSES)
    try:
        os.rename(clip, os.fsencode(clip.parent) + b"/\xff1")  # noqa: PTH104
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    found = only(read_v1(tmp_path))
    assert "not UTF-8" in found.problem
    assert Stimulus.model_validate_json(found.model_dump_json()) == found


def test_an_odd_name_of_a_set_keeps_its_kind(tmp_path: Path) -> None:
    clip_v1(tmp_path, PAUSES)
    (tmp_path / PAUSES).rename(tmp_path / f"my {'very ' * 9}own.{PAUSES}")
    found = only(read_v1(tmp_path))
    assert found.kind == "pause"
    assert found.task.endswith(PAUSES)


# -- what is wrong ---------------------------------------------------------------------------------


def nan_wav(path: Path) -> None:
    soundfile.write(path, np.array([0.0, math.nan], np.float32), 16_000, subtype="FLOAT")


SOUNDS: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: path.unlink(), "no input.wav"),
    (lambda path: put(path, b""), "cannot be read as audio"),
    (lambda path: put(path, b"not a sound at all"), "cannot be read as audio"),
    (lambda path: put(path, path.read_bytes()[:44]), "input.wav is empty"),
    (lambda path: put(path, path.read_bytes()[:1044]), "beyond the sound of 0.03125 s"),
    (lambda path: wav(path, 4.72, channels=2), "2 channels"),
    (lambda path: wav(path, 4.72, rate=11_026), "11026 Hz"),
    (lambda path: wav(path, 4.72, rate=4_000), "4000 Hz"),
    (nan_wav, "NaN"),
    (lambda path: (path.unlink(), path.mkdir()), "no input.wav"),
    (lambda path: (path.unlink(), os.mkfifo(path)), "no input.wav"),
]


@pytest.mark.parametrize(("change", "problem"), SOUNDS)
def test_sounds_that_cannot_be_played(tmp_path: Path, change: Callable[[Path], object], problem: str) -> None:
    change(clip_v1(tmp_path, PAUSES, "7") / "input.wav")
    clip_v1(tmp_path, PAUSES, "8")
    broken, whole = read_v1(tmp_path)
    assert (broken.id, whole.problem) == (f"{PAUSES}.7", "")
    assert problem in broken.problem


def test_a_sound_can_be_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip_v1(tmp_path, PAUSES)
    monkeypatch.setattr(layout, "LONGEST_S", 4.72)
    assert not only(read_v1(tmp_path)).problem
    monkeypatch.setattr(layout, "LONGEST_S", 4.0)
    assert "longer than 4 s" in only(read_v1(tmp_path)).problem


def test_a_sound_of_floats_is_played(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path, PAUSES)
    soundfile.write(clip / "input.wav", folders.burst(4.72) / 32768, 16_000, subtype="FLOAT")
    assert not only(read_v1(tmp_path)).problem


UNUSABLE = [
    (None, "no interrupt.json"),
    ("", "interrupt.json: Invalid JSON"),
    ("{}", "interrupt.json: Input should be a valid array"),
    ("[]", "interrupt.json: List should have at least 1 item"),
    ('[{"text": "[PAUSE]"}]', "interrupt.json[0][timestamp]: Field required"),
    ('[{"timestamp": [1.0]}]', "[timestamp][1]: Field required"),
    ('[{"timestamp": ["1", "2"]}]', "valid number"),
    ('[{"timestamp": [NaN, 2.0]}]', "finite"),
    ('[{"timestamp": [-0.5, 2.0]}]', "no span of time: -0.5 to 2 s"),
    ('[{"timestamp": [2.0, 1.0]}]', "no span of time: 2 to 1 s"),
    ('[{"timestamp": [3.0, 30.0]}]', "30 s is beyond the sound of 28.16 s"),
    ('[{"timestamp": [1.0, 2.0]}, {"timestamp": 3}]', "interrupt.json[1][timestamp]"),
    ("[" * 100_000, "recursion limit"),
    (b"\xff\xfe[\x00]\x00", "Invalid JSON"),
]


def noted(root: Path, task: str, note: Any) -> Stimulus:
    clip = clip_v1(root, task)
    (clip / SETS[task][0]).unlink()
    if note is not None:
        put(clip / SETS[task][0], note)
    return only(read_v1(root))


@pytest.mark.parametrize(("note", "problem"), UNUSABLE)
def test_notes_that_cannot_be_used(tmp_path: Path, note: Any, problem: str) -> None:
    if isinstance(note, str):
        note = note.replace('{"t', '{"context": "", "interrupt": "", "t')
    found = noted(tmp_path, "synthetic_user_interruption", note)
    assert problem in found.problem
    assert "\n" not in found.problem
    assert (found.span, found.duration_s) == (None, 28.16)


@pytest.mark.parametrize("note", [note for note, problem in UNUSABLE if "beyond" not in problem])
def test_a_pause_without_times_is_played_all_the_same(tmp_path: Path, note: Any) -> None:
    found = noted(tmp_path, PAUSES, note)
    assert (found.span, found.problem, found.duration_s) == (None, "", 4.72)


@pytest.mark.parametrize(
    ("task", "note", "expected"),
    [
        ("candor_turn_taking", [{"timestamp": [10.4, 99.0]}], ((10.4, 10.4), "")),
        ("candor_turn_taking", [{"timestamp": [1.5, None]}], ((1.5, 1.5), "")),
        ("candor_turn_taking", [{"timestamp": [1.5]}], ((1.5, 1.5), "")),
        ("candor_turn_taking", [{"timestamp": [None, 1.5]}], (None, "")),
        ("candor_turn_taking", [{"timestamp": []}], (None, "Field required")),
        ("candor_turn_taking", [{"timestamp": [10.5, 10.6]}], (None, "beyond the sound")),
        ("candor_pause_handling", [{"timestamp": [4.0, 4.7299]}], ((4.0, 4.7299), "")),  # rounded
        ("candor_pause_handling", [{"timestamp": [1.0, 1.0]}], ((1.0, 1.0), "")),
        ("synthetic_user_interruption", [{**INTERRUPT[0], "context": None}], (None, "[context]")),
        ("synthetic_user_interruption", [{"timestamp": [1.0, 2.0]}], (None, "Field required")),
        ("synthetic_user_interruption", INTERRUPT * 2, ((10.530666666666667, 13.144), "")),
    ],
)
def test_spans(tmp_path: Path, task: str, note: Any, expected: tuple[Any, str]) -> None:
    put(clip_v1(tmp_path, task) / SETS[task][0], note)
    found = only(read_v1(tmp_path))
    assert found.span == expected[0]
    assert expected[1] in found.problem
    assert bool(found.problem) == bool(expected[1])


def test_a_clip_with_nothing_in_it_is_counted(tmp_path: Path) -> None:
    clip_v1(tmp_path, PAUSES, "1")
    (tmp_path / PAUSES / "2").mkdir()
    assert [s.problem for s in read_v1(tmp_path)] == ["", "no input.wav"]


@pytest.mark.parametrize(
    ("file", "noisy", "clean"),
    [
        ("input.wav", "no input.wav", "its twin: no input.wav"),
        ("clean_input.wav", "", "no clean_input.wav"),
        ("metadata.json", "no metadata.json", "its twin: no metadata.json"),
    ],
)
def test_halves_of_a_pair(tmp_path: Path, file: str, noisy: str, clean: str) -> None:
    (clip_v15(tmp_path, "user_interruption") / file).unlink()
    assert [s.problem for s in read_v15(tmp_path)] == [noisy, clean]


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({**METADATA, "timestamps": [7.0, 12.5]}, "12.5 s is beyond the sound of 12 s"),
        ({**METADATA, "timestamps": "7-9"}, "metadata.json[timestamps]"),
        ({**METADATA, "context_text": 3}, "metadata.json[context_text]"),
        ([METADATA], "metadata.json: Input should be an object"),
        ({"timestamps": [7.0, 9.0]}, ""),
    ],
)
def test_metadata(tmp_path: Path, metadata: Any, problem: str) -> None:
    put(clip_v15(tmp_path, "talking_to_other") / "metadata.json", metadata)
    noisy = read_v15(tmp_path)[0]
    assert problem in noisy.problem
    assert bool(noisy.problem) == bool(problem)


@given(st.binary(max_size=30) | json_values.map(lambda value: json.dumps(value).encode()))
@one_folder
def test_no_note_raises_or_drops_a_clip(tmp_path: Path, note: bytes) -> None:
    for task in ("candor_pause_handling", "candor_turn_taking", "synthetic_user_interruption"):
        clip = tmp_path / task / "1"
        if not clip.exists():
            clip_v1(tmp_path, task)
        put(clip / SETS[task][0], note)
    found = read_v1(tmp_path)
    assert len(found) == 3
    assert all((s.span is None) == bool(s.problem) or s.kind == "pause" for s in found)
    assert all("\n" not in s.problem for s in found)


# -- links -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["input.wav", "pause.json", ""])
def test_a_link_out_of_the_data_is_not_followed(tmp_path: Path, name: str) -> None:
    clip, other = clip_v1(tmp_path / "data", PAUSES), clip_v1(tmp_path / "elsewhere", PAUSES)
    away = clip / name if name else clip
    away.rename(tmp_path / "was")
    away.symlink_to(other / name)
    found = only(read_v1(tmp_path / "data"))
    assert ("lies outside" in found.problem) == (name != "pause.json")
    assert (found.span is None) == (name != "input.wav")


def test_links_within_the_data_are_followed(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path, PAUSES, "1")
    clip.with_name("2").symlink_to(clip)
    (tmp_path / "linked").symlink_to(tmp_path)
    assert [s.problem for s in read_v1(tmp_path / "linked")] == ["", ""]


def test_links_to_nowhere_and_in_circles(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path, PAUSES, "1")
    clip.with_name("2").symlink_to(tmp_path / "gone")
    clip.with_name("3").symlink_to(clip.with_name("3"))
    (clip / "input.wav").unlink()
    (clip / "input.wav").symlink_to(clip / "input.wav")
    found = read_v1(tmp_path)
    assert [s.clip for s in found] == ["1", "2", "3"]
    assert all(s.problem for s in found)


# -- references ------------------------------------------------------------------------------------


def test_references_by_the_name_of_the_clip(tmp_path: Path) -> None:
    for name in ("0", "1", "2"):
        clip_v1(tmp_path, "icc_backchannel", name)
    put(tmp_path / SHARES, {"1": [0.5, 0.5], "0": [1], "99": [1.0]})
    found = read_v1(tmp_path)
    assert [s.reference for s in found] == [(1.0,), (0.5, 0.5), ()]  # unknown: no reference, and no error
    assert not any(s.problem for s in found)


def test_which_reference_counts(tmp_path: Path) -> None:
    task = clip_v1(tmp_path / "v1_0", "icc_backchannel").parent
    given = put(tmp_path / "elsewhere" / SHARES, {"1": [4]})
    for value, place in enumerate((tmp_path, task.parent, task), start=1):
        put(place / SHARES, {"1": [value]})
        assert only(read_v1(tmp_path)).reference == (value,)
    for references in (given, given.parent):
        assert only(read_v1(tmp_path, references)).reference == (4.0,)
    assert only(read_v1(task)).reference == (3.0,)


@pytest.mark.parametrize("shares", ["[1]", 3, [-0.1, 1.1], [0.0, 0.0], ["1"], [None], {"0": 1}])
def test_a_malformed_reference(tmp_path: Path, shares: Any) -> None:
    for name in ("0", "1"):
        clip_v1(tmp_path, "icc_backchannel", name)
    put(tmp_path / SHARES, {"0": shares, "1": [1.0]})
    found = read_v1(tmp_path)
    assert [s.problem for s in found] == [f"{SHARES} has no probabilities for 0", ""]


@pytest.mark.parametrize("content", ["", "[]", '{"0": [0.5'])
def test_a_malformed_file_of_references(tmp_path: Path, content: str) -> None:
    clip_v1(tmp_path, "icc_backchannel")
    put(tmp_path / SHARES, content)
    with pytest.raises(ConfigError, match=SHARES):
        read_v1(tmp_path)


def test_references_that_are_not_there(tmp_path: Path) -> None:
    clip_v1(tmp_path, "icc_backchannel")
    with pytest.raises(ConfigError, match=r"no nothing\.json"):
        read_v1(tmp_path, tmp_path / "nothing.json")


# -- nothing to read -------------------------------------------------------------------------------


def test_no_set(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no folder"):
        read_v1(tmp_path / "nowhere")
    (tmp_path / "stuff").mkdir()
    with pytest.raises(ConfigError) as error:
        read_v1(tmp_path)
    for named in (str(tmp_path), "v1_0", "pause_handling", "turn_taking", "here: stuff"):
        assert named in str(error.value)
    with pytest.raises(ConfigError, match="talking_to_other"):
        read_v15(tmp_path)


def test_a_set_of_the_other_version_is_none(tmp_path: Path) -> None:
    clip_v15(tmp_path / "v1_5", "user_interruption")
    with pytest.raises(ConfigError, match="here: v1_5"):
        read_v1(tmp_path)


def test_a_set_without_clips(tmp_path: Path) -> None:
    (tmp_path / PAUSES).mkdir()
    with pytest.raises(ConfigError, match="no clip in"):
        read_v1(tmp_path)


@pytest.mark.parametrize(
    ("task", "note"),
    [
        ("candor_turn_taking", [{"timestamp": [None, 1.5]}]),
        ("candor_turn_taking", [{"timestamp": [None]}]),
        ("synthetic_user_interruption", [INTERRUPT[0] | {"timestamp": [10.5, None]}]),
    ],
)
def test_without_the_end_of_the_user_s_turn_no_takeover_is_a_takeover_of_0(
    tmp_path: Path, task: str, note: Any
) -> None:
    """As for the authors, whose script stops at a takeover alone."""
    put(clip_v1(tmp_path, task) / SETS[task][0], note)
    found = only(read_v1(tmp_path))
    assert (found.problem, found.span) == ("", None)
    for said, tor, latency in (((), 0.0, 0.0), (SAID, 1.0, None)):
        scored = {x.measure: x.value for x in score(trial(found, said), [], "compat", {})}
        assert (scored["tor"], scored["latency"]) == (tor, latency)
    strict = {x.measure: x for x in score(trial(found, SAID), [], "strict", {})}
    assert strict["tor"].reason == "no times of the user's turn"


@pytest.mark.parametrize(
    ("task", "note"),
    [
        ("candor_turn_taking", [{"timestamp": ["1.5", None]}]),
        ("candor_turn_taking", [{"timestamp": [1.5, "2.0"]}]),
        ("candor_turn_taking", [{"timestamp": [1.5, 2.0, 2.5]}]),
        ("synthetic_user_interruption", [INTERRUPT[0] | {"timestamp": [10.5, "later"]}]),
    ],
)
def test_what_is_wrong_with_a_note_is_said_without_names_of_types(
    tmp_path: Path, task: str, note: Any
) -> None:
    put(clip_v1(tmp_path, task) / SETS[task][0], note)
    problem = only(read_v1(tmp_path)).problem
    where, _, what = problem.partition(": ")
    assert re.fullmatch(r"\w+\.json(\[(\d+|timestamp)\])+", where)
    assert what.startswith(("Input should be a valid number", "Tuple should have at most"))


def test_a_stimulus_that_is_cut_off_is_damaged(tmp_path: Path) -> None:
    path = clip_v1(tmp_path, "candor_turn_taking") / "input.wav"
    path.write_bytes(path.read_bytes()[: 44 + 2 * 16_000 * 5])
    found = only(read_v1(tmp_path))
    assert (found.damaged, found.problem) == (True, "input.wav is cut off: 5.0 of 10.4 s")
