"""The measures, each with what it draws, how draws become a value, and the value that one hopes for."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from dyad.errors import ConfigError, near
from dyad.library import role_of
from dyad.spec import ARCHETYPES, Archetype, Seat

from . import closed, openings, speech, talks
from .source import Bench

Labels = Sequence[str]


@dataclass(frozen=True)
class Target:
    """The values that are as they should be: from `low` to `high`, without `high` where it is open."""

    low: float = 0.0
    high: float = 1.0
    open: bool = False

    def met(self, value: float) -> bool:
        """Whether a value lies in the target."""
        return self.low <= value and (value < self.high if self.open else value <= self.high)

    def __str__(self) -> str:
        if self.low == 0:
            return f"{'<' if self.open else '<='} {self.high:.3g}"
        return f">= {self.low:.3g}" if self.high == 1 else f"{self.low:.3g} to {self.high:.3g}"


@dataclass(frozen=True)
class Measure:
    """One measure of the archetypes that it fits.

    `draw` asks once, with a seed, and returns labels; `value` makes the labels of all draws one number, None
    where nothing was clear; `target` may depend on how many labels there are.
    """

    name: str
    archetypes: tuple[Archetype, ...]
    draw: Callable[[Bench, int], Labels]
    value: Callable[[Labels], float | None]
    target: Callable[[Labels], Target]
    n: int = 5
    needs: Literal["text", "speech"] = "text"
    fits: Callable[[Bench], bool] = lambda bench: True

    def takes(self, bench: Bench) -> bool:
        """Whether a scenario has what is measured."""
        return bench.scenario.archetype in self.archetypes and self.fits(bench)


def share(labels: Labels) -> float | None:
    """Return the share of yes among all labels; unclear counts as no."""
    return labels.count("yes") / len(labels) if labels else None


def clear_share(labels: Labels) -> float | None:
    """Return the share of yes among the labels that are clear."""
    return share([label for label in labels if label != "unclear"])


def a_share(labels: Labels) -> float | None:
    """Return how often seat a's option was chosen, of the times that one was."""
    return share(["yes" if label == "a" else "no" for label in labels if label in ("a", "b")])


def win_gap(labels: Labels) -> float | None:
    """Return |wins of a − wins of b| per talk that could be judged."""
    clear = [label for label in labels if label != "unclear"]
    return abs(clear.count("a") - clear.count("b")) / len(clear) if clear else None


def two_se(chance: float, n: int) -> float:
    """Return two standard errors of a share of n guesses."""
    return 2 * math.sqrt(chance * (1 - chance) / n) if n else 1.0


def at_most(high: float, labels: Labels) -> Target:
    """Return the target of a value that must not exceed `high`."""
    return Target(high=high)


def below(high: float, labels: Labels) -> Target:
    """Return the target of a value that must stay below `high`."""
    return Target(high=high, open=True)


def at_least(low: float, labels: Labels) -> Target:
    """Return the target of a value that must reach `low`."""
    return Target(low=low)


def guessed(labels: Labels) -> Target:
    """Return the target of guessing among five: at most chance and two standard errors."""
    return Target(high=min(1.0, 0.2 + two_se(0.2, len(labels))))


def indifferent(labels: Labels) -> Target:
    """Return the target of choosing between two: a half, two standard errors of the choices either way."""
    spread = min(0.5, two_se(0.5, labels.count("a") + labels.count("b")))
    return Target(0.5 - spread, 0.5 + spread)


def _keeps(bench: Bench, seat: Seat) -> bool:
    return any(item.kind in openings.KEPT for item in role_of(bench.library, bench.scenario, seat).private)


def _opening(seat: Seat, archetype: Archetype, target: Callable[[Labels], Target]) -> Measure:
    draw, keeps = partial(openings.opening, seat=seat), partial(_keeps, seat=seat)
    return Measure(f"opening_{seat}", (archetype,), draw, share, target, n=20, fits=keeps)


def _has_hotwords(bench: Bench) -> bool:
    return bench.scenario.lang == "en" and bool(speech.hotwords(bench.scenario))


MEASURES: tuple[Measure, ...] = (
    Measure("null", ("t2",), closed.null_pool, share, guessed),
    Measure("null", ("t4_1",), closed.null_option, a_share, indifferent),
    Measure("solo_a", ("t2",), partial(closed.solo, seat="a"), share, partial(at_most, 0.5)),
    Measure("solo_b", ("t2",), partial(closed.solo, seat="b"), share, partial(at_most, 0.5)),
    Measure("oracle", ("t2",), closed.oracle, share, partial(at_least, 0.95)),
    _opening("b", "t4_2", partial(at_most, 0.0)),
    _opening("a", "t4_4", partial(below, 0.1)),
    _opening("b", "t4_4", partial(below, 0.1)),
    Measure("parity", ("t4_1",), talks.parity, win_gap, partial(below, 0.15)),
    Measure("dyad", ARCHETYPES, talks.played, clear_share, partial(at_least, 0.5)),
    Measure(
        "speech",
        ARCHETYPES,
        speech.round_trip,
        share,
        partial(at_least, 0.9),
        needs="speech",
        fits=_has_hotwords,
    ),
)


def measures_named(names: Collection[str]) -> list[Measure]:
    """Return measures by name; `solo` and `opening` stand for both seats. ConfigError for an unknown name."""
    groups = {measure.name.partition("_")[0] for measure in MEASURES}
    known = groups | {measure.name for measure in MEASURES}
    for name in names:
        if name not in known:
            raise ConfigError(f"measures: unknown measure '{name}'{near(name, known)}")
    return [m for m in MEASURES if {m.name, m.name.partition("_")[0]} & {*names}]
