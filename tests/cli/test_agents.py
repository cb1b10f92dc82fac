"""`agents`: what each can do and what of it is here; what `agents install` refuses."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

from dyad.cli.main import run


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYAD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("dyad.host.install.LOCKED_FOR", (platform.system(), platform.machine()))


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, object]]:
    assert run(["agents", *words, "--json"]) == 0
    return {row["family"]: row for row in json.loads(capsys.readouterr().out)["families"]}


def test_each_agent_says_what_it_can_and_what_is_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = listed(capsys, "list")
    assert rows == listed(capsys)
    tone, raon = rows["tone"], rows["raon"]
    assert (tone["environment"], tone["weights"]) == ("not needed", "not needed")
    assert (raon["environment"], raon["weights"]) == ("missing", "missing")
    assert rows["duplex_cascade"]["weights"] == "not needed"
    assert rows["personaplex"]["force"] == "audio+text"
    assert all(row["licence"] for row in rows.values() if row["environment"] != "not needed")
    (tmp_path / "home/envs/raon").mkdir(parents=True)
    for repo in ("KRAFTON--Raon-SpeechChat-9B", "speechbrain--spkrec-ecapa-voxceleb"):
        assert listed(capsys)["raon"]["weights"] == "missing"
        snapshot = tmp_path / f"hub/models--{repo}/snapshots/main"
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").touch()
    raon = listed(capsys)["raon"]
    assert (raon["environment"], raon["weights"]) == ("broken", "here")


def test_the_table_has_the_states(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agents", "list"]) == 0
    out = capsys.readouterr().out
    assert all(head in out for head in ("environment", "weights", "licence"))
    assert "configured (agent@pairing.a=NAME): " in out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["lost"], "agents lost: no such word; did you mean 'list'?"),
        (["list", "raon"], "agents list raon: no such word"),
        (["install"], "name one agent: python -m dyad agents install NAME"),
        (["install", "raon", "vita"], "name one agent"),
        (["install", "roan"], "did you mean 'raon'?"),
        (["install", "tone"], "agent 'tone' has no environment of its own: it needs nothing but dyad"),
        (["install", "raon", "pyton=x"], "agents install takes no 'pyton'; did you mean 'python'?"),
        (["install", "raon", "force=maybe"], "force=maybe: give true or false"),
        (
            ["install", "raon", "python=/bin/nothing"],
            "/bin/nothing does not run as Python; agent 'raon' needs",
        ),
    ],
)
def test_what_is_refused_is_one_line(
    words: list[str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["agents", *words]) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1
    assert not (tmp_path / "home").exists()
