"""Cumulative incidence of competing causes, exactly: what ends a run keeps the other causes from it."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dyad.stats.events import read
from dyad.stats.values import Numbers


@dataclass(frozen=True)
class CumulativeIncidence:
    """Probability of having had each cause by each distinct exit time; with `survival` they add to 1."""

    times: tuple[float, ...]
    incidence: Mapping[int, tuple[Fraction, ...]]
    survival: tuple[Fraction, ...]
    n_at_risk: tuple[int, ...]
    n: int
    n_missing: int

    def at(self, cause: int, time: float) -> Fraction | None:
        """Return the incidence of `cause` by `time`; 0 if nobody had it, None past the last run's exit."""
        if time > self.times[-1] and self.survival[-1]:
            return None
        steps = self.incidence.get(cause, (Fraction(0),) * len(self.times))
        return (Fraction(0), *steps)[bisect_right(self.times, time)]


def aalen_johansen(times: Numbers, causes: Numbers) -> CumulativeIncidence | None:
    """Return the exact cumulative incidence of competing causes (positive integers; 0 is censored).

    At each time F_k += S(t-) d_k / n, then S *= 1 - d / n; tied causes share one step. None if no run
    has both a time and a cause. Raises ValueError for negative times or causes, or lengths that differ.
    """
    runs = read(times, causes)
    if not runs.n:
        return None
    moments = np.unique(runs.exit)
    sizes = runs.at_risk(moments).tolist()
    ended = {kind: runs.ended(moments, kind).tolist() for kind in np.unique(runs.cause).tolist() if kind}
    incidence, survival = {kind: [Fraction(0)] for kind in ended}, [Fraction(1)]
    for i, n in enumerate(sizes):
        for kind, deaths in ended.items():
            incidence[kind].append(incidence[kind][-1] + survival[-1] * Fraction(deaths[i], n))
        survival.append(survival[-1] * (1 - Fraction(sum(deaths[i] for deaths in ended.values()), n)))
    steps = {kind: tuple(values[1:]) for kind, values in incidence.items()}
    return CumulativeIncidence(
        tuple(moments.tolist()), steps, tuple(survival[1:]), tuple(sizes), runs.n, runs.n_missing
    )
