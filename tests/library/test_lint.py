"""Which rules there are, and how names are compared; what each rule finds is tested in `lint/`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.library.lint import RULES
from dyad.library.names import edit_distance, sound_key, syllables

NAME = st.text("abcdefghiklmnoprstuvwy", min_size=1, max_size=9)
ON_LOADING = "L14"


def test_the_reference_explains_every_rule() -> None:
    page = Path(__file__).parents[2] / "docs" / "scenario_reference.md"
    explained = re.findall(r"^\| (L\d\d) \|", page.read_text("utf-8"), re.M)
    assert explained == [f"L{number:02}" for number in range(1, 18)]
    assert {name for name, _ in RULES} | {ON_LOADING} == set(explained)


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("Kopper", "Copper", True),
        ("Philbert", "Filbert", True),
        ("Sennick", "Zennick", True),
        ("Torvan", "Dorfan", True),
        ("Torvan", "Drayforth", False),
        ("Halvik", "Quessel", False),
    ],
)
def test_sound_key(a: str, b: str, alike: bool) -> None:
    assert (sound_key(a) == sound_key(b)) is alike


@pytest.mark.parametrize(
    ("name", "count"),
    [("Torvan", 2), ("Belmery", 3), ("Amble", 2), ("Rilstone", 2), ("Quessel", 2), ("Pell", 1)],
)
def test_syllables(name: str, count: int) -> None:
    assert syllables(name) == count


@given(NAME, NAME)
def test_edit_distance_is_a_distance(a: str, b: str) -> None:
    apart = edit_distance(a, b)
    assert apart == edit_distance(b, a)
    assert (apart == 0) is (a == b)
    assert abs(len(a) - len(b)) <= apart <= max(len(a), len(b))
    assert edit_distance(a, a + "x") == 1
