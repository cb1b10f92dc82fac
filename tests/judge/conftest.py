"""Synthetic conversations on the shipped scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from dyad.judge import judge_run
from dyad.judge.transcript import Line, lines
from dyad.library import Library, load_library
from dyad.spec import AgentSpec, Label, Prompt, RunSpec, Seat, SeatSpec

Talk = Sequence[tuple[str, str]]  # (role letter, text), one after the other
Judge = Callable[..., list[Label]]
WORD_TICKS, GAP_TICKS = 5, 16  # a long gap: each entry is an utterance of its own


@pytest.fixture(scope="session")
def library() -> Library:
    return load_library()


def spec_of(library: Library, scenario: str, role_of_a: Seat = "a", opener: Seat = "a") -> RunSpec:
    """A run of a scenario in which bridge seat a plays `role_of_a`."""
    shared = library.scenarios[scenario]
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
        end = at + WORD_TICKS * max(1, len(text.split()))
        spans[seat].append((at, end))
        texts[seat].append(text)
        at = end + GAP_TICKS
    arrays = {seat: np.array(pairs, dtype=np.int64).reshape(-1, 2) for seat, pairs in spans.items()}
    return lines(spec.opener, arrays, texts, spec.ticks)


@pytest.fixture
def judge(library: Library) -> Judge:
    """Judge a talk on a scenario."""

    def run(scenario: str, talk: Talk, role_of_a: Seat = "a", opener: Seat = "a") -> list[Label]:
        spec = spec_of(library, scenario, role_of_a, opener)
        shared = library.scenarios[scenario]
        roles = {seat: library.roles[ref.role] for seat, ref in shared.seats.items()}
        return judge_run(spec, shared, roles, lines_of(talk, spec), spec.ticks)

    return run
