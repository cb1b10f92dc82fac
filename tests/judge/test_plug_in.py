"""Judges of other packages, found by their entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from dyad.cli.main import run
from tests.judge.studies import judge, made, some

pytestmark = pytest.mark.xdist_group("plug_in")  # what is set up once is set up by one worker

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs/examples/judge_plugin.py"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one conversation of each archetype."""
    folder = tmp_path_factory.mktemp("study")
    made(folder, some())
    return folder


def install(folder: Path, name: str, source: str) -> Path:
    """Put a package into a folder as an installer would, and return a folder with a configuration for it."""
    folder.mkdir()
    (folder / f"{name}_judge.py").write_text(source)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[dyad.judges]\n{name} = {name}_judge:FAMILY\n")
    conf = folder / "conf" / "judge"
    conf.mkdir(parents=True)
    (conf / f"{name}.yaml").write_text(f"defaults: [base/{name}@_here_, _self_]\nname: {name}\n")
    return conf.parent


def labels(store: Path, name: str) -> pd.DataFrame:
    frame = pd.read_parquet(store / "studies/made/labels.parquet")
    return frame[frame["judge"] == name]


def spoilt(old: str, new: str) -> str:
    source = EXAMPLE.read_text("utf-8")
    assert source.count(old) == 1
    return source.replace(old, new)


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 30


def test_the_example_labels_a_study_from_the_command_line(stored: Path, tmp_path: Path) -> None:
    conf = install(tmp_path / "site", "polite", EXAMPLE.read_text("utf-8"))
    command = [sys.executable, "-m", "dyad", "judge", "study=made", f"store={stored}", "judge=polite"]
    done = subprocess.run(
        [*command, f"--config-dir={conf}"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path / "site")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (row,) = labels(stored, "polite").to_dict("records")
    assert (row["question"], row["status"]) == ("t3.asked", "ok")
    assert row["label"] in ("yes", "no")


def test_a_setting_changes_its_labels_and_the_name_of_their_file(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = install(tmp_path / "site", "words", EXAMPLE.read_text("utf-8"))
    monkeypatch.syspath_prepend(tmp_path / "site")
    found = []
    for words in ("[a,e,i,o]", "[zyzzyva]"):
        assert judge(stored, "judge=words", f"judge.words={words}", f"--config-dir={conf}") == 0
        found += list(labels(stored, "words")["label"])
    assert found == ["yes", "no"]
    assert len({path.name for path in stored.glob("runs/*/judgments/t3_2*--words-*")}) == 2


def test_it_sits_on_a_panel(stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conf = install(tmp_path / "site", "sitter", EXAMPLE.read_text("utf-8"))
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert judge(stored, "panel=[mechanical,sitter]", f"--config-dir={conf}") == 0
    assert set(labels(stored, "panel")["question"]) >= {"t3.asked", "t1.adherence"}


def test_it_can_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = install(tmp_path / "site", "checked", EXAMPLE.read_text("utf-8"))
    monkeypatch.syspath_prepend(tmp_path / "site")
    argv = [
        "judge",
        "check",
        "judge=checked",
        f"store={tmp_path / 'store'}",
        "draws=1",
        f"--config-dir={conf}",
    ]
    assert run(argv) == 0
    assert "t3.asked" in capsys.readouterr().out


def test_an_exception_fails_one_task(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = spoilt('return Label(question="t3.asked", label="no")', 'raise RuntimeError("out of words")')
    conf = install(tmp_path / "site", "frail", source)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert judge(stored, "judge=frail", "judge.words=[zyzzyva]", f"--config-dir={conf}") == 3
    assert "judge: RuntimeError: out of words" in capsys.readouterr().err
    assert len(list(stored.glob("runs/*/judgments/*--frail-*"))) == 8
    assert judge(stored, "judge=frail", "judge.words=[a,e,i,o]", f"--config-dir={conf}") == 0


@pytest.mark.parametrize(
    ("name", "source", "told"),
    [
        ("lacking", "import no_such_package_here", "ModuleNotFoundError: No module named"),
        ("raising", "FAMILY = 1 / 0", "ZeroDivisionError"),
        ("unreadable", "def broken(:", "SyntaxError"),
        ("empty", "", "AttributeError"),
    ],
)
def test_one_that_does_not_load_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    source: str,
    told: str,
) -> None:
    install(tmp_path / "site", name, source)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert run(["plan", "judge=mechanical", f"store={tmp_path / 'store'}"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"plug-in '{name}' ({name}_judge:FAMILY) does not load: {told}" in err


def test_one_that_is_no_family_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path / "site", "odd", "FAMILY = 'a judge'")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert run(["plan", f"store={tmp_path / 'store'}"]) == 2
    assert "plug-in 'odd' of dyad.judges is no JudgeFamily" in capsys.readouterr().err


def test_one_that_asks_a_model_needs_the_settings_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = install(tmp_path / "site", "costly", spoilt("open=open_judge)", "open=open_judge, model=True)"))
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert run(["plan", "judge=costly", f"--config-dir={conf}", f"store={tmp_path / 'store'}"]) == 2
    assert "must extend dyad.judge.models.types.ModelSettings" in capsys.readouterr().err
