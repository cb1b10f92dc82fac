"""Differences inside scenarios: how they are taken, their mean, and what may be said of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dyad.stats import USUAL, Sought, cluster_mean, holm, paired_test, t_reach, t_seen
from dyad.stats.values import Floats

from .cells import Cells, divided
from .frame import HEADLINE, scored, two_seats
from .rows import ALIKE, EQUAL, ONE_SCENARIO, Row
from .scores import TURN_TAKING

if TYPE_CHECKING:
    import pandas as pd

LEVEL = USUAL.alpha
PAIRED = ("contrast", "factor", "control", "windows", "difference")  # tested by exchange inside scenarios
FLOORED = (*PAIRED, "stance")  # tables whose rows are differences
UNDISTINGUISHED = "not distinguishable"
BLIND = "too few scenarios"


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
    is what the mean would have to be for this one test to see it with 80 % power, from how much the
    differences vary; None where so few scenarios could show none.
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
    seen = USUAL.seen(mean.n)
    return found | ends | {"mde": None if seen is None else seen * mean.se}


def adjusted(rows: Sequence[Row]) -> list[Row]:
    """Return rows of tables with `p_adjusted`: Holm over the rows with a p that answer one kind of question.

    A difference is not distinguishable, and its `note` says so, unless that is below .05 and 0 lies outside
    of the interval, whose half-width is the noise floor. The `note` also says where too few scenarios for so
    many tests are why: no difference, however large, could have been told from 0, and there is no `mde`. Else
    it is what is seen by one of all tests; that of table `mde`, of contrasts with single partners.
    """
    families = [_family(row) for row in rows]
    sizes = Counter(of for of, row in zip(families, rows, strict=True) if row["p"] is not None)
    found = list(rows)
    for family, size in sizes.items():
        known = [i for i, row in enumerate(rows) if families[i] == family and row["p"] is not None]
        for i, p in zip(known, holm([rows[i]["p"] for i in known]), strict=True):
            found[i] = _noted(in_family(rows[i], size) | {"p_adjusted": p}, size)
    return [_of_contrasts(row, sizes) if row["table"] == "mde" else row for row in found]


def in_family(row: Row, tests: int) -> Row:
    """Return a row with the `mde` of one of so many tests, where it has that of one alone."""
    if row["mde"] is None:
        return row
    alone, seen = _seen(row, 1), _seen(row, tests)
    return row | {"mde": None if alone is None or seen is None else row["mde"] * seen / alone}


def _seen(row: Row, tests: int) -> float | None:
    """How many standard errors a test sees; Welch's has any p, and these degrees of freedom or more."""
    if row["table"] == "stance":
        return t_seen(row["scenarios"] - 1, LEVEL / tests, USUAL.power)
    return Sought(tests=tests).seen(row["scenarios"])


def _of_contrasts(row: Row, sizes: Mapping[tuple[str, ...], int]) -> Row:
    """A row of table `mde` beside the contrasts of its condition."""
    if row["mde"] is None:
        return row
    parts, overall = ((row["condition"], "contrast", "scores", of) for of in ("parts", "all"))
    tests = sizes.get(parts) or sizes.get(overall) or 1
    found = in_family(row, tests)
    return found | {"value": found["mde"], "note": "" if found["mde"] is not None else too_few(tests)}


def too_few(tests: int) -> str:
    """Say that no p of so few scenarios can be below the level."""
    return f"{BLIND} for {tests} test{'s' if tests > 1 else ''}"


def _family(row: Row) -> tuple[str, ...]:
    """What a reader asks at once: one table and condition, and of it scores, times or turn-taking.

    Rows of single partners are a family of their own: looking closer costs the overall answer nothing.
    """
    kind = "times" if row["unit"] == "s" else "scores" if row["archetype"] in HEADLINE else "turn-taking"
    return row["condition"], row["table"], kind, "parts" if row["partner"] else "all"


def _noted(row: Row, tests: int) -> Row:
    low, high = row["low"], row["high"]
    seen = row["p_adjusted"] < LEVEL and (low is None or not low <= 0 <= high)
    if row["table"] == "eta" and _blind(row, tests):
        return row | {"note": "; ".join(filter(None, (row["note"], f"p: {too_few(tests)}")))}
    if seen or row["table"] not in FLOORED:
        return row
    why = f": {too_few(tests)}" if _blind(row, tests) else ""
    return row | {"note": ", ".join(filter(None, (UNDISTINGUISHED + why, row["note"])))}


def _blind(row: Row, tests: int) -> bool:
    """Whether even the least p that flipped signs of so few scenarios can give is too large for all tests."""
    if row["scenarios"] is None or not (row["table"] in PAIRED or _share_flipped(row)):
        return False
    complete = row["scenarios"] - (row["missing"] or 0 if row["table"] == "eta" else 0)
    return Sought(tests=tests).seen(complete) is None


def _share_flipped(row: Row) -> bool:
    """Whether signs were flipped for a share of the square of all agents, see `variance`."""
    both = row["term"] == "interaction" or two_seats(row["archetype"])
    return row["table"] == "eta" and both and not row["agent"]
