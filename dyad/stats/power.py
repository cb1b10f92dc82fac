"""What a design can see: the smallest difference of two models, and the scenarios that one needs.

Two models are compared inside each scenario, with K runs of each. The difference of a scenario has variance
w + 2 s / K: `between`, w, is how much the true difference varies over scenarios; `run`, s, is the variance of
a single run. More repetitions only lower the second term. The test flips the signs of scenarios; its power is
that of Student's t at the largest p that it can reach below its level.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from statistics import NormalDist

import numpy as np

from dyad.stats.student import t_seen
from dyad.stats.values import Floats, Numbers, floats

# Variances of a share in studies like DyaFDB, and two others that are as plausible.
BETWEEN, RUN = 0.02, 0.21
ALTERNATES = ((0.05, 0.20), (0.0, 0.25))
ROUNDING = 1e-9
FINE = 50  # with so many scenarios the p of flipped signs is as good as continuous


@dataclass(frozen=True)
class Components:
    """Variances of a paired difference: `between` scenarios, and of a single `run`; None where undefined.

    `total` is that of the differences as they were seen, which holds both. `between` is unbiased, so it may
    be negative. `runs` is the harmonic mean number of runs per scenario and model; `scenarios` are those
    with a run of both.
    """

    total: float | None
    between: float | None
    run: float | None
    runs: float
    scenarios: int


def quantiles(alpha: float = 0.05, power: float = 0.8) -> float:
    """Return z(1 - alpha / 2) + z(power): how many standard errors a two-sided test sees with that power.

    Raises ValueError unless both lie between 0 and 1.
    """
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError("alpha and power must lie between 0 and 1")
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)


@dataclass(frozen=True)
class Sought:
    """How surely a difference is sought: by one of `tests` two-sided ones at `alpha` in all, with `power`."""

    alpha: float = 0.05
    power: float = 0.8
    tests: int = 1

    def seen(self, scenarios: int) -> float | None:
        """Return how many standard errors are seen, each test at alpha / tests, the first step of Holm's.

        None where not even the least p of so few scenarios, 2^(1 - S), is below that.
        """
        level = self.alpha / self.tests
        if scenarios < FINE:
            signs = 2.0 ** (scenarios - 1)
            below = math.ceil(level * signs) - 1  # the exchanges that may be as extreme as what was seen
            if below < 1:
                return None
            if below == 1:  # no difference may have another sign
                return NormalDist().inv_cdf(self.power ** (1 / scenarios)) * math.sqrt(scenarios)
            level = below / signs
        return t_seen(scenarios - 1, level, self.power)


USUAL = Sought()


def mde(
    scenarios: int, runs: float, between: float = BETWEEN, run: float = RUN, sought: Sought = USUAL
) -> float | None:
    """Return the smallest difference that a design sees: sqrt((w + 2 s / K) / S) times what is seen of it.

    `runs` per scenario and model may be infinite. None for a design without runs, or with so few scenarios
    that no difference could be seen.
    """
    seen = sought.seen(scenarios) if runs > 0 else None  # of NaN none
    return None if seen is None else seen * math.sqrt(_variance(runs, between, run) / scenarios)


def scenarios_needed(
    difference: float, runs: float, between: float = BETWEEN, run: float = RUN, sought: Sought = USUAL
) -> int | None:
    """Return how many scenarios a difference needs, so that the smallest that they show is no larger.

    None for a difference of 0 or a design without runs.
    """
    if not difference or not runs > 0:
        return None
    normal = quantiles(sought.alpha / sought.tests, sought.power)  # which t exceeds, so fewer are not enough
    least = max(2, _ceiling(normal**2 * _variance(runs, between, run) / difference**2))
    most = abs(difference) * (1 + ROUNDING)
    sizes = ((n, mde(n, runs, between, run, sought)) for n in count(least))
    return next(n for n, smallest in sizes if smallest is not None and smallest <= most)


def runs_needed(
    difference: float, scenarios: int, between: float = BETWEEN, run: float = RUN, sought: Sought = USUAL
) -> int | None:
    """Return how many runs per scenario and model a difference needs with so many scenarios.

    None where even infinitely many could not show it: then only more scenarios help.
    """
    seen = sought.seen(scenarios)
    left = 0.0 if seen is None else scenarios * (difference / seen) ** 2 - max(between, 0.0)
    return max(1, _ceiling(2 * run / left)) if left > 0 else None


def components(first: Sequence[Numbers], second: Sequence[Numbers]) -> Components | None:
    """Estimate both variances from the runs of two models, given as the values of each scenario, paired.

    `run` pools the variance inside a scenario, mean of both models; `between` is the variance of differences
    of scenario means less what runs add to it, s_1 / K_1 + s_2 / K_2. Both are unbiased. None without a
    scenario in which both have a run. Raises ValueError for unequal numbers of scenarios.
    """
    pairs = [(_known(a), _known(b)) for a, b in zip(first, second, strict=True)]
    pairs = [(a, b) for a, b in pairs if a.size and b.size]
    if not pairs:
        return None
    differences = [float(a.mean() - b.mean()) for a, b in pairs]
    total = float(np.var(differences, ddof=1)) if len(pairs) > 1 else None
    sides = list(zip(*pairs, strict=True))
    inverse = [float(np.mean([1 / len(values) for values in side])) for side in sides]
    one, other = map(_within, sides)
    runs, size = 2 / sum(inverse), len(pairs)
    if one is None or other is None:
        return Components(total, None, None, runs, size)
    between = None if total is None else total - one * inverse[0] - other * inverse[1]
    return Components(total, between, (one + other) / 2, runs, size)


def _variance(runs: float, between: float, run: float) -> float:
    return max(between, 0.0) + 2 * run / runs


def _ceiling(value: float) -> int:
    return math.ceil(value - ROUNDING * value)


def _known(values: Numbers) -> Floats:
    array = floats(values)
    return array[~np.isnan(array)]


def _within(scenarios: Sequence[Floats]) -> float | None:
    """Variance of runs inside their scenario; None with one run in each."""
    spare = sum(len(values) - 1 for values in scenarios)
    return sum(float(values.var()) * len(values) for values in scenarios) / spare if spare else None
