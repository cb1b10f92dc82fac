"""From a model's replies to scores, where roles sit in either seat and either opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from dyad.judge.case import Case
from dyad.spec import RunSpec, Seat, other
from dyad.store import Store
from tests.judge.studies import judge, made, some
from tests.judge.wire.running import Server, running

# The stand-in finds the first line of whoever is asked about, the first candidate and item of the opener's,
# and the option that comes first in the alphabet; of role a, of role b, of the pair.
SCORES = {
    "t1_1": [("adherence", 1, 1, None), ("entered", 1, 1, None), ("swapped", 0, 0, None)],
    "t1_2": [("adherence", 1, None, None), ("entered", 1, None, None)],
    "t2": [("decided", None, None, 1), ("solved", None, None, 0)],
    "t3_2": [("asked", 1, None, None), ("granted", 1, None, None)],
    "t4_1": [("decided", None, None, 1), ("won", 0, 1, None)],  # straw castle, which b wants
    "t4_2": [("asked", 1, None, None), ("leak_judged", 0, None, None)],
    "t4_3": [("decided", None, None, 1), ("won", 0, None, None)],  # castle ticket, which b wants
    "t4_4": [("settled", 0, None, None)],
}
SEATED = ("t1.adherence", "t1.timing")
CITED = {"t1.adherence": "own", "t1.timing": "own", "t3.asked": "a", "t3.granted": "b", "t4.asked": "a",
         "t4.leak": "b"}  # fmt: skip


@pytest.fixture(scope="module")
def claude() -> Iterator[Server]:
    with running("anthropic_server.py") as server:
        yield server


@pytest.mark.parametrize("opener", ["a", "b"])
def test_labels_and_scores_are_of_who_played_the_role(
    claude: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opener: Seat
) -> None:
    """`opener` is a role: each of both sits in seat a once."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")
    cases = {case.scenario.id: case for case in some()}
    ids = made(tmp_path, list(cases.values()), openers=opener, assignments="both")
    assert judge(tmp_path, "judge=claude_opus", f"judge.base_url={claude.url}", "--yes") == 0
    labels = pd.read_parquet(tmp_path / "studies/made/labels.parquet").set_index("run_id")
    scores = pd.read_parquet(tmp_path / "studies/made/table.parquet")
    scores = scores[scores["judge"] == "claude_opus"].set_index(["run_id", "measure", "seat"])["value"]
    seen = set()
    for run_id in ids:
        spec = Store(tmp_path).spec(run_id)
        seen.add((spec.a.role, spec.opener))
        check_scores(scores, spec, cases[spec.scenario])
        if run_id in labels.index:
            check_labels(labels.loc[[run_id]], spec)
    assert seen == {("a", opener), ("b", other(opener))}


def check_scores(scores: pd.Series[float], spec: RunSpec, case: Case) -> None:
    a, b = spec.seat_of_role("a"), spec.seat_of_role("b")
    for measure, *expected in SCORES.get(spec.archetype, ()):
        for seat, value in zip((a, b, ""), expected, strict=True):
            found = scores.get((spec.id, measure, seat))
            assert found == value, (spec.id, measure, seat)
    if spec.archetype == "t1_1":
        for role in ("a", "b"):
            first = next(line.start for line in case.lines if line.seat == role)
            assert scores[spec.id, "entry", a if role == "a" else b] == pytest.approx(first * 0.08)
    if spec.archetype == "t2":  # the first item of the opener's list, and no other
        assert scores[spec.id, "disclosed", spec.opener] == 1
        assert scores[spec.id, "disclosed", other(spec.opener)] == 0


def check_labels(labels: pd.DataFrame, spec: RunSpec) -> None:
    for row in labels.itertuples():
        assert row.status == "ok"
        assert bool(row.seat) == (row.question in SEATED)
        if who := CITED.get(row.question):
            seat = row.seat if who == "own" else spec.seat_of_role("a" if who == "a" else "b")
            assert row.lines == ("A1" if seat == spec.opener else "B1")
