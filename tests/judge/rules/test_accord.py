"""What a light yes settles, by when it is said."""

from __future__ import annotations

import pytest

from dyad.judge.rules.accord import find_accord, name_marker
from dyad.judge.transcript import Line

COLOURS = name_marker({"clay": ("clay",), "chalk": ("chalk",)})


@pytest.mark.parametrize(
    ("offer", "mark", "settles"),
    [
        ("It has to be clay.", (), True),
        ("It has to be clay.", ("overlaps A1 1.60-2.00",), False),
        ("It has to be clay.", ("inside A1, A1 keeps the floor",), False),
        ("Shall we take clay?", ("overlaps A1 1.60-2.00",), True),
        ("Shall we take clay?", ("inside A1, A1 keeps the floor",), False),
    ],
)
def test_a_light_yes_said_over_a_statement_is_a_backchannel(
    offer: str, mark: tuple[str, ...], settles: bool
) -> None:
    said = Line("A1", "a", "A", 0, 25, offer)
    answer = Line("B1", "b", "B", 20, 30, "Okay.", marks=mark)
    found = find_accord([said, answer], COLOURS)
    assert (found is not None and found.key == "clay") is settles
