"""Plays an agent without a partner: rows hear given sound, and the play-out queue takes what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dyad.audio import tick_size
from dyad.bridge.playout import PlayOut
from dyad.bridge.protocol import Agent, Family, Out
from dyad.host.agent import HostAgent
from dyad.spec import Prompt
from dyad.testing import check_agent

Floats = NDArray[np.float32]
PROMPT = Prompt(text="Your name is Mara.")


@dataclass(frozen=True)
class Played:
    """What rows said: the line as float32 [rows, samples], every step's answer, and the queue at the end."""

    line: Floats
    outs: list[Out]
    queue: PlayOut

    def text(self, row: int) -> list[tuple[int, str]]:
        """Return (at, text) of a row's own words."""
        pieces = [piece for out in self.outs for piece in out.text]
        return [(piece.at, piece.s) for piece in pieces if piece.row == row and piece.kind == "own"]

    def given(self, row: int) -> int:
        """Return how many samples a row has said, played or not."""
        return sum(len(out.pcm[row]) for out in self.outs)

    def flushed(self, row: int) -> list[int]:
        """Return the ticks in which a row dropped what waited."""
        return [tick for tick, out in enumerate(self.outs) if out.flush is not None and out.flush[row]]


def play(
    agent: Agent, heard: Floats, seeds: list[int] | None = None, before: Callable[[int], None] | None = None
) -> Played:
    """Let rows hear float32 [rows, samples], which is a whole number of ticks; rows stay open."""
    rows, caps = len(heard), agent.caps
    ticks = heard.reshape(rows, -1, tick_size(caps.rate_in)).swapaxes(0, 1)
    queue, outs, line = PlayOut(rows, tick_size(caps.rate_out)), list[Out](), list[Floats]()
    agent.load("cpu", rows, len(ticks))
    agent.open([PROMPT] * rows, [""] * rows, seeds or list(range(1, rows + 1)))
    for tick, now in enumerate(ticks):
        if before:
            before(tick)
        outs.append(out := agent.step(tick, np.ascontiguousarray(now), queue.played.copy()))
        line.append(queue.turn(out.pcm, out.flush, out.speaking))
    return Played(np.concatenate(line, axis=1), outs, queue)


def noise(seconds: float, rate: int, level: float = 0.05, seed: int = 0) -> Floats:
    """Return noise, float32 [samples]."""
    random = np.random.default_rng(seed)
    return (level * random.standard_normal(round(seconds * rate))).astype(np.float32)


def silence(seconds: float, rate: int) -> Floats:
    """Return zeros, float32 [samples]."""
    return np.zeros(round(seconds * rate), np.float32)


@contextmanager
def at_work(family: Family, **params: object) -> Iterator[HostAgent]:
    """Return an agent on its stand-in, and end its workers afterwards."""
    agent = family.make({"upstream": "double", **params})
    assert isinstance(agent, HostAgent)
    try:
        yield agent
    finally:
        agent.stop()


def keeps_the_contract(
    family: Family, agent: HostAgent, ticks: int = 40, voice: str = "", **params: object
) -> None:
    """Check a family on an agent `at_work` with the same params: another worker takes seconds to start."""
    shared = replace(family, make=lambda params: agent)
    check_agent(shared, {"upstream": "double", **params}, ticks, voice=voice)
