"""Draws: the same for ever, and even in rounds."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from dyad.library.sealed.draw import Draw, digest, rounds


@given(st.text(max_size=20), st.lists(st.integers(), min_size=1, max_size=8, unique=True), st.integers(0, 4))
def test_rounds_hold_every_item_once(seed: str, items: list[int], turns: int) -> None:
    drawn = list(islice(rounds(items, seed), turns * len(items)))
    assert Counter(drawn) == {item: turns for item in items if turns}


def test_a_draw_is_the_same_for_ever() -> None:
    """Mersenne Twister (`Random.random`) seeded with the digest; the numbers must never change."""
    assert digest("s", 1) == "2189817007ca915cd79e5bf1305ea261057fe640eb2d026d80059c2dfe4af751"
    draw = Draw("s", 1)
    assert [draw.below(1000) for _ in range(5)] == [502, 796, 882, 135, 589]


@given(st.text(max_size=20), st.lists(st.integers(), max_size=8), st.data())
def test_some_items_come_from_different_places(seed: str, items: list[int], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, len(items)))
    drawn = Draw(seed).some(items, n)
    assert len(drawn) == n
    assert not Counter(drawn) - Counter(items)
    assert Counter(Draw(seed).shuffled(items)) == Counter(items)


def test_keys_are_told_apart() -> None:
    assert len({digest("a", "b"), digest("ab"), digest("a", "b", ""), digest("a|b")}) == 4
