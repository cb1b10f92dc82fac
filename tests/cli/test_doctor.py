"""`doctor agent=NAME`: one line per check, JSON, and one line for what cannot be tried."""

from __future__ import annotations

import json

import pytest

from dyad.cli.main import run


def test_one_line_per_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "agent=echo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines] == ["ok  "] * 8
    assert [line.split()[1] for line in lines][:2] == ["loads", "protocol"]


def test_settings_reach_the_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "agent=tone", "agent.tone.level=0.5", "agent.tone.pattern=[[0,50]]", "--json"]) == 0
    checks = {c["check"]: c for c in json.loads(capsys.readouterr().out)}
    assert "peak 0.50" in checks["sound"]["note"]
    assert all(check["ok"] for check in checks.values())


def test_a_failed_check_is_exit_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no driver")

    monkeypatch.setattr("dyad.agents.echo.Echo.load", broken)
    assert run(["doctor", "agent=echo"]) == 2
    out, err = capsys.readouterr()
    assert out.splitlines() == ["FAIL loads        RuntimeError: no driver"]
    assert "1 check(s) failed: loads" in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["agent=ecko"], "did you mean 'echo'"),
        (["agent=echo,tone"], "one agent at a time"),
        (["agent=echo", "agent=tone"], "one agent at a time"),
        (["agent=tone", "agent.tone.level=0.1,0.2"], "one agent at a time"),
        (["agent=tone", "agent.echo.voice=x"], "no 'echo' in the pairing, there sit tone"),
        (["agent=playback"], "has nothing to play; set agent.playback.path"),
        (["agent=playback", "agent.playback.path=/nowhere.wav"], "/nowhere.wav"),
        (["echo"], "agent=echo"),
    ],
)
def test_what_cannot_be_tried_is_one_line(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", *argv]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out
