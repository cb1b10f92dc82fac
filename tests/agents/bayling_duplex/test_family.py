"""What the family of BayLing-Duplex says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.bayling_duplex.family import FAMILY
from dyad.errors import ConfigError
from dyad.registry import load
from dyad.spec import Prompt


def test_it_is_known_by_its_name() -> None:
    assert load("agents", "bayling_duplex") is FAMILY


def test_its_caps_are_of_blocks_of_ten_ticks() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 22_050, 800, 1130)
    assert (caps.prompt, caps.voice, caps.force, caps.snapshot) == ("none", "none", frozenset(), "state")
    assert caps.max_seconds == pytest.approx(261.6)


def test_it_is_told_nothing() -> None:
    assert FAMILY.render(Prompt(text="You are Ann.")) == ""


def test_missing_weights_are_named_with_the_way_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match=r"hf download BayLing-Models/BayLing-Duplex \(19 GB\)"):
        FAMILY.assets({}, "")
