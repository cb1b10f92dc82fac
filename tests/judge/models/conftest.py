"""Conversations as model judges get them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

from dyad.judge.case import Case
from dyad.judge.models import service as waits
from dyad.judge.transcript import lines
from dyad.library import Library, load_library
from dyad.spec import SEATS, other
from tests.judge.wire.running import Server, running

KEY = "sk-ant-secret-0123456789abcdef"


@pytest.fixture(autouse=True)
def interrupts() -> None:
    """Ctrl-C as it is by default, whatever a test before left half-way."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shipped() -> Library:
    """The shipped library, twins included."""
    return load_library()


@pytest.fixture(scope="session")
def case(stage) -> Callable[..., Case]:
    """A conversation on a scenario of these tests: role letters and texts, one after the other."""
    return partial(_case, stage)


@pytest.fixture(scope="session")
def shipped_case(shipped) -> Callable[..., Case]:
    """A conversation on a shipped scenario."""
    return partial(_case, shipped)


def _case(library, scenario, talk, seat_of_a="a", opener="a", heard=None) -> Case:
    """`seat_of_a`: where role a sits; the opener is a bridge seat. Each entry lasts 2 s, 1 s apart."""
    shared = library.scenarios[scenario]
    roles = {seat: library.roles[ref.role] for seat, ref in shared.seats.items()}
    seats = {"a": seat_of_a, "b": other(seat_of_a)}
    texts = {seat: [text for role, text in talk if seats[role] == seat] for seat in SEATS}
    spans = {
        seat: [(37 * i, 37 * i + 25) for i, (role, _) in enumerate(talk) if seats[role] == seat]
        for seat in SEATS
    }
    arrays = {seat: np.array(spans[seat], dtype=np.int64).reshape(-1, 2) for seat in SEATS}
    ears = heard and {seat: [heard.get(text, text) for text in texts[seat]] for seat in SEATS}
    ticks = 37 * len(talk) + 20
    return Case(shared, roles, seats, tuple(lines(opener, arrays, texts, ticks, ears)), opener, ticks)


@pytest.fixture(scope="module")
def one_server() -> Iterator[Server]:
    """A stand-in for Anthropic's API, one for all tests of a file."""
    with running("anthropic_server.py") as server:
        yield server


@pytest.fixture
def server(one_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The stand-in as new, with a key and short waits."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.02)
    one_server.change(reset=True, forget=True, keep=True)
    return one_server
