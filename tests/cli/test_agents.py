"""`agents`: what each can do and what of it is here; what `agents install` refuses."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from dyad.bridge.protocol import Caps, family_of
from dyad.cli.agents import HEADS, _cells, _row
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
    assert rows["personaplex"]["force"] == ["audio", "text"]
    assert (tone["force"], tone["chunk_ms"], tone["lag_ms"], tone["batch"]) == ([], 80, 0, 256)
    assert (rows["minicpm_o"]["chunk_ms"], rows["minicpm_o"]["lag_ms"]) == (1000, 1245)
    assert all(row["licence"] for row in rows.values() if row["environment"] != "not needed")
    (tmp_path / "home/envs/raon").mkdir(parents=True)
    for repo in ("KRAFTON--Raon-SpeechChat-9B", "speechbrain--spkrec-ecapa-voxceleb"):
        assert listed(capsys)["raon"]["weights"] == "missing"
        snapshot = tmp_path / f"hub/models--{repo}/snapshots/main"
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").touch()
    raon = listed(capsys)["raon"]
    assert (raon["environment"], raon["weights"]) == ("broken", "here")


def test_a_unit_that_is_no_whole_number_of_ms_is_shown_as_a_number() -> None:
    thirds = replace(family_of("tone"), caps=lambda params: Caps("thirds", chunk_ms=Fraction(400, 3)))
    row = _row(thirds)
    assert json.loads(json.dumps(row))["chunk_ms"] == 133.3
    assert _cells(row)["chunk"] == "133.3 ms"


def test_the_table_has_the_states(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agents", "list"]) == 0
    out = capsys.readouterr().out
    assert all(head in out for head in HEADS)
    assert "audio+text" in out
    assert "1245 ms" in out
    assert "configured (agent@pairing.a=NAME): " in out


@pytest.mark.parametrize("columns", [80, 150])
def test_a_narrow_terminal_has_what_one_chooses_by(columns: int) -> None:
    lines = on_terminal(columns)
    heads = next(line.split() for line in lines if "family" in line)
    assert heads == ["family", "prompt", "environment", "weights", "lag", "licence"]
    table = lines[: next(k for k, line in enumerate(lines) if "with --json" in line)]
    assert max(map(len, table)) <= columns
    assert "…" not in "".join(table)
    assert any(line.split()[:2] == ["nemotron_voicechat", "text"] for line in table)
    assert any(line.rstrip().endswith("glm-4-voice") for line in table)


def test_a_wide_terminal_has_it_all() -> None:
    lines = on_terminal(500)
    assert next(tuple(line.split()) for line in lines if "family" in line) == HEADS
    assert not any("with --json" in line for line in lines)


def on_terminal(columns: int) -> list[str]:
    """Return the lines of `agents list` in a terminal of that width, without their colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | {"TERM": "xterm"}
    words = [sys.executable, "-m", "dyad", "agents", "list"]
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = b"".join(_pieces(ours))
    os.close(ours)
    assert process.returncode == 0, shown
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).splitlines()


def _pieces(terminal: int) -> Iterator[bytes]:
    try:
        while piece := os.read(terminal, 65536):
            yield piece
    except OSError:  # how Linux says that the other side is closed
        return


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
