"""Memory of a driver that plays batch after batch: `python bench/memory.py [--lanes 64 --window-s 20]`.

Plays 1, 2, 4 and 8 batches more in one process, through `simulate` and into a store that is thrown away, and
prints the peak RSS after each. The recordings of a batch are published and dropped, so the peak must not grow
with the number of conversations: the target is less than 1 % per batch after the first.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from dyad.simulate import simulate
from dyad.spec import TICK, AgentSpec, RunSpec, ticks_at_least
from dyad.spec.study import LauncherSettings
from dyad.store import Store
from dyad.testing import lane

ROUNDS = (1, 2, 4, 8)  # batches
TARGET = 0.01  # growth per batch, as a share of the peak after the first
TONE = AgentSpec(name="tone", adapter="tone", params={"pattern": [[0, 10]], "period_ticks": 20})


def batch(lanes: int, ticks: int, number: int) -> list[RunSpec]:
    """Return conversations that no other batch has."""
    return [lane(TONE, TONE, ticks=ticks, seed=number * lanes + k) for k in range(lanes)]


def peak_mb() -> float:
    """Return the largest resident memory that this process ever had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def play(store: Store, runs: list[RunSpec], lanes: int) -> None:
    """Play and publish some conversations in this process; a failure is an error here."""
    settings = LauncherSettings(name="bench", workers=1, lanes=lanes)
    for played in simulate(store, runs, settings):
        if played.error:
            raise RuntimeError(f"{played.run_id}: {played.error}")


def main() -> int:
    """Print one line per round; exit 1 when the peak grows with the conversations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lanes", type=int, default=64)
    parser.add_argument("--window-s", type=float, default=20.0)
    args = parser.parse_args()
    ticks = ticks_at_least(args.window_s)
    tape_mb = 2 * args.lanes * ticks * TICK * 2 / 1e6
    print(f"{args.lanes} lanes of {args.window_s:g} s; the recordings of one batch take {tape_mb:.0f} MB")
    print(f"  before         {peak_mb():7.1f} MB")
    done, first_mb = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for more in ROUNDS:
            start = time.perf_counter()
            runs = [run for n in range(done, done + more) for run in batch(args.lanes, ticks, n)]
            play(Store(Path(folder)), runs, args.lanes)
            done += more
            first_mb = first_mb or peak_mb()
            growth = (peak_mb() / first_mb - 1) / max(1, done - 1)
            took = f"{100 * growth:+.2f} % per batch  ({time.perf_counter() - start:.0f} s)"
            print(f"  {done * args.lanes:5} played   {peak_mb():7.1f} MB  {took}")
    return int(growth > TARGET)


if __name__ == "__main__":
    sys.exit(main())
