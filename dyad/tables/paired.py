"""Differences inside scenarios: how they are taken, their mean, and what may be said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dyad.stats import MDE_FACTOR, cluster_mean, holm, paired_test, t_reach
from dyad.stats.values import Floats

from .cells import Cells, divided
from .frame import HEADLINE, scored
from .rows import ALIKE, EQUAL, ONE_SCENARIO, Row
from .scores import TURN_TAKING

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
PAIRED = ("contrast", "factor", "control", "windows", "difference")  # tested by exchange inside scenarios
FLOORED = (*PAIRED, "stance")  # tables whose rows are differences
UNDISTINGUISHED = "not distinguishable"


def measured(frame: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield archetype, measure and rows of each headline score, then of turn-taking over all archetypes."""
    for archetype, measure in HEADLINE.items():
        yield {"archetype": archetype, "measure": measure}, scored(frame, archetype)
    for measure in TURN_TAKING:
        yield {"measure": measure}, frame[frame["measure"] == measure]


def in_common(first: Cells, second: Cells) -> tuple[Floats, Floats]:
    """Return the rates [S, M, P] of both in the scenarios that both have."""
    names = sorted(set(first.scenarios) & set(second.scenarios))
    one, other = (cells.values[[cells.scenarios.index(name) for name in names]] for cells in (first, second))
    return one, other


def mean_known(values: Floats) -> Floats:
    """Return the mean over all axes but the first, of what is known; NaN where nothing is."""
    within = tuple(range(1, values.ndim))
    return divided(np.nansum(values, axis=within), (~np.isnan(values)).sum(axis=within))


def paired(differences: Floats, permutations: int, rng: np.random.Generator) -> Row:
    """Return what a row says of differences [S], one per scenario: mean, interval, p, smallest difference.

    The interval is that of a mean of scenarios, ± t · SE; `p` flips the signs of scenarios, both sides; `mde`
    is what the mean would have to be to be seen with 80 % power, from how much the differences vary.
    """
    mean = cluster_mean(differences)
    if mean is None:
        return {"scenarios": 0, "missing": len(differences), "note": "nothing to compare"}
    test = paired_test(differences, rng, permutations)
    found = {"value": mean.value, "p": None if test is None else test.p}
    found |= {"scenarios": mean.n, "missing": mean.n_missing}
    if mean.se is None or mean.sd is None:
        return found | {"note": ONE_SCENARIO}
    if mean.sd <= EQUAL * abs(mean.value):
        return found | {"note": ALIKE if mean.value else "no difference in any scenario"}
    half = t_reach(mean.n - 1, 1 - LEVEL) * mean.se
    ends = {"low": mean.value - half, "high": mean.value + half, "interval": "scenarios"}
    return found | ends | {"mde": MDE_FACTOR * mean.se}


def adjusted(rows: Sequence[Row]) -> list[Row]:
    """Return rows of tables with `p_adjusted`: Holm over the rows with a p that answer one kind of question.

    A difference is not distinguishable, and its `note` says so, unless that is below .05 and 0 lies outside
    of the interval, whose half-width is the noise floor. The `note` also says where too few scenarios for so
    many tests are why: no difference, however large, could have been told from 0.
    """
    families = [_family(row) for row in rows]
    found = list(rows)
    for family in dict.fromkeys(families):
        places = [i for i, of in enumerate(families) if of == family]
        known = [i for i in places if rows[i]["p"] is not None]
        for i, p in zip(known, holm([rows[i]["p"] for i in known]), strict=True):
            found[i] = _noted(rows[i] | {"p_adjusted": p}, len(known))
    return found


def _family(row: Row) -> tuple[str, ...]:
    """What a reader asks at once: one table and condition, and of it scores, times or turn-taking.

    Rows of single partners are a family of their own: looking closer costs the overall answer nothing.
    """
    kind = "times" if row["unit"] == "s" else "scores" if row["archetype"] in HEADLINE else "turn-taking"
    return row["condition"], row["table"], kind, "parts" if row["partner"] else "all"


def _noted(row: Row, tests: int) -> Row:
    low, high = row["low"], row["high"]
    seen = row["p_adjusted"] < LEVEL and (low is None or not low <= 0 <= high)
    if seen or row["table"] not in FLOORED:
        return row
    why = f": too few scenarios for {tests} test{'s' if tests > 1 else ''}" if _blind(row, tests) else ""
    return row | {"note": ", ".join(filter(None, (UNDISTINGUISHED + why, row["note"])))}


def _blind(row: Row, tests: int) -> bool:
    """Whether even the least p that flipped signs of so few scenarios can give is too large for all tests."""
    if row["table"] not in PAIRED or row["scenarios"] is None:
        return False
    return bool(tests * 2.0 ** (1 - row["scenarios"]) >= LEVEL)
