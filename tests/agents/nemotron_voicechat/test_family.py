"""What the family of NemotronLabs VoiceChat says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.nemotron_voicechat.family import FAMILY
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.spec import AgentSpec, Prompt


def check(voice: str) -> None:
    spec = AgentSpec(name="nvc", adapter="nemotron_voicechat", voice=voice)
    FAMILY.check(spec, Demand(rows=2, ticks=750, prompts=("",), device="cuda"))


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


@pytest.mark.parametrize("voice", ["Ariel", "my/own.wav"])
def test_it_has_one_voice(voice: str) -> None:
    check("Aria")
    check("")
    with pytest.raises(ConfigError, match=f"no voice '{voice}'; use Aria"):
        check(voice)


def test_its_past_is_not_computed_again_in_every_frame() -> None:
    assert FAMILY.params().model_dump()["llm_cache"] is True


def test_of_its_base_model_no_weights_are_fetched(tmp_path: Path) -> None:
    """Two repositories in a folder: the checkpoint whole, and what describes the base model."""
    for name in ("config.json", "model.safetensors"):
        file = tmp_path / "NVIDIA-NemotronLabs-VoiceChat-11B" / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
    spec = AgentSpec(name="nvc", adapter="nemotron_voicechat", params={"weights": str(tmp_path)})
    lacks = [part.lack for part in FAMILY.parts(spec, "cuda") if part.kind == "weights" and part.lack]
    assert len(lacks) == 1
    base = "nvidia/NVIDIA-Nemotron-Nano-9B-v2"
    assert f"hf download {base} --include '*.json' --include '*.py' (0.02 GB)" in lacks[0]
    (tmp_path / "NVIDIA-Nemotron-Nano-9B-v2").mkdir()
    for name in ("config.json", "tokenizer.json", "configuration_nemotron_h.py"):
        (tmp_path / "NVIDIA-Nemotron-Nano-9B-v2" / name).touch()
    assert not [part for part in FAMILY.parts(spec, "cuda") if part.kind == "weights" and part.lack]
