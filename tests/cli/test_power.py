"""`plan power=…`: what a difference needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dyad.cli.main import run
from dyad.stats import mde, scenarios_needed
from tests.cli.leaky import played

pytestmark = pytest.mark.xdist_group("power")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pilot in which one attacker has every other run leak, the other none."""
    folder = tmp_path_factory.mktemp("pilot")
    played(folder, "pilot", lambda attacker, defender, i: attacker == "echo" and i % 2 == 0)
    return folder


def told(capsys: pytest.CaptureFixture[str], *rest: str) -> dict[str, Any]:
    assert run(["plan", *rest, "--json"]) == 0
    out: dict[str, Any] = json.loads(capsys.readouterr().out)
    return out


def test_published_variances(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "power=0.1")
    assert (out["difference"], out["alpha"], out["target"], out["agents"]) == (0.1, 0.05, 0.8, 3)
    assert out["tests"] == 3  # every two of three agents
    assert "published" in out["source"]
    assert [(s["between"], s["run"]) for s in out["scores"]] == [(0.02, 0.21), (0.05, 0.20), (0, 0.25)]
    needed = {row["runs"]: row for row in out["scores"][0]["needed"]}
    assert (needed[6]["scenarios"], needed[12]["scenarios"]) == (98, 61)
    assert needed[6]["conversations"] == 98 * 54
    assert needed[6]["hours"] == pytest.approx(98 * 54 / 60)
    seen = {row["scenarios"]: row for row in out["scores"][0]["seen"]}
    assert seen[20]["difference"] == pytest.approx(0.188 * 3.503 / 2.802, abs=1e-3)
    assert seen[60]["difference"] == pytest.approx(0.109 * 3.321 / 2.802, abs=1e-3)
    alone = told(capsys, "power=0.1", "tests=1")["scores"][0]
    assert alone["needed"][1]["scenarios"] == 73
    runs = alone["seen"][0]["runs_needed"]
    assert mde(20, runs) <= 0.1 < mde(20, runs - 1)
    assert out["scores"][1]["seen"][0]["runs_needed"] is None  # 20 scenarios that differ so much are too few


def test_a_surer_test_needs_more(capsys: pytest.CaptureFixture[str]) -> None:
    sure = told(capsys, "power=.1", "alpha=.01", "target=0.95")["scores"][0]["needed"]
    usual = told(capsys, "power=0.1")["scores"][0]["needed"]
    assert all(a["scenarios"] > b["scenarios"] for a, b in zip(sure, usual, strict=True))


@pytest.mark.parametrize(("tests", "least"), [(1, 6), (3, 7), (27, 11)])
def test_no_plan_has_fewer_scenarios_than_can_reach_a_small_p(
    tests: int, least: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for score in told(capsys, "power=0.9", f"tests={tests}")["scores"]:
        assert min(needed["scenarios"] for needed in score["needed"]) == least


def test_variances_of_a_pilot(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "power=0.2", "pilot=pilot", f"store={store}", "measure=leak")
    (score,) = out["scores"]
    assert (score["archetype"], score["measure"], score["condition"]) == ("t4_2", "leak", "")
    assert score["run"] == pytest.approx((1 / 3 + 0) / 2)  # 2 of 4 runs of each scenario, and none
    assert score["between"] == 0
    assert "estimated below 0" in score["note"]
    assert (out["source"], out["agents"], out["window_s"]) == ("of the study pilot", 2, 2.0)
    needed = score["needed"][1]
    assert needed["scenarios"] == scenarios_needed(0.2, 6, 0.0, score["run"])
    assert needed["conversations"] == needed["scenarios"] * 6 * 4


def test_printed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "power=0.1"]) == 0
    out = capsys.readouterr().out
    assert "a difference of 0.1 between two agents" in out
    assert "in each of 3 test(s), α 0.05, two-sided, Holm" in out
    assert "98 (5,292, 88 h)" in out
    assert "0.24 (–)" in out
    assert run(["plan", "power=0.1", "pilot=pilot", f"store={store}"]) == 0
    out = capsys.readouterr().out
    assert "variances: of the study pilot" in out
    assert "│ t4_2 leak │" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["power=1.5"], "power = '1.5' must be a number between 0 and 1"),
        (["power="], "power = '' must be a number"),
        (["power=nan"], "power = 'nan' must be a number"),
        (["power=0.1", "alpha=0"], "alpha = '0' must be a number between 0 and 1"),
        (["power=0.1", "target=1"], "target = '1' must be a number between 0 and 1"),
        (["power=0.1", "tests=0"], "tests = '0' must be a whole number from 1 on"),
        (["pilot=pilot"], "power is missing"),
        (["power=0.1", "task=t2"], "plan power takes no 'task'"),
        (["power=0.1", "alph=0.1"], "plan power takes no 'alph'; did you mean 'alpha'?"),
        (["power=0.1", "power=0.2"], "power is given twice"),
        (["power=0.1", "t2"], "'t2' is not an option of plan power"),
        (["power=0.1", "measure=won"], "measure chooses from a pilot study"),
        (["power=0.1", "pilot=pilot", "measure=wonn"], "no headline score 'wonn'; did you mean 'won'?"),
        (["power=0.1", "pilot=pilot", "archetype=t4_9"], "unknown archetype 't4_9'"),
        (["power=0.1", "pilot=pilott", "store={}"], "no study 'pilott' in"),
        (["power=0.1", "pilot=pilot", "store={}", "archetype=t2"], "cannot tell how a t2 varies"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], expected: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", *(word.format(store) for word in words)]) == 2
    out, err = capsys.readouterr()
    assert not out
    (line,) = err.splitlines()
    assert expected in line


def test_a_pilot_of_single_runs_cannot_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    single = ("design.repetitions=1", "design.openers=[a]")
    played(tmp_path, "single", lambda attacker, defender, i: attacker == "echo", *single)
    capsys.readouterr()
    assert run(["plan", "power=0.1", "pilot=single", f"store={tmp_path}"]) == 2
    assert "two runs of each" in capsys.readouterr().err
