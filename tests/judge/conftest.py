"""Synthetic conversations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml

from dyad.judge import judge_run
from dyad.judge.transcript import Line, lines
from dyad.spec import AgentSpec, Label, Prompt, Role, RunSpec, Scenario, Seat, SeatSpec
from dyad.text import word_count

Talk = Sequence[tuple[str, str]]  # (role letter, text), one after the other
Judge = Callable[..., list[Label]]
WORD_TICKS, GAP_TICKS = 5, 16  # a long gap: each entry is an utterance of its own


class Stage(NamedTuple):
    """Scenarios and roles by id; a whole library serves as well."""

    scenarios: Mapping[str, Scenario]
    roles: Mapping[str, Role]


@pytest.fixture(scope="session")
def stage() -> Stage:
    """Scenarios and roles of these tests alone."""
    stored = yaml.safe_load(Path(__file__).with_name("stage.yaml").read_text("utf-8"))
    scenarios, roles = (
        map(Scenario.model_validate, stored["scenarios"]),
        map(Role.model_validate, stored["roles"]),
    )
    return Stage({s.id: s for s in scenarios}, {r.id: r for r in roles})


def _judge(stage: Stage, scenario: str, talk: Talk, role_of_a: Seat = "a", opener: Seat = "a") -> list[Label]:
    """Judge a talk on a scenario of a stage."""
    spec, shared = spec_of(stage, scenario, role_of_a, opener), stage.scenarios[scenario]
    roles = {seat: stage.roles[ref.role] for seat, ref in shared.seats.items()}
    return judge_run(spec, shared, roles, lines_of(talk, spec), spec.ticks)


def spec_of(stage: Stage, scenario: str, role_of_a: Seat = "a", opener: Seat = "a") -> RunSpec:
    """A run of a scenario in which bridge seat a plays `role_of_a`."""
    shared = stage.scenarios[scenario]
    role_of_b: Seat = "b" if role_of_a == "a" else "a"
    agent = AgentSpec(name="x", adapter="x")
    seats = {
        seat: SeatSpec(agent=agent, role=role, prompt=Prompt(text=""), rendered="")
        for seat, role in (("a", role_of_a), ("b", role_of_b))
    }
    return RunSpec(
        pairing="x_x", archetype=shared.archetype, scenario=scenario, scenario_version=1, opener=opener,
        repetition=0, seed=0, ticks=5000, a=seats["a"], b=seats["b"],
    )  # fmt: skip


def lines_of(talk: Talk, spec: RunSpec) -> list[Line]:
    """Lines of a talk in which nobody overlaps; an entry without text is sound without words."""
    spans: dict[Seat, list[tuple[int, int]]] = {"a": [], "b": []}
    texts: dict[Seat, list[str]] = {"a": [], "b": []}
    at = 20
    for role, text in talk:
        seat = spec.seat_of_role("a" if role == "a" else "b")
        end = at + WORD_TICKS * max(1, word_count(text))
        spans[seat].append((at, end))
        texts[seat].append(text)
        at = end + GAP_TICKS
    arrays = {seat: np.array(pairs, dtype=np.int64).reshape(-1, 2) for seat, pairs in spans.items()}
    return lines(spec.opener, arrays, texts, spec.ticks)


@pytest.fixture
def judge(stage: Stage) -> Judge:
    """Judge a talk on a scenario of these tests."""
    return partial(_judge, stage)


@pytest.fixture
def judge_on() -> Judge:
    """Judge a talk on a scenario of a given library."""
    return _judge


@pytest.fixture
def run_of(stage: Stage) -> Callable[..., RunSpec]:
    """The run behind a talk on a scenario of these tests."""
    return partial(spec_of, stage)


@pytest.fixture
def said(stage: Stage) -> Callable[[str, Talk], list[Line]]:
    """The lines of a talk on a scenario of these tests."""
    return lambda scenario, talk: lines_of(talk, spec_of(stage, scenario))
