"""Work is spread over processes; one task's failure is its own."""

from __future__ import annotations

import os
import time

import pytest

from dyad.launch import beat, launch


def square(x: int) -> int:
    if x == 3:
        raise ValueError("three")
    beat(1)
    return x * x


def die(x: int) -> int:
    if x in (0, 5):
        os._exit(9)
    return x


def slow(x: int) -> int:
    beat(5)
    time.sleep(0.5)
    return x


@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_has_one_outcome(workers: int) -> None:
    outcomes = list(launch(range(6), square, workers))
    assert sorted(o.task for o in outcomes) == list(range(6))
    assert {o.task: o.result for o in outcomes if o.error is None} == {k: k * k for k in (0, 1, 2, 4, 5)}
    assert [o.error for o in outcomes if o.error] == ["ValueError: three"]


def test_a_lost_worker_costs_its_own_task_only() -> None:
    outcomes = list(launch(range(9), die, 2))
    assert sorted(o.task for o in outcomes) == list(range(9))
    assert {o.task for o in outcomes if o.error} == {0, 5}
    assert all("worker lost" in str(o.error) for o in outcomes if o.error)
    assert all(o.result == o.task for o in outcomes if not o.error)


@pytest.mark.parametrize("workers", [1, 2])
def test_beats_reach_the_driver(workers: int) -> None:
    seen: list[int] = []
    list(launch([0, 1], slow, workers, seen.append))
    assert max(seen) >= 5


def test_nothing_to_do() -> None:
    assert list(launch([], square, 0)) == []
