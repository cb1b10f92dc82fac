"""What the family of BayLing-Duplex says of itself."""

from __future__ import annotations

import pytest

from dyad.agents.bayling_duplex.family import FAMILY
from dyad.spec import Prompt


def test_its_caps_are_of_blocks_of_ten_ticks() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 22_050, 800, 1130)
    assert (caps.prompt, caps.voice, caps.force, caps.snapshot) == ("none", "none", frozenset(), "state")
    assert caps.max_seconds == pytest.approx(261.6)


def test_it_is_told_nothing() -> None:
    assert FAMILY.render(Prompt(text="You are Ann.")) == ""
