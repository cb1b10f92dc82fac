"""Cost of the bridge and the recording per tick, on one core: `python bench/bench_bridge.py [--lanes 64]`.

The agents do next to nothing, so nearly all of it is the bridge; the target is 0.8 ms per tick at 64 lanes,
1 % of a tick. The ratio is against one plain numpy copy of a tick of all rows, the machine's own speed.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import sys
import time

import numpy as np

from dyad.bridge import play
from dyad.spec import TICK, AgentSpec
from dyad.testing import Units, agents_of, lane

TARGET_MS = 0.8
TONE = AgentSpec(name="tone", adapter="tone", params={"pattern": [[0, 10]], "period_ticks": 20})
UNITS = AgentSpec(name="units", adapter="units")
CASES = {
    "silence + tone": (AgentSpec(name="silence", adapter="silence"), TONE),
    "tone + tone": (TONE, TONE),
    "echo + tone": (AgentSpec(name="echo", adapter="echo"), TONE),
    "400 ms units + tone": (UNITS, TONE),
}


def median_ms(stamps_s: list[float]) -> float:
    """Return the median step between time stamps, in milliseconds; the first step is a warm-up."""
    return 1000 * float(np.median(np.diff(stamps_s)[1:]))


def bridge_ms(seats: tuple[AgentSpec, AgentSpec], lanes: int, ticks: int) -> float:
    """Return the milliseconds per tick of playing `lanes` lanes of two agents."""
    runs = [lane(*seats, ticks=ticks, seed=seed) for seed in range(lanes)]
    stamps: list[float] = []
    play(
        runs, agents_of(runs, {"units": Units(9600)}), on_tick=lambda tick: stamps.append(time.perf_counter())
    )
    return median_ms(stamps)


def copy_ms(lanes: int, ticks: int) -> float:
    """Return the milliseconds of copying one tick of all rows, float32."""
    source, target = np.ones((2, 2 * lanes, TICK), np.float32)
    stamps = [time.perf_counter()]
    for _ in range(ticks):
        target[:] = source
        stamps.append(time.perf_counter())
    return median_ms(stamps)


def main() -> int:
    """Print one line per case; exit 1 when the first one misses the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lanes", type=int, default=64)
    parser.add_argument("--ticks", type=int, default=500)
    args = parser.parse_args()
    base_ms = copy_ms(args.lanes, args.ticks)
    print(f"{args.lanes} lanes, {args.ticks} ticks, one core; a plain copy of a tick takes {base_ms:.3f} ms")
    costs = {name: bridge_ms(seats, args.lanes, args.ticks) for name, seats in CASES.items()}
    for name, cost_ms in costs.items():
        print(f"  {name:20} {cost_ms:6.3f} ms per tick  = {cost_ms / base_ms:5.1f} copies")
    return int(next(iter(costs.values())) > TARGET_MS)


if __name__ == "__main__":
    sys.exit(main())
