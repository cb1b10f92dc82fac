"""Chance from a key: the same key gives the same draws, on every machine and Python version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Generic, TypeVar

from dyad.spec.base import SEATS, Seat, canonical_json

T = TypeVar("T")


def digest(*key: str | int) -> str:
    """Return the SHA-256 of a key, as hexadecimal digits."""
    return hashlib.sha256(canonical_json(list(key)).encode()).hexdigest()


class Draw:
    """Draws from one key, all by `Random.random`: the only sequence that Python promises not to change."""

    def __init__(self, *key: str | int) -> None:
        self._random = Random(digest(*key))

    def below(self, n: int) -> int:
        """Return a whole number in [0, n)."""
        return int(self._random.random() * n)

    def one(self, items: Sequence[T]) -> T:
        """Return one item."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], n: int) -> tuple[T, ...]:
        """Return n items from different places, in the order drawn."""
        left = list(items)
        return tuple(left.pop(self.below(len(left))) for _ in range(n))

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return all items in an order drawn."""
        return self.some(items, len(items))


def rounds(items: Sequence[T], *key: str | int) -> Iterator[T]:
    """Yield items for ever, each once per round and each round in an order of its own."""
    for turn in count():
        yield from Draw(*key, turn).shuffled(items)


@dataclass(frozen=True)
class Sided(Generic[T]):
    """What is balanced over a set of two sides: the frame of situation, and the seat that comes first."""

    frame: T
    first: Seat


def sided(frames: Sequence[T], seed: str, archetype: str) -> Iterator[Sided[T]]:
    """Yield plans in which every frame, and either seat as the first, comes equally often."""
    return map(Sided, rounds(frames, seed, archetype, "frame"), rounds(SEATS, seed, archetype, "first"))
