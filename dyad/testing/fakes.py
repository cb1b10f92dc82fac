"""Agents that are awkward on purpose, and lanes to play any agent on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dyad.bridge.protocol import Agent, Caps, Floats, Ints, Out, Plain, Text, family_of, make_agent
from dyad.bridge.wiring import rows_per_lane
from dyad.spec import RATE, SEATS, TICK, AgentSpec, Prompt, RunSpec, Seat, SeatSpec

PROMPT = Prompt(text="Your name is Mara. Ask the other person how their day was, and answer briefly.")


def lane(a: AgentSpec | str, b: AgentSpec | str, ticks: int = 50, **fields: Any) -> RunSpec:
    """Return a run without a scenario library: who sits where, and any other fields of RunSpec.

    A seat given as a name is that adapter with its default parameters. There is no lead-in unless
    `lead_ticks` is given.
    """
    plain = {"pairing": "test", "archetype": "t1_1", "scenario": "test", "scenario_version": 1, "opener": "a"}
    numbers = {"repetition": 0, "seed": 0, "ticks": ticks, "lead_ticks": 0}
    return RunSpec.model_validate({**plain, **numbers, "a": _seat("a", a), "b": _seat("b", b), **fields})


def _seat(role: Seat, agent: AgentSpec | str) -> SeatSpec:
    spec = AgentSpec(name=agent, adapter=agent) if isinstance(agent, str) else agent
    return SeatSpec(agent=spec, role=role, prompt=PROMPT, rendered=PROMPT.text)


def agents_of(lanes: Sequence[RunSpec], fakes: Mapping[str, Agent] | None = None) -> dict[str, Agent]:
    """Return what `dyad.bridge.play` needs beside the lanes: every agent, loaded once for all of them.

    An adapter that is named in `fakes` is that agent; all others come from the registry.
    """
    specs = {run.seat(seat).agent.key: run.seat(seat).agent for run in lanes for seat in SEATS}
    known, ticks = fakes or {}, max(run.ticks for run in lanes)

    def made(key: str, spec: AgentSpec) -> Agent:
        rows = sum(rows_per_lane(run)[key] for run in lanes)
        return make_agent(family_of(spec.adapter), spec, rows=rows, ticks=ticks)

    return {
        key: known[spec.adapter] if spec.adapter in known else made(key, spec) for key, spec in specs.items()
    }


class Units(Plain):
    """Says back what it hears in units of `unit` samples, which need not be a whole number of ticks."""

    def __init__(self, unit: int, rate: int = RATE) -> None:
        self.caps = Caps("units", rate, rate, chunk_ms=Fraction(1000 * unit, rate))
        self._unit = unit

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows with nothing heard."""
        self._heard = [np.zeros(0, np.float32) for _ in prompts]

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Return every unit that this tick completes, usually none."""
        known = [np.concatenate(parts) for parts in zip(self._heard, heard, strict=True)]
        whole = [len(samples) // self._unit * self._unit for samples in known]
        self._heard = [samples[size:] for samples, size in zip(known, whole, strict=True)]
        return Out([samples[:size] for samples, size in zip(known, whole, strict=True)])

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Forget what the row heard of the unit under way."""
        self._heard[row] = np.zeros(0, np.float32)


class Bursts(Plain):
    """Speaks `burst` samples of its seed's noise every `every_ticks` ticks, all at once, however many wait.

    It flushes what waits when it hears something, and names each burst in its text.
    """

    def __init__(self, burst: int, every_ticks: int, rate: int = RATE) -> None:
        self.caps = Caps("bursts", rate, rate, flags=frozenset({"flush"}))
        self._burst, self._every = burst, every_ticks

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows, each with a random stream of its own."""
        self._random = [np.random.default_rng(seed) for seed in seeds]
        self._age = [0] * len(prompts)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Return a burst for the rows whose time has come, and nothing for the others."""
        due = [age % self._every == 0 for age in self._age]
        self._age = [age + 1 for age in self._age]
        said = [self._noise(row) if now else np.zeros(0, np.float32) for row, now in enumerate(due)]
        text = [Text(row, tick * TICK, f"burst {self._age[row]} ") for row, now in enumerate(due) if now]
        return Out(said, text, flush=np.abs(heard).max(axis=1) > 0.5)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start the random stream of a row again."""
        self._random[row], self._age[row] = np.random.default_rng(seed), 0

    def _noise(self, row: int) -> Floats:
        return self._random[row].uniform(-0.2, 0.2, self._burst).astype(np.float32)


class Paced(Plain):
    """Says back what it hears in real time, and waits `busy_s` seconds in every step as if for a network."""

    def __init__(self, busy_s: float) -> None:
        self.caps = Caps("paced", clock="wall", concurrent=True)
        self._busy_s = busy_s

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows; an echo has no state."""

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Wait, then return what was heard."""
        time.sleep(self._busy_s)
        return Out(heard)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Do nothing: an echo has no state."""
