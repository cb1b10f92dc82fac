"""What the family of Freeze-Omni says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.freeze_omni.family import FAMILY, HOME
from dyad.errors import ConfigError
from dyad.registry import load
from dyad.spec import Prompt

DOUBLE = {"upstream": "double"}


def test_it_is_known_by_its_name() -> None:
    assert load("agents", "freeze_omni") is FAMILY


def test_its_caps_are_of_units_of_two_ticks() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 24_000, 160, 80)
    assert (caps.prompt, caps.voice, caps.force, caps.snapshot) == ("text", "none", frozenset(), "state")
    assert caps.licence == "academic, research and education only"


def test_it_is_told_the_role_as_it_stands() -> None:
    assert FAMILY.render(Prompt(text="You are Ann.")) == "You are Ann."
    assert FAMILY.langs == ("en", "zh")


def test_the_stand_in_has_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert FAMILY.assets(DOUBLE, "") == {"engine": "1", "upstream": "double"}
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match="hf download VITA-MLLM/Freeze-Omni"):
        FAMILY.assets({}, "")


def test_weights_name_what_is_loaded(tmp_path: Path) -> None:
    for weights in HOME.weights:
        (tmp_path / weights.name).mkdir()
    named = FAMILY.assets({"weights": str(tmp_path)}, "")
    assert {"VITA-MLLM/Freeze-Omni", "Qwen/Qwen2-7B-Instruct"} < set(named)
    assert named["code:Freeze-Omni"] == HOME.code[0].commit
