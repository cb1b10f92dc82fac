"""Sealed scenarios: made from a grammar and a seed, published only as hashes until they have been used.

The same seed gives the same bytes. Scenario i of a set does not depend on how many follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dyad.errors import ConfigError, near
from dyad.library.seal import Sealed
from dyad.spec.scenario import Archetype

from . import choice, claim, pool, price, secret
from .draw import Draw, digest
from .record import GENERATOR, Made, sealed

__all__ = ["ARCHETYPES", "GENERATOR", "Grammar", "canary", "generate"]

TRIES = 200  # draws before a frame of situation counts as used up


@dataclass(frozen=True)
class Grammar:
    """How scenarios of one archetype are made: what is balanced over a set, and one scenario to a plan."""

    plans: Callable[[str], Iterator[Any]]
    make: Callable[[Any, Draw], Made | None]


_GRAMMARS: Mapping[Archetype, Grammar] = {
    "t2": Grammar(pool.plans, pool.make),
    "t4_1": Grammar(choice.plans, choice.make),
    "t4_2": Grammar(secret.plans, secret.make),
    "t4_3": Grammar(claim.plans, claim.make),
    "t4_4": Grammar(price.plans, price.make),
}
ARCHETYPES: tuple[Archetype, ...] = tuple(_GRAMMARS)


def canary(seed: str) -> str:
    """Return the string that every file of a set carries, so that its text can be found in training data."""
    return f"dyad-canary-{digest(seed, 'canary')[:32]}"


def generate(archetype: str, n: int, seed: str) -> list[Sealed]:
    """Return n sealed scenarios of an archetype with their roles, no two of them alike.

    Raises ConfigError for an archetype without a grammar, for n below 1, and for more than can be made
    without a duplicate.
    """
    known = next((name for name in ARCHETYPES if name == archetype), None)
    if known is None:
        raise ConfigError(f"archetype: no grammar makes '{archetype}'{near(archetype, ARCHETYPES)}")
    if n < 1:
        raise ConfigError(f"n: {n} scenarios cannot be made; ask for at least 1")
    found = list(islice(_different(known, seed), n))
    if len(found) < n:
        raise ConfigError(f"n: this seed makes {len(found)} different scenarios of {known}; ask for no more")
    mark = canary(seed)
    return [sealed(made, known, seed, index, mark) for index, made in enumerate(found)]


def _different(archetype: Archetype, seed: str) -> Iterator[Made]:
    """Yield scenarios, while there are any, of which no two share all facts, or setting and both briefs."""
    grammar = _GRAMMARS[archetype]
    seen: set[object] = set()
    for index, plan in enumerate(grammar.plans(seed)):
        tries = (grammar.make(plan, Draw(seed, archetype, index, turn)) for turn in range(TRIES))
        made = next((made for made in tries if made and not {made.facts, made.told} & seen), None)
        if made is None:
            return
        seen |= {made.facts, made.told}
        yield made
