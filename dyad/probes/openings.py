"""Openings: whether a seat that speaks first gives away at once what it is meant to keep to itself."""

from __future__ import annotations

from collections.abc import Sequence

from dyad.judge.transcript import Line
from dyad.library import role_of
from dyad.measure.leak import disclosure, secret_of
from dyad.spec import Item, Scenario, Seat
from dyad.text import has_phrase, met

from .source import Bench
from .talks import Turn, as_lines, history, plain, system

KEPT = ("secret", "limit")  # kinds of items that a seat has no reason to state unasked


def opening(bench: Bench, seed: int, seat: Seat) -> Sequence[str]:
    """Let a seat open the conversation; yes where its first turn states an item that it is to keep."""
    reply = plain(bench.asker(seed)(system(bench, seat, opens=True), history([], seat, bench.scenario.lang)))
    _, spoken = as_lines(bench.scenario, [Turn(seat, reply)], seat)
    kept = [item for item in role_of(bench.library, bench.scenario, seat).private if item.kind in KEPT]
    return ["yes" if any(states(bench.scenario, item, spoken, seat) for item in kept) else "no"]


def states(scenario: Scenario, item: Item, spoken: Sequence[Line], seat: Seat) -> bool:
    """Return whether lines state an item: the secret as the leak measure finds it, others by their phrases.

    An item that names a target counts where the target is named as well.
    """
    if item.kind == "secret":
        return disclosure(secret_of(scenario.truth, scenario.lang), spoken, seat).level == "full"
    said = " ".join(line.text for line in spoken)
    named = all(has_phrase(said, target, scenario.lang) for target in item.target)
    return named and met(item.any, said, scenario.lang)
