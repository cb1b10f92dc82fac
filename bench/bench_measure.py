"""Energy VAD and turn-taking of one-minute stereo runs, on one core: `python bench/bench_measure.py`.

The target is 20 s for 1,000 runs. Audio is noise bursts with the rhythm of a conversation; making it is not
timed. The ratio is against one plain numpy copy of the audio, the machine's own speed.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import sys
import time

import numpy as np

from dyad.audio import Pcm
from dyad.cli.compose import compose
from dyad.hear.vad import segments
from dyad.measure.occupancy import floor
from dyad.measure.turns import MODES, response_times, seat_ticks, turn_counts
from dyad.spec import SEATS, TICK

TARGET_S = 20.0
TICKS = 750  # one minute
DISTINCT = 8  # recordings to cycle through; more would only fill memory
VAD = compose(["vad=dyafdb"]).studies[0].vad


def recording(seed: int) -> Pcm:
    """Return int16 [2, 60 s]: bursts of noise and silences of random length on both channels."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 40, (2, TICKS))
    loud = np.stack([np.repeat(np.arange(TICKS) % 2 == 0, row)[:TICKS] for row in lengths])
    noise = rng.normal(0, 1500, (2, TICKS * TICK)) * np.repeat(loud, TICK, axis=1)
    return noise.astype(np.int16)


def measure(pcm: Pcm) -> int:
    """Find a recording's segments and measure both seats in both modes; return the number of counts."""
    ticks = pcm.shape[1] // TICK
    found = segments(pcm, VAD)
    a, b = (seat_ticks(found, seat) for seat in SEATS)
    counts = 0
    for x, y in ((a, b), (b, a)):
        counts += sum(len(turn_counts(x, y, ticks, mode)) for mode in MODES)
        counts += len(floor(x, y, ticks)) + len(response_times(x, y, ticks))
    return counts


def main() -> int:
    """Print the time for all runs; exit 1 when it misses the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    audio = [recording(seed) for seed in range(DISTINCT)]
    start = time.perf_counter()
    for i in range(runs):
        measure(audio[i % DISTINCT])
    took_s = time.perf_counter() - start
    start = time.perf_counter()
    for i in range(runs):
        audio[i % DISTINCT].copy()
    copy_s = time.perf_counter() - start
    limit_s = TARGET_S * runs / 1000
    print(f"{runs} runs: {took_s:.1f} s (target {limit_s:.1f} s), {took_s / copy_s:.0f} copies of the audio")
    return int(took_s > limit_s)


if __name__ == "__main__":
    sys.exit(main())
