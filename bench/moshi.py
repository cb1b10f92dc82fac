"""Conversations of the Moshi family per core: `python bench/moshi.py [--sizes tiny 66m] [--rounds 3]`.

Conversation-frames per second of CPU time, one thread, random weights: the loop of the package `moshi` as its
own run_inference has it (batch 1, one conversation after the other, two models that hear each other), and
dyad's bridge with 1, 4, 16 and 64 conversations. The stock loop is given a ring as short as dyad's, which is
faster than the 3000 positions that it takes by itself; ratios are against that. Then where a tick goes.
Medians of rounds in which the cases take turns, so that a slow moment hits all of them.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy and torch start their threads

import sys
from pathlib import Path

if (here := str(Path(__file__).resolve().parent)) in sys.path:
    sys.path.remove(here)  # else `import moshi` would find this script and not the package

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
from moshi.models.lm import LMGen

from dyad.agents.moshi.architecture import CONTEXT, RANDOM_ARCHITECTURES, ring_frames
from dyad.agents.moshi.engine.codec import Codec
from dyad.agents.moshi.engine.depth import Depth
from dyad.agents.moshi.engine.random_weights import mimi_config, random_lm, random_mimi
from dyad.agents.moshi.engine.rows import REACH, Rows
from dyad.bridge import play
from dyad.bridge.protocol import Agent
from dyad.spec import TICK, AgentSpec, RunSpec, ticks_at_least
from dyad.testing import agents_of, lane

LANES = (1, 4, 16, 64)
GOAL_LANES = 16
GOAL_OVERHEAD = 0.03  # of a tick, of the size OVERHEAD_OF
OVERHEAD_OF = "66m"
STOCK, STOCK_RING = "stock loop", f"stock loop, ring {CONTEXT}"
PARTS: dict[str, tuple[type, str]] = {
    "temporal": (Rows, "temporal"),
    "depformer": (Depth, "__call__"),
    "Mimi encode": (Codec, "encode"),
    "Mimi decode": (Codec, "decode"),
    "model": (Rows, "step"),  # temporal and depformer are within
}


@dataclass(frozen=True)
class Size:
    """A size of random weights, how long its conversations are, and the ratios aimed at."""

    name: str
    window_s: float
    goals: Mapping[str, float]

    @property
    def ticks(self) -> int:
        """The frames of one conversation."""
        return ticks_at_least(self.window_s)

    @property
    def ring(self) -> int:
        """The positions of past that dyad keeps for one conversation."""
        return ring_frames(CONTEXT, self.ticks, 0)


SIZES = {
    "tiny": Size("tiny", 6.0, {"self-play": 16.0, "cross-play": 12.0}),
    "66m": Size("66m", 2.0, {"self-play": 12.5, "cross-play": 9.0}),
}


class Stock:
    """Two models of the package, each with its own codec, ready for one conversation at a time."""

    def __init__(self, size: Size, ring: int) -> None:
        shape = RANDOM_ARCHITECTURES[size.name].model_copy(update={"context": ring})
        self._mimis: list[Any] = [self._mimi(size.name) for _ in range(2)]
        self._gens: list[Any] = [
            LMGen(random_lm(shape, seed, "cpu", torch.float32).eval()) for seed in range(2)
        ]
        for part in (*self._mimis, *self._gens):
            part.streaming_forever(1)

    def _mimi(self, name: str) -> Any:
        mimi = random_mimi(mimi_config(name), 0, "cpu")
        mimi.set_num_codebooks(8)
        return mimi.eval()

    @torch.no_grad()
    def play(self, ticks: int) -> None:
        """Let the two talk: each hears what the other said one frame before."""
        for part in (*self._mimis, *self._gens):
            part.reset_streaming()
        said = [torch.zeros(1, 1, TICK)] * 2
        for tick in range(ticks):
            heard = said[::-1]
            said = [self._turn(seat, pcm, tick == 0) for seat, pcm in enumerate(heard)]

    def _turn(self, seat: int, heard: torch.Tensor, first: bool) -> torch.Tensor:
        mimi, gen = self._mimis[seat], self._gens[seat]
        codes = mimi.encode(heard)
        if first:  # the first call takes no input
            gen.step(codes)
        tokens = gen.step(codes)
        tokens[0, 0].item()  # the text
        sound: torch.Tensor = mimi.decode(tokens[:, 1:]).cpu()
        return sound


def runs_of(size: Size, mode: str, lanes: int, ticks: int) -> list[RunSpec]:
    """Return conversations of one model with itself, or of two models of the same size."""

    def spec(seed: int) -> AgentSpec:
        params = {"weights": f"random:{size.name}", "random_seed": seed}
        return AgentSpec(name=f"moshi_{seed}", adapter="moshi", params=params)

    a, b = spec(0), spec(0 if mode == "self-play" else 1)
    return [lane(a, b, ticks=ticks, seed=seed) for seed in range(lanes)]


def agents_for(size: Size, mode: str, lanes: int) -> dict[str, Agent]:
    """Return loaded agents with as many rows as these conversations take, warmed up."""
    agents = agents_of(runs_of(size, mode, lanes, size.ticks))
    play(runs_of(size, mode, lanes, 3), agents)
    return agents


def cases_of(size: Size) -> dict[str, Callable[[], object]]:
    """Return what to time, by name: each plays its conversations once."""
    stock, stock_long = Stock(size, size.ring), Stock(size, CONTEXT)
    stock.play(3)
    stock_long.play(3)
    cases: dict[str, Callable[[], object]] = {
        STOCK: partial(stock.play, size.ticks),
        STOCK_RING: partial(stock_long.play, size.ticks),
    }
    for mode in size.goals:
        for lanes in LANES:
            runs = runs_of(size, mode, lanes, size.ticks)
            cases[f"{mode} {lanes}"] = partial(play, runs, agents_for(size, mode, lanes))
    return cases


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU seconds of this process that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def rates(size: Size, rounds: int) -> dict[str, float]:
    """Return the conversation-frames per CPU second of each case."""
    cases = cases_of(size)
    took = [{name: cpu_s(work) for name, work in cases.items()} for _ in range(rounds)]

    def rate(name: str) -> float:
        lanes = int(name.split()[-1]) if name.split()[0] in size.goals else 1
        return lanes * size.ticks / statistics.median(each[name] for each in took)

    return {name: rate(name) for name in cases}


def print_rates(size: Size, rounds: int) -> None:
    """Print one line per case, with its ratio and what is aimed at."""
    print(f"random:{size.name}, {size.ticks} frames ({size.window_s:g} s), ring {size.ring}", flush=True)
    measured = rates(size, rounds)
    goals = {f"{mode} {GOAL_LANES}": goal for mode, goal in size.goals.items()}
    for name, rate in measured.items():
        ratio = rate / measured[STOCK]
        goal = f"  {verdict(ratio >= goals[name])}: ≥ {goals[name]:g} ×" if name in goals else ""
        print(f"  {name:22} {rate:7.1f} frames/s {ratio:6.2f} ×{goal}", flush=True)


def verdict(passed: bool) -> str:
    """Return a word for whether an aim is met."""
    return "pass" if passed else "MISS"


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Count the CPU seconds spent in each of `PARTS`."""
    spent: dict[str, float] = defaultdict(float)

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            result = call(*args, **kwargs)
            spent[name] += time.process_time() - start
            return result

        return wrapped

    with ExitStack() as stack:
        for name, (owner, method) in PARTS.items():
            stack.enter_context(patch.object(owner, method, counted(name, getattr(owner, method))))
        yield spent


