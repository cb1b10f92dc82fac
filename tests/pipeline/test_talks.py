"""Conversations and talks of a study on disk, and what is left of a recording at fault."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dyad import pipeline
from dyad.cli.args import parse
from dyad.cli.verbs import stored
from dyad.judge.case import Case
from dyad.judge.known import known_answers
from dyad.library import load_library
from dyad.measure.rows import run_rows
from dyad.pipeline import Study, conversation, talks
from dyad.spec import SEATS, Health, other
from tests.judge.studies import made

pytestmark = pytest.mark.xdist_group("talks")  # what is set up once is set up by one worker

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a heard conversation of T3-2."""
    store = tmp_path_factory.mktemp("talks") / "store"
    plain = (item for item in known_answers(load_library()) if item.kind == "plain")
    case = next(
        item.subject
        for item in plain
        if isinstance(item.subject, Case) and item.subject.scenario.id.startswith("t3_2")
    )
    made(store, [case])
    study = opened(store)
    assert not any(pipeline.hear(study, study.ids))
    return store


def opened(store: Path) -> Study:
    return stored(parse(["measure", "study=made", f"store={store}"]))


def at_fault(store: Path, problem: str) -> Study:
    study = opened(store)
    for run_id, manifest in study.manifests.items():
        study.manifests[run_id] = manifest.model_copy(update={"health": Health(problems=(problem,))})
    return study


def test_a_talk_is_one_seat_of_a_conversation(folder: Path) -> None:
    study = opened(folder)
    found = list(talks(study))
    assert len(found) == 2 * len(study.ids)
    for talk in found:
        c = conversation(study, str(talk.about["run_id"]))
        seat = next(seat for seat in SEATS if seat == talk.about["seat"])
        assert talk.x.tolist() == c.segments[seat].tolist()
        assert talk.y.tolist() == c.segments[other(seat)].tolist()
        assert (talk.about["agent"], talk.ticks) == (c.spec.seat(seat).agent.name, c.ticks)
        assert talk.about["archetype"] == "t3_2"
    assert sum(len(talk.x) for talk in found) > 0


@pytest.mark.parametrize(
    ("problem", "sound"),
    [("DC on seat a", False), ("identical channels", False), ("text without sound", True)],
)
def test_turns_of_a_recording_at_fault(folder: Path, problem: str, sound: bool) -> None:
    study = at_fault(folder, problem)
    assert len(list(talks(study))) == (2 * len(study.ids) if sound else 0)
    for run_id in study.ids:
        rows = run_rows(conversation(study, run_id), {"j": []}, modes=("paper",))
        by_measure = {row["measure"]: (row["value"] is not None, row["reason"]) for row in rows}
        assert by_measure["tor_end"] == ((True, "") if sound else (False, "recording"))
        assert by_measure["granted"] == (False, "recording")


def test_the_script_writes_every_setting(folder: Path) -> None:
    command = [sys.executable, str(ROOT / "analysis" / "robustness.py"), "made", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "790 settings, definitions: paper" in done.stdout
    written = (folder / "studies" / "made" / "figures" / "robustness.csv").read_text("utf-8")
    assert len(written.splitlines()) == 791
