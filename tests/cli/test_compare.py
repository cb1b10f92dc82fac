"""`compare`: two stored studies side by side."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dyad.cli.main import run
from tests.cli.leaky import played, rows_of

pytestmark = pytest.mark.xdist_group("compare")  # what is set up once is set up by one worker

Compare = Callable[..., int]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies of the same agents, and one in which an agent has another name."""
    folder = tmp_path_factory.mktemp("compared")
    played(folder, "old", lambda attacker, defender, i: attacker == "echo" and i == 0)
    played(folder, "new", lambda attacker, defender, i: i % 2 == 0)
    played(folder, "beeps", lambda attacker, defender, i: i % 2 == 0, "agent.tone.name=beep")
    return folder


@pytest.fixture
def compare(store: Path) -> Compare:
    return lambda *rest: run(["compare", *rest, f"store={store}"])


@pytest.fixture
def told(compare: Compare, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call(*rest: str) -> dict[str, Any]:
        capsys.readouterr()
        assert compare(*rest, "--json") == 0
        out: dict[str, Any] = json.loads(capsys.readouterr().out)
        return out

    return call


@pytest.fixture
def refused(compare: Compare, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def call(*rest: str) -> str:
        capsys.readouterr()
        assert compare(*rest) == 2
        out, err = capsys.readouterr()
        (line,) = err.splitlines()
        assert not out
        return str(line)

    return call


def test_differences_of_every_cell_and_of_all(told: Callable[..., dict[str, Any]], store: Path) -> None:
    out = told("old", "new")
    assert out["first"] == {"study": "old", "store": str(store), "mode": "paper", "judge": "mechanical"}
    assert out["second"]["study"] == "new"
    assert out["notes"] == ["24 conversations are in both studies, and do not differ"]
    found = rows_of(out)
    assert found.keys() == {("", ""), ("echo", "tone"), ("tone", "echo"), ("tone", "tone")}
    assert [found["echo", "tone"][key] for key in ("first", "second", "value")] == [0.25, 0.5, 0.25]
    assert [found["tone", "tone"][key] for key in ("first", "second", "value")] == [0, 0.5, 0.5]
    assert found["", ""]["value"] == pytest.approx((0.25 + 0.5 + 0.5) / 3)
    assert {row["scenarios"] for row in found.values()} == {2}
    assert {row["measure"] for row in out["rows"]} == {"leak", "backchannels"}  # nobody ends a turn in 2 s
    assert all(row["note"].startswith("not distinguishable") for row in out["rows"])  # of two scenarios


def test_printed(compare: Compare, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("old", "new") == 0
    out = capsys.readouterr().out
    assert "A  old (24 conversations" in out
    assert "definitions: paper; paired by scenario" in out
    assert "│ t4_2 leak " in out
    assert "0 of " in out
    assert "half-width of their interval" in out


def test_the_other_way_round(told: Callable[..., dict[str, Any]]) -> None:
    there, back = told("old", "new")["rows"], told("new", "old")["rows"]
    assert [row["value"] for row in back] == [-row["value"] for row in there]
    assert [row["first"] for row in back] == [row["second"] for row in there]
    assert [(row["p"], row["mde"]) for row in back] == [(row["p"], row["mde"]) for row in there]


def test_a_study_with_itself_has_no_difference_and_says_so(told: Callable[..., dict[str, Any]]) -> None:
    out = told("old", "old")
    assert out["notes"] == ["both are the same study: every difference is 0"]
    assert {(row["value"], row["p"]) for row in out["rows"]} == {(0, 1)}


def test_two_stores(told: Callable[..., dict[str, Any]], store: Path, tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "copy")
    out = told("old", "old", f"store_b={tmp_path / 'copy'}")
    assert (out["notes"], out["second"]["store"]) == ([], str(tmp_path / "copy"))
    assert {row["value"] for row in out["rows"]} == {0}


def test_an_agent_by_another_name(told: Callable[..., dict[str, Any]]) -> None:
    out = told("new", "beeps", "rename=beep:tone")
    assert out["notes"] == []
    assert {row["value"] for row in rows_of(out).values()} == {0}
    assert len(rows_of(out)) == 4


def test_who_is_in_one_study_only(told: Callable[..., dict[str, Any]]) -> None:
    out = told("new", "beeps", "rename=[beep:tone,echo:other]")
    assert rows_of(out).keys() == {("", ""), ("tone", "tone")}
    assert out["notes"] == ["in one study only, and left out: echo, other"]


def test_what_else_differs_is_said(told: Callable[..., dict[str, Any]], store: Path) -> None:
    played(store, "merged", None, "vad=merge_first", "channel=noisy", "judge=mechanical")
    notes = told("old", "merged")["notes"]
    assert any(note.startswith("vad differs") and note.endswith("dyafdb; merge_first") for note in notes)
    assert "channel differs: clean; noise at 10 dB SNR both ways" in notes


def test_modes_are_never_mixed(refused: Callable[..., str], store: Path) -> None:
    played(store, "strict", None, "mode=strict")
    said = refused("old", "strict")
    assert "'old' is measured in mode paper, 'strict' in mode strict" in said
    assert "measure study=strict mode=paper" in said
    assert "made with other settings" in refused("old", "strict", "mode=strict")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "name two stored studies"),
        (("old",), "name two stored studies"),
        (("old", "new", "more"), "name two stored studies"),
        (("old", "study=new"), "name two stored studies"),
        (("old", "nev"), "no study 'nev' in"),
        (("old", "../old"), "is not a name inside"),
        (("old", "new", "task=t2"), "'task' cannot be changed in a stored study"),
        (("old", "new", "rename=tone"), "rename = 'tone': write NAME_IN_B:NAME_IN_A"),
        (("old", "new", "rename=ton:echo"), "rename: no agent 'ton' in 'new'; did you mean 'tone'?"),
        (("old", "new", "rename=tone:echo"), "two agents of 'new' would have one name"),
        (("old", "new", "rename=tone:x,echo:y"), "no agent in common: echo, tone; x, y; say who is who"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], expected: str, refused: Callable[..., str]) -> None:
    assert expected in refused(*words)


def test_nothing_in_common(refused: Callable[..., str], store: Path) -> None:
    played(store, "elsewhere", None, "task=t3_2")
    for other in ("elsewhere", "beeps"):
        assert "no score of the same agents in the same scenarios" in refused("old", other)