def parts_ms(size: Size, lanes: int) -> dict[str, float]:
    """Return the CPU milliseconds per tick of self-play by part; the first tick is a warm-up."""
    runs, agents = runs_of(size, "self-play", lanes, size.ticks), agents_for(size, "self-play", lanes)
    start = 0.0

    def begin(tick: int) -> None:
        nonlocal start
        if tick == 1:
            spent.clear()
            start = time.process_time()

    with timed() as spent:
        play(runs, agents, begin)
    total, ticks = time.process_time() - start, size.ticks - 1
    model, codec = spent.pop("model"), spent["Mimi encode"] + spent["Mimi decode"]
    spent["rest of the model"] = model - spent["temporal"] - spent["depformer"]
    spent["no model"] = total - model - codec
    return {name: 1000 * s / ticks for name, s in spent.items()}


def print_parts(size: Size, rounds: int) -> None:
    """Print where a tick goes, and whether what is no model is as small as aimed at."""
    for lanes in (1, GOAL_LANES):
        each = [parts_ms(size, lanes) for _ in range(rounds)]
        parts = {name: statistics.median(one[name] for one in each) for name in each[0]}
        total = sum(parts.values())
        said = ", ".join(f"{name} {100 * ms / total:.1f} %" for name, ms in parts.items())
        print(f"  a tick of {lanes:2}: {total:6.1f} ms: {said}")
        if (size.name, lanes) == (OVERHEAD_OF, GOAL_LANES):
            share = parts["no model"] / total
            print(f"  {verdict(share <= GOAL_OVERHEAD)}: no model ≤ {GOAL_OVERHEAD:.0%} of a tick")


def print_reach(size: Size, rounds: int) -> None:
    """Print what it brings, over 60 s of 16 lanes, that attention reads only the filled part of the ring."""
    ring, rows = ring_frames(CONTEXT, ticks_at_least(60), 0), 2 * GOAL_LANES
    held = Rows(random_lm(RANDOM_ARCHITECTURES[size.name], 0, "cpu", torch.float32).eval(), rows, ring)
    tokens = torch.zeros(rows, held.lm.num_codebooks, dtype=torch.long)

    @torch.inference_mode()
    def ms(reach: int) -> float:
        return 1000 * statistics.median(cpu_s(lambda: held.temporal(tokens, reach)) for _ in range(rounds))

    steps = range(REACH["cpu"], ring + 1, REACH["cpu"])
    filled, whole = statistics.mean(ms(reach) for reach in steps), ms(ring)
    print(f"  temporal over 60 s, {GOAL_LANES} lanes: filled part {filled:.1f} ms, whole ring {whole:.1f} ms")


def main() -> None:
    """Print rates, ratios and parts of each size. An aim that is missed is said, and is no error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    for name in args.sizes:
        print_rates(SIZES[name], args.rounds)
        print_parts(SIZES[name], args.rounds)
        print_reach(SIZES[name], args.rounds)


if __name__ == "__main__":
    main()
