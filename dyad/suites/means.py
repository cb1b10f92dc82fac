"""The mean of a measure over the stimuli of a set, with its interval and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dyad.measure.catalogue import Measure, Unit
from dyad.stats import cluster_mean, t_reach, wilson
from dyad.stats.values import Floats
from dyad.tables.cells import NO_OPPORTUNITY, NOTHING_KNOWN
from dyad.tables.rows import EQUAL, Row

from .protocol import Average

if TYPE_CHECKING:
    import pandas as pd

ONE_STIMULUS = "one stimulus: no interval"
ALIKE = "the same for every stimulus: no interval"
NOBODY = "nobody responded"
RESPONDED = "of those that responded"
DDOF_0 = "sd over stimuli with ddof 0"
OTHERWISE = "averaged as its authors do: no interval"
NOT_NEGATIVE = (0.0, math.inf)
BOUNDS: Mapping[Unit, tuple[float, float]] = {
    "share": (0.0, 1.0),
    **dict.fromkeys(("per_run", "per_min", "per_s", "s"), NOT_NEGATIVE),
}


class How(NamedTuple):
    """How the mean of a measure is taken: by its authors' rule if there is one, with which sd and bounds."""

    average: Average | None
    ddof: int
    bounds: tuple[float, float]


def how_of(
    about: Row, measure: Measure, averages: Mapping[str, Average], population_sd: Set[tuple[str, str]]
) -> How:
    """Return how the mean of a measure is taken in the mode and kind that `about` names."""
    bounds = measure.bounds or BOUNDS.get(measure.unit, (-math.inf, math.inf))
    if about["term"] != "compat":
        return How(None, 1, bounds)
    population = (about["archetype"], about["measure"]) in population_sd
    return How(averages.get(about["measure"]), 0 if population else 1, bounds)


@dataclass(frozen=True)
class Rates:
    """The numbers of one agent, set, measure and mode: sums of value and n of each stimulus, [S]."""

    value: Floats
    n: Floats
    names: list[str]
    trials: int
    missing: int
    censored: int
    negative: int

    @property
    def each(self) -> Floats:
        """The mean of every stimulus over its repetitions."""
        return np.asarray(self.value / self.n)

    @property
    def uneven(self) -> bool:
        """Whether stimuli differ in how many numbers they have."""
        return bool((self.n != self.n[0]).any())


def rates_of(rows: pd.DataFrame) -> Rates:
    """Return the numbers of the trials of one agent, set, measure and mode."""
    lost = rows["value"].isna()
    had = rows[~lost & (rows["n"] > 0)]
    seen = had["observed"].astype(bool)
    sums = had[seen].groupby("scenario", sort=True)[["value", "n"]].sum()
    value, n = (sums[name].to_numpy(float) for name in ("value", "n"))
    counts = (seen, lost, ~seen, had["value"][seen] < 0)
    return Rates(value, n, sums.index.tolist(), *(int(which.sum()) for which in counts))


def mean(rates: Rates, about: Row, how: How) -> Row:
    """Return what a row says of a mean: value, interval, sd, what it rests on, and why something lacks."""
    counts: Row = {"n": len(rates.names), "scenarios": len(rates.names), "missing": rates.missing}
    counts |= {"observations": rates.trials}
    if not rates.names:
        why = NOBODY if rates.censored else NOTHING_KNOWN if rates.missing else NO_OPPORTUNITY
        return counts | {"note": why}
    each, compat = rates.each, about["term"] == "compat"
    if how.average:
        return counts | {"value": how.average(each.tolist()), "note": OTHERWISE}
    pooled = compat and rates.uneven
    value = float(rates.value.sum() / rates.n.sum()) if pooled else float(each.mean())
    spread = _ratio_se(rates, value) if pooled else _se(each)
    yes_or_no = about["unit"] == "share" and not pooled and bool(np.isin(each, (0.0, 1.0)).all())
    found: Row = {"value": value, "hits": float(rates.value.sum())}
    found |= _wilson(each) if yes_or_no else _ends(each, value, spread, how.bounds)
    if len(each) > how.ddof:
        found["sd"] = float(each.std(ddof=how.ddof))
    notes = (*_remarks(rates, about, pooled), found.pop("note", ""), "" if how.ddof else DDOF_0)
    return counts | found | {"note": ", ".join(filter(None, notes))}


def _remarks(rates: Rates, about: Row, pooled: bool) -> Iterator[str]:
    """What a reader of a mean must know beside it."""
    if rates.censored:
        yield f"{RESPONDED}; {rates.censored} censored"
    if rates.negative and about["unit"] == "s":
        yield f"{rates.negative} negative"
    if pooled:
        yield f"pooled over {rates.n.sum():.0f} numbers"


def _wilson(each: Floats) -> Row:
    """The interval of a share where every stimulus is a yes or a no."""
    found = wilson(round(each.sum()), len(each))
    if found is None or found.n < 2:
        return {"note": ONE_STIMULUS}
    return {"low": found.low, "high": found.high, "interval": "wilson"}


def _ends(each: Floats, value: float, se: float | None, bounds: tuple[float, float]) -> Row:
    """The interval of any other mean, of t, as far as its values reach."""
    if len(each) < 2:
        return {"note": ONE_STIMULUS}
    if not se or se <= EQUAL * abs(value):
        return {"note": ALIKE}
    half = t_reach(len(each) - 1) * se
    least, most = bounds
    return {"low": max(value - half, least), "high": min(value + half, most), "interval": "t"}


def _se(each: Floats) -> float | None:
    mean = cluster_mean(each)
    return None if mean is None else mean.se


def _ratio_se(rates: Rates, ratio: float) -> float | None:
    """The standard error of a ratio of sums over stimuli (Cochran, Sampling Techniques, §6.3)."""
    count = len(rates.n)
    if count < 2:
        return None
    residual = float(((rates.value - ratio * rates.n) ** 2).sum())
    return math.sqrt(residual * count / (count - 1)) / float(rates.n.sum())
