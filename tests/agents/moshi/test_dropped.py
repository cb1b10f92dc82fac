"""What an agent lets go of is free at once: the collector of garbage may never run, and has no part in it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from dyad.agents.moshi.agent import MoshiAgent  # noqa: E402
from dyad.bridge.protocol import family_of  # noqa: E402
from dyad.spec import TICK, Prompt  # noqa: E402


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """Keep it from running, and see that nobody calls it."""
    runs: list[str] = []
    gc.disable()
    gc.callbacks.append(called := lambda phase, info: runs.append(phase))
    yield
    gc.callbacks.remove(called)
    gc.enable()
    assert not runs


@pytest.fixture
def made() -> Callable[[], list[ref[Any]]]:
    """Return the tensors that there are now and were not before the test."""
    before = {id(tensor): ref(tensor) for tensor in tensors()}

    def new() -> list[ref[Any]]:
        return [ref(t) for t in tensors() if id(t) not in before or before[id(t)]() is not t]

    return new


def tensors() -> list[Any]:
    return [thing for thing in gc.get_objects() if issubclass(type(thing), torch.Tensor)]


def played(agent: MoshiAgent, rows: int) -> None:
    agent.load("cpu", rows, 20)
    agent.open([Prompt(text="")] * rows, [""] * rows, list(range(rows)))
    agent.force(0, np.zeros(TICK, np.float32), "yes")
    for tick in range(2):
        agent.step(tick, np.zeros((rows, TICK), np.float32), np.zeros(rows, np.int64))


def agent_of() -> MoshiAgent:
    agent = family_of("moshi").make({"weights": "random:tiny"})
    assert isinstance(agent, MoshiAgent)
    return agent


def test_a_deck_that_makes_room_for_another_is_gone(made: Callable[[], list[ref[Any]]]) -> None:
    agent = agent_of()
    agent.load("cpu", 1, 20)
    weights = {id(tensor()) for tensor in made()} - {id(None)}
    played(agent, 2)
    deck = [tensor for tensor in made() if id(tensor()) not in weights]
    agent.load("cpu", 3, 20)
    assert len(deck) > 50
    assert not [tensor().shape for tensor in deck if tensor() is not None]


def test_an_agent_that_is_dropped_is_gone_with_its_weights(made: Callable[[], list[ref[Any]]]) -> None:
    agent = agent_of()
    played(agent, 2)
    held = made()
    del agent
    assert len(held) > 100
    assert not [tensor().shape for tensor in held if tensor() is not None]
