"""All tables of a study of 7,560 runs: `python bench/bench_statistics.py [--plain-draws 3]`.

Three models, seven archetypes of twenty scenarios, with known effects; 2,000 resamples of scenarios and
10,000 permutations. Prints seconds and peak memory. Targets: 60 s and 1 GB.

Beside it, the same resamples one at a time with statsmodels, lifelines and scipy (`plain_loop.py`): a few
draws are timed and scaled to all. That they are the same numbers is checked on the data as it is. Target: 50
times the time that all tables take here, which hold more than these numbers.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import plain_loop
from memory import peak_mb

from dyad.tables import Draws, summary
from dyad.tables.synthetic import MAIN, study

DRAWS = Draws(bootstrap=2000, permutations=10_000)
TARGET_S, TARGET_MB, TARGET_RATIO = 60.0, 1024.0, 50.0
COLUMNS = [
    "scenario", "archetype", "agent", "partner", "seat", "role", "measure", "value", "n", "observed",
]  # fmt: skip
PARTS: tuple[tuple[str, Callable[[pd.DataFrame], object]], ...] = (
    ("shares of variance of 7 scores and 5 measures of turns (anova_lm)", plain_loop.eta),
    ("acts, and scores given the act (groupby)", plain_loop.hurdles),
    ("medians and restricted means of 48 curves (KaplanMeierFitter)", plain_loop.times),
    ("incidence of leaks, 12 curves (AalenJohansenFitter)", plain_loop.leaks),
    ("2 games (linprog)", plain_loop.games),
)
PERMUTED = "model, partner and interaction of 7 scores (anova_lm)"
Row = dict[str, Any]


def main() -> int:
    """Print what was measured; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plain-draws", type=int, default=3)
    options = parser.parse_args()
    frame = study()
    before_mb, start = peak_mb(), time.perf_counter()
    rows = summary(frame, DRAWS)
    took_s, mb = time.perf_counter() - start, peak_mb()
    print(f"{frame['run_id'].nunique()} runs, {len(frame)} rows, into {len(rows)} rows of tables, {DRAWS}:")
    print(f"  {took_s:.1f} s (target {TARGET_S:g})")
    print(f"  peak {mb:.0f} MB (target {TARGET_MB:g}), of which the study {before_mb:.0f} MB")
    warnings.simplefilter("ignore")
    check(frame[COLUMNS], rows)
    plain_s = plain_loop_s(frame[COLUMNS], options.plain_draws)
    ratio = plain_s / took_s
    print(f"  one draw at a time: {plain_s:.0f} s, {ratio:.0f} times as long (target {TARGET_RATIO:g})")
    return int(took_s > TARGET_S or mb > TARGET_MB or ratio < TARGET_RATIO)


def check(frame: pd.DataFrame, rows: list[Row]) -> None:
    """Raise RuntimeError unless the loop computes the numbers of the tables, on the data as it is."""
    ours = {_key(row): row["value"] for row in rows if _kept(row)}
    theirs = {
        key: value
        for part in (plain_loop.eta, plain_loop.times, plain_loop.leaks, plain_loop.games)
        for key, value in part(frame).items()
    }
    wrong = [
        f"{key} {ours[key]}, there {value}"
        for key, value in theirs.items()
        if not _same(ours[key], value, key)
    ]
    if wrong:
        raise RuntimeError(f"{len(wrong)} of {len(theirs)} numbers differ: {'; '.join(wrong[:5])}")
    print(f"  {len(theirs)} numbers are those of the loop")


def _same(ours: float | None, theirs: float, key: tuple[str, ...]) -> bool:
    """Whether two numbers are one; of incidence only nearly, as the package moves equal times apart."""
    far = 0.05 if key[0] == "incidence" else 1e-6
    return bool(np.isclose(np.inf if ours is None else ours, theirs, rtol=far, atol=far))


def plain_loop_s(frame: pd.DataFrame, draws: int) -> float:
    """Time each part of the loop on a few draws, print it, and return the seconds that all would take."""
    rng, start = np.random.default_rng(0), time.perf_counter()
    drawn = [plain_loop.resampled(frame, rng) for _ in range(draws)]
    total_s = _told("rows of a resample", (time.perf_counter() - start) / draws, DRAWS.bootstrap)
    for name, part in PARTS:
        start = time.perf_counter()
        for data in drawn:
            part(data)
        total_s += _told(name, (time.perf_counter() - start) / draws, DRAWS.bootstrap)
    cells = [plain_loop.by_scenario(frame, archetype) for archetype in MAIN]
    start = time.perf_counter()
    for _ in range(draws):
        plain_loop.permuted(cells, rng)
    return total_s + _told(PERMUTED, (time.perf_counter() - start) / draws, DRAWS.permutations)


def _told(name: str, each_s: float, number: int) -> float:
    print(f"    {name}: {1000 * each_s:.0f} ms × {number} = {each_s * number:.0f} s")
    return each_s * number


def _kept(row: Row) -> bool:
    """Whether it is a number of the loop; of a curve, the last one that is told stands for all."""
    return row["table"] in ("eta", "rmst", "game") or row["term"] in ("median", "leak")


def _key(row: Row) -> tuple[str, ...]:
    who = [row[name] for name in ("agent", "partner") if row[name]]
    if row["table"] == "eta":
        return "eta", row["archetype"], row["measure"], row["term"]
    if row["table"] == "game":
        return "game", row["archetype"], *who
    if row["table"] == "incidence":
        return "incidence", *who
    return row["table"], row["archetype"], row["measure"], *who


if __name__ == "__main__":
    sys.exit(main())
