"""Tables as a user asks for them: printed, as JSON, as files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from dyad.cli.main import run

pytestmark = pytest.mark.xdist_group("tables")  # what is set up once is set up by one worker

Dyad = Callable[..., int]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two scenarios with two instruments, played once."""
    folder = tmp_path_factory.mktemp("store")
    argv = ["name=small", "pairing=echo_tone", "task=t3_1,t2", "window_s=4", "design.repetitions=1"]
    more = ["scenarios.limit=2", "launcher=serial", "report.embed_audio=never", *FEW]
    assert run(["run", *argv, *more, f"store={folder}"]) == 0
    return folder


FEW = ("report.bootstrap=40", "report.permutations=40")


def test_files_lie_in_the_study_and_the_folder_is_printed(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["table", "study=small", f"store={store}", "format=parquet,csv,latex,markdown", *FEW]) == 0
    folder = store / "studies/small/tables"
    assert capsys.readouterr().out == f"{folder}\n"
    assert {path.suffix for path in folder.iterdir()} == {".parquet", ".csv", ".tex", ".md"}
    frame = pd.read_parquet(folder / "matrix.parquet")
    assert set(frame["archetype"]) == {"t2", "t3_1"}
    assert "study small, definitions: paper, judge: mechanical" in (folder / "turns.tex").read_text()


def test_a_table_that_a_study_no_longer_has_is_gone(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = store / "studies/small/tables"
    argv = ["table", "study=small", f"store={store}", "report.bootstrap=0", "report.permutations=0"]
    assert run([*argv, "format=csv,latex"]) == 0
    for name in ("srm.csv", "srm.tex", "notes.csv"):
        (folder / name).write_text("old")
    assert run([*argv, "format=csv"]) == 0
    assert not (folder / "srm.csv").exists()
    assert (folder / "srm.tex").exists(), "other formats were not asked for"
    assert (folder / "notes.csv").exists(), "it is no table of ours"
    assert (folder / "matrix.tex").exists()


def test_files_go_where_they_are_wanted(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["table", "study=small", f"store={store}", "format=csv", f"out={tmp_path / 'a b'}", "--json"]
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b/mine.csv").write_text("mine")
    assert run([*argv, "report.bootstrap=0", "report.permutations=0"]) == 0
    assert (tmp_path / "a b/mine.csv").read_text() == "mine"
    (tmp_path / "a b/mine.csv").unlink()
    said = json.loads(capsys.readouterr().out)
    assert said["folder"] == str(tmp_path / "a b")
    assert sorted(said["files"]) == sorted(path.name for path in (tmp_path / "a b").iterdir())
    eta = pd.read_csv(tmp_path / "a b/missing.csv")
    assert len(eta)
    assert "low" not in pd.read_csv(tmp_path / "a b/profile.csv"), "no resamples, no intervals"


BAD = [
    (["format=latx"], "no format 'latx'; did you mean 'latex'?"),
    (["format="], "format names none"),
    (["out=x"], "format=parquet,csv,latex,markdown"),
    (["format=csv", "out="], "out names no folder"),
    (["format=csv", f"out={__file__}"], "is a file"),
    (["report.permutation=3"], "did you mean 'report.permutations'"),
    (["report.permutations=-1"], "report.permutations"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_a_wrong_wish_is_one_line_and_exit_2(
    store: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(store.rglob("*"))
    assert run(["table", "study=small", f"store={store}", *options]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out
    assert sorted(store.rglob("*")) == before


def test_what_may_be_concluded_is_printed_and_in_the_json(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["table", "study=small", f"store={store}", *FEW]
    assert run(argv) == 0
    printed = capsys.readouterr().out
    assert printed.rstrip().splitlines()[-1] in (
        "No difference between agents could be tested.",
        *(f"In none of {n} measures can two agents be told apart." for n in range(1, 40)),
    )
    assert run([*argv, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {"condition", "table", "archetype", "measure", "sentences", "holds"} == set(data["claims"][0])
    assert {claim["table"] for claim in data["claims"]} <= {row["table"] for row in data["rows"]}


def test_tables_are_computed_once_in_a_command(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from dyad.pipeline import tables

    calls, real = [], tables.summary

    def counted(*args: object) -> object:
        calls.append(args)
        return real(*args)

    monkeypatch.setattr(tables, "summary", counted)
    assert run(["report", "study=small", f"store={store}", *FEW]) == 0
    assert len(calls) == 1
    assert (calls[0][1].bootstrap, calls[0][1].permutations) == (40, 40)
    assert "report    " in capsys.readouterr().err


def test_conversations_that_went_wrong_are_told_at_the_end(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = ["name=silent", "agent@pairing.a=silence", "agent@pairing.b=silence", "pairing.name=s_s"]
    argv = ["task=t3_1", "window_s=4", "design.repetitions=1", "scenarios.limit=1", "launcher=serial", *FEW]
    assert run(["run", *silent, *argv, "report.embed_audio=never", f"store={tmp_path}"]) == 0
    assert capsys.readouterr().out.splitlines()[-2] == "of 2 conversations: 2 unhealthy, not judged"
    assert run(["table", "study=small", f"store={store}", *FEW]) == 0
    assert "unhealthy" not in capsys.readouterr().out, "a study without any says nothing of them"
