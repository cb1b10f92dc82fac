"""Cost of two workers, and of resampling, per tick: `python bench/bench_host.py [--ticks 400] [--rounds 5]`.

Two agents that say back what they hear play each other through the bridge, first in this process, then each
in an interpreter of its own; what a tick then takes more is the cost of being elsewhere. Both take turns, and
the median round counts, so that a machine that is busy for a moment does not decide. Targets: 0.4 ms at 1
lane, 1.5 ms at 64 lanes; resampling of 64 rows 1.5 ms per direction.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from dyad.audio import Resampler, tick_size
from dyad.bridge import play
from dyad.bridge.protocol import Agent, Caps
from dyad.host.agent import HostAgent, Hosting
from dyad.host.process import Command
from dyad.host.worker import Dice
from dyad.spec import RATE, AgentSpec
from dyad.testing import agents_of, lane

ECHO = Path(__file__).parents[1] / "tests/host/fakes/echo.py"
TARGETS_MS = {1: 0.4, 64: 1.5}
RESAMPLE_MS, RATES = 1.5, (8_000, 16_000, 22_050, 48_000)


def bridge_ms(lanes: int, ticks: int, hosted: bool) -> list[float]:
    """Return the milliseconds of each tick between two echoes, without the first ten."""
    names = ("left", "right")
    seats = [AgentSpec(name=name, adapter=name if hosted else "echo") for name in names]
    runs = [lane(*seats, ticks=ticks, seed=seed) for seed in range(lanes)]
    far: dict[str, Agent] = {}
    if hosted:
        command = Command("echo", Path(sys.executable), ECHO)
        far = {name: HostAgent(Caps("echo"), Hosting(command, {})) for name in names}
        for agent in far.values():
            agent.load("cpu", lanes, ticks)
    stamps: list[float] = []
    play(runs, agents_of(runs, far), on_tick=lambda tick: stamps.append(time.perf_counter()))
    for agent in far.values():
        assert isinstance(agent, HostAgent)
        agent.stop()
    return [1000 * float(step) for step in np.diff(stamps)[10:]]


def worker_costs(lanes: int, ticks: int, rounds: int) -> tuple[list[float], list[float], float]:
    """Return the median tick of every round here and with workers, and the 99th percentile of the latter."""
    here, there = list[list[float]](), list[list[float]]()
    for _ in range(rounds):
        here.append(bridge_ms(lanes, ticks, hosted=False))
        there.append(bridge_ms(lanes, ticks, hosted=True))
    medians = ([float(np.median(one)) for one in side] for side in (here, there))
    return *medians, float(np.percentile(there, 99))


def resample_ms(rate_in: int, rate_out: int, rows: int, ticks: int) -> float:
    """Return the median milliseconds of resampling one tick of all rows."""
    pcm = np.random.default_rng(0).standard_normal((rows, tick_size(rate_in))).astype(np.float32)
    resampler, times = Resampler(rate_in, rate_out, rows), []
    for _ in range(ticks):
        start = time.perf_counter()
        resampler(pcm)
        times.append(time.perf_counter() - start)
    return 1000 * float(np.median(times))


def dice_us(rows: int, ticks: int) -> float:
    """Return the median microseconds per row of putting its random states in place and taking them back."""
    dice, times = [Dice(seed) for seed in range(rows)], []
    for _ in range(ticks):
        start = time.perf_counter()
        for own in dice:
            own.throw(lambda: None)
        times.append(time.perf_counter() - start)
    return 1e6 * float(np.median(times)) / rows


def main() -> int:
    """Print one line per case; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ticks", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    missed = False
    for lanes, target in TARGETS_MS.items():
        here, there, tail = worker_costs(lanes, args.ticks, args.rounds)
        more = sorted(far - near for near, far in zip(here, there, strict=True))
        missed |= np.median(more) > target
        print(
            f"{lanes:3} lanes: {np.median(here):.3f} ms per tick in this process, {np.median(there):.3f} ms "
            f"with two workers: {np.median(more):.3f} ms more ({more[0]:.2f}–{more[-1]:.2f} in "
            f"{args.rounds} rounds, target {target}); 99 % of ticks below {tail:.2f} ms"
        )
    for other in RATES:
        for rates in ((RATE, other), (other, RATE)):
            cost = resample_ms(*rates, 64, args.ticks // 2)
            missed |= cost > RESAMPLE_MS
            print(f"{rates[0]:6} → {rates[1]:6} Hz, 64 rows: {cost:.3f} ms per tick (target {RESAMPLE_MS})")
    print(f"random states of a row (Python, numpy): {dice_us(64, args.ticks // 2):.0f} µs per tick")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
