"""Which questions about which conversations people are asked: a stratified random sample with known weights.

A stratum holds one question of one archetype with one machine label, and whether the machine judges dispute
it. Strata take turns, disputed ones twice in each round, until the sample is full: so rare labels and
disputed ones come up more often than in the study, and the weights put that right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from pydantic import Field

from dyad.spec import Frozen, Seat, digest

DISPUTED = 2  # how often a disputed stratum is served per round


class Item(Frozen):
    """One question about one run; `seat` is a bridge seat, None for the pair."""

    run: str
    question: str
    seat: Seat | None


class Drawn(Frozen):
    """An item of the sample and the probability with which it came into it."""

    item: Item
    probability: float = Field(gt=0, le=1)

    @property
    def weight(self) -> float:
        """How many items of the study it stands for."""
        return 1 / self.probability


class Candidate(NamedTuple):
    """An item that could be drawn. `label` is the machine's, with open sets as one: a name is a name."""

    item: Item
    archetype: str
    label: str
    disputed: bool = False

    @property
    def stratum(self) -> Stratum:
        """What it is drawn among."""
        return self.archetype, self.item.question, self.label, self.disputed


Stratum: TypeAlias = tuple[str, str, str, bool]


def draw(candidates: Sequence[Candidate], n: int, seed: int) -> list[Drawn]:
    """Return n items, all where there are fewer, sorted; the order of `candidates` is of no account.

    Within a stratum every item has the same probability, and the probabilities of all candidates add up to
    the size of the sample.
    """
    strata: dict[Stratum, list[Item]] = defaultdict(list)
    for candidate in candidates:
        strata[candidate.stratum].append(candidate.item)
    sizes = {stratum: len(items) for stratum, items in sorted(strata.items())}
    counts, expected = _shares(sizes, n, seed)
    drawn = [
        Drawn(item=item, probability=expected[stratum] / sizes[stratum])
        for stratum, items in strata.items()
        for item in shuffled(items, seed)[: counts[stratum]]
    ]
    return sorted(drawn, key=lambda one: _place(one.item))


def shuffled(items: Sequence[Item], *seeds: int | str) -> list[Item]:
    """Return items in a random order that follows from the seeds alone."""
    return sorted(items, key=lambda item: digest([*seeds, *_place(item)]))


def in_order_of(drawn: Sequence[Drawn], by: str) -> list[Drawn]:
    """Return a sample in the order of one person: conversations shuffled, each with all of its questions."""
    return sorted(
        drawn, key=lambda one: (digest([by, one.item.run]), one.item.run, digest([by, *_place(one.item)]))
    )


def _shares(
    sizes: Mapping[Stratum, int], n: int, seed: int
) -> tuple[Mapping[Stratum, int], Mapping[Stratum, float]]:
    """Return how many items each stratum gives, and how many it gives on average over seeds.

    Whole rounds are certain. Of a last round that is not whole, chance takes some turns: with fewer items
    than strata every stratum still has its chance, and a weight.
    """
    counts: Counter[Stratum] = Counter()
    left = n
    while (turns := _round(sizes, counts)) and len(turns) <= left:
        counts.update(turns)
        left -= len(turns)
    lucky = sorted(range(len(turns)), key=lambda i: digest([seed, "turn", i, *turns[i]]))[:left]
    share = left / len(turns) if turns else 0.0
    due = Counter(turns)
    expected = {stratum: counts[stratum] + share * due[stratum] for stratum in sizes}
    return counts + Counter(turns[i] for i in lucky), expected


def _round(sizes: Mapping[Stratum, int], counts: Mapping[Stratum, int]) -> list[Stratum]:
    """The turns of one round: one per stratum with items left, more where judges dispute."""
    turns: list[Stratum] = []
    for stratum, size in sizes.items():
        turns += [stratum] * min(size - counts[stratum], DISPUTED if stratum[-1] else 1)
    return turns


def _place(item: Item) -> tuple[str, str, str]:
    return item.run, item.question, item.seat or ""
