"""Every planned run is stored, failed or missing, wherever runs are counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dyad.cli.main import run
from dyad.pipeline.account import MISSING
from dyad.store import Store

SMALL = (
    "launcher=serial", "report.bootstrap=20", "report.permutations=20", "report.embed_audio=never",
)  # fmt: skip
STUDY = ("name=small", "pairing=echo_tone", "task=t2", "window_s=4", "scenarios.limit=1", *SMALL)
FAILED = {"id": "", "error": "RuntimeError: out of\nbreath"}
COUNTS = {"planned": 12, "stored": 8, "failed": 1, "missing": 3}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of twelve runs, of which three folders were deleted, and one failed."""
    root = tmp_path_factory.mktemp("account") / "store"
    assert run(["run", *STUDY, f"store={root}"]) == 0
    for name in Store(root).ids()[:4]:
        shutil.rmtree(Store(root).run_dir(name))
    Store(root).fail(min(lost(root)), FAILED)
    return root


def lost(root: Path) -> set[str]:
    planned = json.loads((root / "studies/small/plan.json").read_text())["runs"]
    return set(planned) - set(Store(root).ids())


def check(result: dict[str, Any], root: Path) -> None:
    assert result["account"] == COUNTS
    reasons = {one["run_id"]: (one["status"], one["reason"]) for one in result["absent"]}
    failed, *missing = sorted(lost(root))
    assert reasons.pop(failed) == ("failed", "RuntimeError: out of breath")
    assert reasons == dict.fromkeys(missing, ("missing", MISSING))
    assert result["failed"] == []


@pytest.mark.parametrize("verb", ["hear", "judge", "measure", "report"])
def test_later_stages_count_runs_that_are_not_there(
    store: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([verb, "study=small", f"store={store}", "--json"]) == 3
    out, err = capsys.readouterr()
    check(json.loads(out.splitlines()[-1]), store)
    counts = "4 of 12 planned runs are not stored (1 failed, 3 missing), the other runs are complete"
    assert err.splitlines()[-1] == f"dyad: {counts}; first: {min(lost(store))}: RuntimeError: out of breath"


def test_tables_say_what_became_of_the_plan(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["measure", "study=small", f"store={store}"])
    page = (store / "studies/small/report.html").read_text()
    capsys.readouterr()
    assert run(["table", "study=small", f"store={store}"]) == 0
    printed = capsys.readouterr().out
    assert "12 runs planned: 8 stored, 1 failed, 3 missing" in printed
    assert f"  failed: {min(lost(store))}: RuntimeError: out of breath" in printed
    assert run(["table", "study=small", f"store={store}", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["account"] == COUNTS
    absent = {row["partner"]: row["term"] for row in data["rows"] if row["table"] == "run_absent"}
    assert absent.keys() == lost(store)
    assert sorted(absent.values()) == ["failed", "missing", "missing", "missing"]
    assert sum(row["value"] for row in data["rows"] if row["table"] == "run_status") == 12
    for count, word in ((8, "conversations"), (1, "failed to run"), (3, "missing")):
        assert f"<b>{count}</b><span>{word}</span>" in page
    assert "RuntimeError: out of breath" in page


def test_failures_are_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    from dyad.cli.progress import meter

    with meter("simulate", 3, 1) as shown:
        shown.done()
        shown.done(failed=True)
    assert "1/3 done, 1 failed" in capsys.readouterr().err
