"""Which items are drawn, and with which weights."""

from __future__ import annotations

import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from dyad.annotate.sample import Candidate, Drawn, Item, draw, in_order_of

LABELS = st.sampled_from(["yes", "no", "missing"])
KINDS = st.tuples(st.sampled_from(["t1_1", "t2"]), st.sampled_from(["q.one", "q.two"]), LABELS, st.booleans())


@st.composite
def populations(drawing: st.DrawFn) -> list[Candidate]:
    kinds = drawing(st.lists(KINDS, min_size=1, max_size=40))
    return [
        Candidate(Item(run=f"r{i:03d}", question=question, seat=None), archetype, label, disputed)
        for i, (archetype, question, label, disputed) in enumerate(kinds)
    ]


def candidates(**sizes: int) -> list[Candidate]:
    """So many candidates of each label; labels that begin with `disputed` are disputed."""
    return [
        Candidate(
            Item(run=f"{label}{i:03d}", question="q", seat=None), "t2", label, label.startswith("disputed")
        )
        for label, size in sizes.items()
        for i in range(size)
    ]


def labels(drawn: list[Drawn]) -> Counter[str]:
    return Counter(one.item.run.rstrip("0123456789") for one in drawn)


def probabilities(population: list[Candidate], n: int) -> dict[tuple[str, str, str, bool], float]:
    """The probability of each stratum that any of many seeds draws from; the same for all seeds that do."""
    strata = {candidate.item: candidate.stratum for candidate in population}
    found: dict[tuple[str, str, str, bool], set[float]] = {}
    for seed in range(60):
        for one in draw(population, n, seed):
            found.setdefault(strata[one.item], set()).add(one.probability)
    assert all(len(values) == 1 for values in found.values())
    return {stratum: values.pop() for stratum, values in found.items()}


@given(populations(), st.integers(1, 50), st.integers(0, 2**40))
def test_a_sample_has_its_size_no_item_twice_and_strata_share_a_weight(
    population: list[Candidate], n: int, seed: int
) -> None:
    drawn = draw(population, n, seed)
    assert len(drawn) == min(n, len(population))
    assert len({one.item for one in drawn}) == len(drawn)
    strata = {candidate.item: candidate.stratum for candidate in population}
    assert len({(strata[one.item], one.probability) for one in drawn}) == len(
        {strata[one.item] for one in drawn}
    )
    assert all(one.weight >= 1 for one in drawn)


@given(populations(), st.integers(1, 50), st.integers(0, 2**40), st.randoms())
def test_a_sample_follows_from_population_size_and_seed_alone(
    population: list[Candidate], n: int, seed: int, random
) -> None:
    shuffled = list(population)
    random.shuffle(shuffled)
    assert draw(shuffled, n, seed) == draw(population, n, seed)


@given(populations(), st.integers(0, 2**40))
def test_everything_is_drawn_with_weight_one_where_there_is_room(
    population: list[Candidate], seed: int
) -> None:
    drawn = draw(population, len(population), seed)
    assert {one.item for one in drawn} == {candidate.item for candidate in population}
    assert all(one.probability == 1 for one in drawn)


def test_probabilities_of_the_population_add_up_to_the_size_of_the_sample() -> None:
    population = candidates(rare=2, common=50, disputed=9, single=1)
    for n in (1, 3, 7, 20):
        sizes = Counter(candidate.stratum for candidate in population)
        expected = probabilities(population, n)
        assert expected.keys() == sizes.keys(), "with fewer items than strata, each stratum has its chance"
        assert math.isclose(sum(sizes[s] * p for s, p in expected.items()), n)


def test_weights_are_what_seeds_do_on_average() -> None:
    population = candidates(rare=3, common=40, disputed=8)
    seeds = 800
    drawn = [one for seed in range(seeds) for one in draw(population, 7, seed)]
    counts = Counter(one.item for one in drawn)
    stated = {one.item: one.probability for one in drawn}
    assert counts.keys() == {candidate.item for candidate in population}
    for item, count in counts.items():
        spread = math.sqrt(stated[item] * (1 - stated[item]) / seeds)
        assert abs(count / seeds - stated[item]) < 4.5 * spread
    assert abs(sum(one.weight for one in drawn) / seeds - len(population)) < 2


def test_rare_and_disputed_labels_come_up_more_often_than_in_the_study() -> None:
    drawn = draw(candidates(yes=300, no=20, disputed=30), 40, seed=1)
    assert labels(drawn) == {"yes": 10, "no": 10, "disputed": 20}


def test_a_seed_changes_the_items() -> None:
    population = candidates(yes=100)
    assert draw(population, 10, 1) != draw(population, 10, 2)


def test_people_get_the_same_items_in_orders_of_their_own_and_each_conversation_at_one_go() -> None:
    items = [Item(run=f"r{i}", question=question, seat=None) for i in range(8) for question in ("one", "two")]
    drawn = [Drawn(item=item, probability=0.5) for item in items]
    mine, yours = in_order_of(drawn, "AB"), in_order_of(drawn, "CD")
    assert set(mine) == set(yours) == set(drawn)
    assert mine != yours
    for order in (mine, yours):
        runs = [one.item.run for one in order]
        assert [a == b for a, b in zip(runs[::2], runs[1::2], strict=True)] == [True] * 8
    assert in_order_of(drawn[::-1], "AB") == mine
