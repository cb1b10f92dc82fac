"""How often intervals hold the truth, and tests reject it: `python bench/bench_coverage.py [--studies 200]`.

Studies of known effects with twenty scenarios, through rows and tables: the share of intervals of each table
that hold the true value. Nominal are 95 %, the target is 93. Then, for scores without any interaction, how
often the test of interaction rejects at 5 %: at most 6 is the target.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd

from dyad.spec import Archetype
from dyad.stats import component_test, two_way_parts
from dyad.tables import Draws
from dyad.tables.contrasts import contrasts
from dyad.tables.diallel import diallels
from dyad.tables.factors import factors
from dyad.tables.games import games
from dyad.tables.hurdle import hurdles
from dyad.tables.in_role import role_occupancy
from dyad.tables.rmst import restricted
from dyad.tables.scores import matrices, turn_cells
from dyad.tables.synthetic import EFFECTS, Effects, Truth, scenario_means, study
from dyad.tables.times import survival
from dyad.tables.variance import variance

ARCHETYPES: tuple[Archetype, ...] = ("t1_2", "t3_1", "t4_2")
MEASURES = (
    "adherence", "entered", "entry", "deviation", "occupancy", "leak", "asked", "leak_if_asked",
    "leak_if_unasked", "tor_end",
)  # fmt: skip
CELLS = (matrices, turn_cells)
TABLES = (variance, diallels, survival, restricted, role_occupancy, hurdles, games, contrasts, factors)
SCENARIOS, BOOTSTRAP = 20, 1000
TARGET, LEVEL, TARGET_LEVEL = 0.93, 0.05, 0.06
MIDDLE_S = 30.0  # points of a curve are many and alike: this one stands for all
TRUE = {name: replace(e, opener=0.05, role=0.03, cycle=0.03, premium=0.04) for name, e in EFFECTS.items()}


def main() -> int:
    """Print what was seen; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--data-sets", type=int, default=2000)
    options = parser.parse_args()
    least = coverage(options.studies)
    highest = max(
        level(f"no interaction, ICC {icc:g}", Effects(icc=icc), options.data_sets) for icc in (0.0, 0.1, 0.3)
    )
    level("interaction (cycle 0.08)", Effects(cycle=0.08), options.data_sets // 10)
    return int(least < TARGET or highest > TARGET_LEVEL)


def coverage(studies: int) -> float:
    """Print the coverage of each table and kind of interval; return the least."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        seen = pd.concat(pool.map(held, range(studies), chunksize=5))
    seen["inside"] = seen["held"].astype(float)
    print(f"{studies} studies of {SCENARIOS} scenarios, {BOOTSTRAP} resamples, intervals of 95 %")
    found = seen.groupby(["table", "term", "interval"])["inside"].agg(["mean", "size"])
    for (table, term, interval), (mean, size) in found.iterrows():
        print(f"  {table:18} {term:14} {interval:10} {mean:6.1%} of {int(size)}")
    tables = seen.groupby("table")["inside"].mean()
    print(f"least of a table: {tables.min():.1%} ({tables.idxmin()}), target {TARGET:.0%}", flush=True)
    return float(tables.min())


def held(seed: int) -> pd.DataFrame:
    """Return, for each interval of one study whose truth is known, whether it holds it."""
    frame = study(scenarios=SCENARIOS, archetypes=ARCHETYPES, effects=TRUE, seed=seed)
    frame, draws, known = frame[frame["measure"].isin(MEASURES)], Draws(BOOTSTRAP, 0, seed), Truth(TRUE)
    found = chain(*(cells(frame) for cells in CELLS), *(table(frame, draws) for table in TABLES))
    return pd.DataFrame(
        {
            "table": row["table"],
            "term": "" if row["table"] == "contrast" else row["term"],
            "interval": row["interval"],
            "held": row["low"] - 1e-9 <= true <= row["high"] + 1e-9,
        }
        for row in found
        if row["low"] is not None
        if row["at"] in (None, MIDDLE_S) or row["table"] == "rmst"
        for true in [known.value(row)]
        if true is not None
    )


def level(name: str, effects: Effects, data_sets: int) -> float:
    """Print how often the test of interaction rejects in so many data sets, and return it."""
    rng = np.random.default_rng(1)
    tables: Iterable[np.ndarray] = scenario_means("t4_2", effects, 6, (data_sets, SCENARIOS), rng)
    tests = (component_test(x, two_way_parts, "interaction", rng, 499) for x in tables)
    share = float(np.mean([test is not None and test.p <= LEVEL for test in tests]))
    print(f"{name}: {share:.1%} of {data_sets} data sets rejected at {LEVEL:.0%}", flush=True)
    return share


if __name__ == "__main__":
    sys.exit(main())
