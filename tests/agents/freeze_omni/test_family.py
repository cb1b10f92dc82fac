"""What the family of Freeze-Omni says of itself."""

from __future__ import annotations

from dyad.agents.freeze_omni.family import FAMILY
from dyad.spec import Prompt

DOUBLE = {"upstream": "double"}


def test_its_caps_are_of_units_of_two_ticks() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 24_000, 160, 80)
    assert (caps.prompt, caps.voice, caps.force, caps.snapshot) == ("text", "none", frozenset(), "state")
    assert caps.licence == "academic, research and education only"


def test_it_is_told_the_role_as_it_stands() -> None:
    assert FAMILY.render(Prompt(text="You are Ann.")) == "You are Ann."
    assert FAMILY.langs == ("en", "zh")
