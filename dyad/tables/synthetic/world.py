"""The runs of a made-up study, and the chance of everything in each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from dyad.library import INFO
from dyad.spec import SEATS, Archetype, Seat, other, ticks_at_least
from dyad.stats.values import Floats

from .effects import CUT, Condition, Effects, Tie, tie, truth

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

SHARED = 0.3  # of the variance between scenarios that all cells of a scenario share


@dataclass(frozen=True)
class Runs:
    """The counterbalanced runs of one archetype: arrays over runs. Models are numbers from 0."""

    scenario: Ints
    a: Ints
    b: Ints
    role_of_a: NDArray[np.str_]
    opener: NDArray[np.str_]
    repetition: Ints

    def agent(self, seat: Seat) -> Ints:
        """Return who sits in a seat."""
        return self.a if seat == "a" else self.b

    def in_role_a(self, seat: Seat) -> Bools:
        """Return in which runs a seat plays role a."""
        held: Bools = self.role_of_a == ("a" if seat == "a" else "b")
        return held


@dataclass(frozen=True)
class World:
    """The runs of one archetype under one condition, and the effects behind them.

    Draws of scenarios depend on the seed only, so that conditions share their scenarios.
    """

    runs: Runs
    archetype: Archetype
    condition: Condition
    effects: dict[str, Effects]
    models: int
    seed: int

    @property
    def own(self) -> Effects:
        """The effects on the archetype's score."""
        return self.effects[self.archetype]

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.runs.a)

    @property
    def ticks(self) -> int:
        """Length of each recording."""
        return ticks_at_least(self.condition.window_s)

    @cached_property
    def rng(self) -> np.random.Generator:
        """Draws of runs."""
        name = f"{self.archetype} {self.condition.window_s} {self.condition.channel}"
        return np.random.default_rng([self.seed, crc32(name.encode())])

    @property
    def _both_scored(self) -> bool:
        return INFO[self.archetype].anchor is None and tie(self.archetype) != "symmetric"

    def scored(self) -> Iterator[tuple[Seat, Bools]]:
        """Yield each seat that is scored, and in which runs."""
        every = np.ones(self.size, bool)
        for seat in SEATS:
            yield seat, self.runs.in_role_a(seat) if INFO[self.archetype].anchor else every

    def of(self, values: tuple[float, ...], seat: Seat) -> Floats:
        """Return a number of the model in a seat."""
        return np.resize(np.asarray(values), self.models)[self.runs.agent(seat)]

    def act(self) -> Floats:
        """Return the chance of an act of both, the mean of what each would do."""
        return (self.of(self.own.act, "a") + self.of(self.own.act, "b")) / 2

    def mean(self, score: str, seat: Seat) -> Floats:
        """Return the true mean of a seat's score in each run."""
        runs, e = self.runs, self.effects[score]
        mean = truth(score, e, self.models)[runs.agent(seat), runs.agent(other(seat))]
        opens = np.where(runs.opener == seat, 0.5, -0.5)
        plays = np.where(runs.in_role_a(seat), 0.5, -0.5) if self._both_scored else 0.0
        deaf = self.condition.channel == CUT and score in INFO and not score.startswith("t3")
        return np.clip(mean + e.opener * opens + e.role * plays - e.heard * deaf, 1e-3, 1 - 1e-3)

    def spread(self, mean: Floats, score: str, seat: Seat, part: str = "", how: Tie | None = None) -> Floats:
        """Return the chance in each run: a quantile, that of its scenario, of a Beta with this mean."""
        runs, tied = self.runs, how or tie(score)
        quantiles = self._quantiles(f"{score}{part}", tied)
        at = quantiles[runs.scenario, runs.agent(seat), runs.agent(other(seat))]
        if tied == "complementary" and seat == "b":  # in self-play too, one has what the other has not
            at = np.where(runs.a == runs.b, 1 - at, at)
        return beta(mean, self.effects[score].icc, at)

    def given(self, act: Floats, seat: Seat) -> Floats:
        """Return the chance of a seat's score where the act, of this chance, came before."""
        mean = self.mean(self.archetype, seat) / act
        if (mean >= 1).any():
            raise ValueError(f"{self.archetype}: a score would be more frequent than the act before it")
        return self.spread(mean, self.archetype, seat)

    def chance(self, score: str, seat: Seat) -> Floats:
        """Return the chance of a seat's score in each run."""
        return self.spread(self.mean(score, seat), score, seat)

    def happens(self, chance: Floats | float) -> Bools:
        """Return in which runs something of this chance happens."""
        return self.rng.random(self.size) < chance

    def _quantiles(self, name: str, how: Tie) -> Floats:
        rng = np.random.default_rng([self.seed, crc32(f"{self.archetype} {name}".encode())])
        return quantiles(rng, (int(self.runs.scenario.max()) + 1,), self.models, how)


def quantiles(rng: np.random.Generator, scenarios: tuple[int, ...], models: int, how: Tie) -> Floats:
    """Return where each cell of each scenario lies in its distribution, [*scenarios, models, models]."""
    from scipy.special import ndtr

    own = rng.standard_normal((*scenarios, models, models))
    if how != "free":
        upper = np.triu(own, 1).swapaxes(-1, -2)
        own = np.triu(own) + (upper if how == "symmetric" else -upper)
    if how == "complementary":  # no scenario raises the shares of both
        return np.asarray(ndtr(own))
    of_all = rng.standard_normal((*scenarios, 1, 1))
    return np.asarray(ndtr(np.sqrt(SHARED) * of_all + np.sqrt(1 - SHARED) * own))


def scenario_means(
    score: str, effects: Effects, runs: int, scenarios: tuple[int, ...], rng: np.random.Generator
) -> Floats:
    """Return shares of so many runs in each cell of three models, [*scenarios, 3, 3], without a whole study.

    For `scenarios` (100, 20): of 100 studies with 20 scenarios each. Cells are drawn apart even where the
    scores of two seats are one (`tie`).
    """
    chance = beta(truth(score, effects), effects.icc, quantiles(rng, scenarios, 3, "free"))
    return rng.binomial(runs, chance) / runs


def beta(mean: Floats, icc: float, quantile: Floats) -> Floats:
    """Return quantiles of the Beta distribution with this mean and the variance icc · mean · (1 - mean)."""
    from scipy.special import betaincinv

    if icc <= 0:
        return np.broadcast_to(mean, quantile.shape)
    size = 1 / icc - 1
    return np.asarray(betaincinv(size * mean, size * (1 - mean), quantile))
