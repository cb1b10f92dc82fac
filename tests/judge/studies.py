"""Stored studies whose recordings say what known conversations say, in sound and in text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dyad.bridge import Recording
from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.judge.case import Case
from dyad.judge.known import known_answers
from dyad.judge.transcript import Line
from dyad.library import load_library
from dyad.plan import make_plan
from dyad.simulate import publish
from dyad.spec import RATE, SEATS, TICK, Piece, RunSpec, Seat, SeatReport, other
from dyad.store import Store

CASES = [
    item.subject
    for item in known_answers(load_library())
    if isinstance(item.subject, Case) and item.kind == "plain" and not item.subject.scenario.twin
]


def some(each: int = 1) -> list[Case]:
    """Plain conversations of every archetype, `each` of them, in English, each on a scenario of its own."""
    found: dict[str, dict[str, Case]] = {}
    for case in CASES:
        if case.lang == "en":
            found.setdefault(case.scenario.archetype, {}).setdefault(case.scenario.id, case)
    return [case for own in found.values() for case in list(own.values())[:each]]


def made(
    folder: Path, cases: Sequence[Case], name: str = "made", openers: str = "a", assignments: str = "first"
) -> list[str]:
    """Put a study into a store in `folder` whose recordings are these conversations; return their runs.

    Who plays role a there plays it here, in whatever seat; `openers` are roles.
    """
    ids = ",".join(case.scenario.id for case in cases)
    window_s = max(case.ticks for case in cases) * TICK / RATE + 1
    argv = [
        f"name={name}", f"store={folder}", "launcher=serial", "report.embed_audio=never",
        "report.bootstrap=20", "report.permutations=20", "pairing=bold_silence",
        f"design.openers=[{openers}]", f"design.assignments={assignments}",
        "design.repetitions=1", f"window_s={window_s}", "task=all", f"scenarios.ids=[{ids}]",
    ]  # fmt: skip
    plan = make_plan(compose(argv).studies)
    by_scenario = {case.scenario.id: case for case in cases}
    for spec in plan.runs:
        case = _seated(by_scenario[spec.scenario], spec)
        publish(Store(folder), spec, recording(case, spec.ticks), 1.0, (0, 1))
    assert run(["simulate", *argv]) == 0  # nothing is left to play: it records the plan
    return [spec.id for spec in plan.runs]


def _seated(case: Case, spec: RunSpec) -> Case:
    """A conversation with its roles in the seats of a run."""
    if spec.seat_of_role("a") == "a":
        return case
    return replace(case, lines=tuple(replace(line, seat=other(line.seat)) for line in case.lines))


def recording(case: Case, ticks: int) -> Recording:
    """A recording in which every line is a tone of its own length, with its words as the seat's own text."""
    pcm = np.zeros((2, ticks * TICK))
    for line in case.lines:
        span = slice(line.start * TICK, line.end * TICK)
        hz = 200 if line.seat == "a" else 300
        pcm[SEATS.index(line.seat), span] = 0.1 * np.sin(
            2 * np.pi * hz * np.arange(span.stop - span.start) / RATE
        )
    pieces = [piece for line in case.lines for piece in _pieces(line)]
    silent: dict[Seat, SeatReport] = {seat: SeatReport() for seat in SEATS}
    return Recording(np.rint(32767 * pcm).astype(np.int16), pieces, silent, ticks)


def _pieces(line: Line) -> list[Piece]:
    words = line.text.split()
    step = (line.end - line.start) * TICK // max(1, len(words))
    return [Piece(seat=line.seat, at=line.start * TICK + i * step, s=f" {w}") for i, w in enumerate(words)]


def judge(folder: Path, *options: Any, name: str = "made", verb: str = "judge") -> int:
    """Run `judge` on such a study; returns the exit code."""
    return run([verb, f"study={name}", f"store={folder}", *map(str, options)])
