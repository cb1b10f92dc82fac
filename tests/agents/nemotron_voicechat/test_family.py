"""What the family of NemotronLabs VoiceChat says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.nemotron_voicechat.family import FAMILY, HOME
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.registry import load
from dyad.spec import AgentSpec, Prompt

DOUBLE = {"upstream": "double"}


def demand(device: str) -> Demand:
    return Demand(rows=2, ticks=750, prompts=("",), device=device)


def spec(voice: str = "", **params: object) -> AgentSpec:
    return AgentSpec(name="nvc", adapter="nemotron_voicechat", voice=voice, params=params)


def test_it_is_known_by_its_name() -> None:
    assert load("agents", "nemotron_voicechat") is FAMILY


def test_its_caps_are_of_single_frames() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 22_050, 80, 80)
    assert (caps.prompt, caps.voice, caps.force, caps.snapshot) == ("text", "name", frozenset(), "none")
    assert caps.max_seconds == pytest.approx(655.36)


def test_it_tells_what_it_hears_only_if_the_checkpoint_can() -> None:
    assert FAMILY.caps({}).flags == frozenset()
    assert FAMILY.caps({"asr_head": True}).flags == {"heard_text"}


def test_it_repeats_itself_only_where_upstream_is_told_to() -> None:
    assert not FAMILY.caps({}).deterministic
    assert FAMILY.caps({"deterministic": True}).deterministic


def test_it_is_told_the_role_as_it_stands() -> None:
    assert FAMILY.render(Prompt(text="You are Ann.")) == "You are Ann."
    assert FAMILY.langs == ("en",)


def test_the_stand_in_has_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert FAMILY.assets(DOUBLE, "Aria") == {"engine": "1", "upstream": "double"}
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match="hf download nvidia/NVIDIA-NemotronLabs-VoiceChat-11B"):
        FAMILY.assets({}, "Aria")


def test_weights_name_what_is_loaded(tmp_path: Path) -> None:
    for weights in HOME.weights:
        (tmp_path / weights.name).mkdir()
    named = FAMILY.assets({"weights": str(tmp_path)}, "Aria")
    assert {weights.repo for weights in HOME.weights} < set(named)
    assert named["code:NeMo"] == HOME.code[0].commit


@pytest.mark.parametrize(
    ("wrong", "device", "match"),
    [(spec(), "cpu", "'nvc' runs on a GPU only"), (spec("Ariel"), "cuda", "no voice 'Ariel'; use Aria")],
)
def test_what_cannot_be_is_refused(wrong: AgentSpec, device: str, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        FAMILY.check(wrong, demand(device))


def test_what_can_be_passes() -> None:
    FAMILY.check(spec("Aria"), demand("cuda"))
    FAMILY.check(spec(**DOUBLE), demand("cpu"))
