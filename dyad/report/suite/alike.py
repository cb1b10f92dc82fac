"""Letters for the numbers of a column: two share one if their intervals overlap by more than 25 %."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice, product
from string import ascii_lowercase

from dyad.suites.colour import Interval, same_colour

HINT = (
    "Letters: numbers of a column share one where their 95 % intervals overlap by more than 25 % of the "
    "shorter, and have none where all do (the colours of arXiv 2609.10765); this is no test."
)


def letters(ends: Sequence[Interval | None]) -> list[str]:
    """Return the letters of each interval: one for every largest group in which each is like each other.

    None has no letter, and nothing has where all are alike.
    """
    known = [i for i, found in enumerate(ends) if found is not None]
    groups = sorted(map(sorted, _cliques({i: _like(i, known, ends) for i in known})))
    if len(groups) < 2:
        return [""] * len(ends)
    names = list(islice(_names(), len(groups)))
    between = " " if len(names[-1]) > 1 else ""  # "ab" is one group then, and "a b" are two
    pairs = list(zip(names, groups, strict=True))
    return [between.join(name for name, group in pairs if i in group) for i in range(len(ends))]


def _names() -> Iterator[str]:
    """Yield a … z, aa, ab …: as many names as are asked for, none of them twice."""
    for size in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=size))


def _like(i: int, known: Sequence[int], ends: Sequence[Interval | None]) -> set[int]:
    return {j for j in known if j != i and same_colour(ends[i], ends[j])}


def _cliques(like: dict[int, set[int]]) -> list[set[int]]:
    """All largest groups whose members are alike pairwise (Bron and Kerbosch 1973)."""
    found: list[set[int]] = []

    def grow(group: set[int], free: set[int], done: set[int]) -> None:
        if not free and not done:
            found.append(group)
        for i in sorted(free):
            grow(group | {i}, free & like[i], done & like[i])
            free, done = free - {i}, done | {i}

    grow(set(), set(like), set())
    return found
