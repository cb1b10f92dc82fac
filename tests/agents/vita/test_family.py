"""What the family of VITA-1.5 says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.vita.family import FAMILY
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.spec import AgentSpec, Prompt

DEMAND = Demand(rows=2, ticks=750, prompts=("",), device="cuda")


def vita(**params: object) -> AgentSpec:
    return AgentSpec(name="v", adapter="vita", params=params)


def test_its_caps_are_of_a_half_duplex_baseline() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 24_000, 256, 752)
    assert (caps.prompt, caps.voice, caps.force, caps.snapshot) == ("none", "none", frozenset(), "state")
    assert not caps.deterministic
    assert FAMILY.caps({"upstream": "double"}).deterministic


def test_it_is_told_nothing() -> None:
    assert FAMILY.render(Prompt(text="You are Ann.")) == ""


def test_its_weights_have_to_be_prepared(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="hf download VITA-MLLM/VITA"):
        FAMILY.check(vita(weights=str(tmp_path / "none")), DEMAND)
    with pytest.raises(ConfigError, match="not prepared for vLLM"):
        FAMILY.check(vita(weights=str(tmp_path)), DEMAND)
    (tmp_path / "origin_config.json").write_text("{}")
    FAMILY.check(vita(weights=str(tmp_path)), DEMAND)
    FAMILY.check(vita(upstream="double"), DEMAND)
