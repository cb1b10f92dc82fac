"""What the family of Lychee-FD says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.lychee_fd.family import FAMILY, HOME
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.registry import load
from dyad.spec import AgentSpec, Prompt

DOUBLE = {"upstream": "double"}
ON_GPU = Demand(rows=2, ticks=750, prompts=("",), device="cuda")


def spec(voice: str = "", **params: object) -> AgentSpec:
    return AgentSpec(name="lfd", adapter="lychee_fd", voice=voice, params=params)


def test_it_is_known_by_its_name() -> None:
    assert load("agents", "lychee_fd") is FAMILY


def test_its_caps_are_of_windows_of_five_ticks() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 24_000, 400, 1_280)
    assert (caps.voice, caps.force, caps.snapshot) == ("wav", frozenset(), "none")
    assert not caps.deterministic
    assert caps.max_seconds == pytest.approx(614.4)
    assert FAMILY.caps({"backchannels": True}).flags - caps.flags == {"backchannel"}


def test_as_many_rows_as_engines_fit_into_a_gpu() -> None:
    assert FAMILY.caps({}).max_batch == 2  # self-play
    assert FAMILY.caps({"gpu_share": 0.9}).max_batch == 1
    assert FAMILY.caps({"backend": "hf"}).max_batch == 16


def test_a_role_takes_the_place_of_its_constant_system_message_or_is_not_taken() -> None:
    assert FAMILY.caps({}).prompt == "text"
    assert FAMILY.caps({"role": "none"}).prompt == "none"
    assert FAMILY.render(Prompt(text="You are Ann.")) == "You are Ann."


def test_the_stand_in_has_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert FAMILY.assets(DOUBLE, "default_male") == {"engine": "1", "upstream": "double"}
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match="hf download HIT-TMG/Lychee-FD"):
        FAMILY.assets({}, "")


def test_weights_and_a_voice_of_ones_own_name_what_is_loaded(tmp_path: Path) -> None:
    for weights in HOME.weights:
        (tmp_path / weights.name).mkdir()
    voice = tmp_path / "me.wav"
    voice.write_bytes(b"RIFF")
    named = FAMILY.assets({"weights": str(tmp_path)}, str(voice))
    assert {"HIT-TMG/Lychee-FD", "stepfun-ai/Step-Audio-2-mini", "voice"} < set(named)
    assert named["code:Lychee-FD"] == HOME.code[0].commit


@pytest.mark.parametrize(
    ("wrong", "device", "match"),
    [
        (spec(), "cpu", "'lfd' runs on a GPU only"),
        (spec("default_mail"), "cuda", "default_male"),
        (spec(rows_per_worker=0), "cuda", "set rows_per_worker=1"),
    ],
)
def test_what_cannot_be_is_refused(wrong: AgentSpec, device: str, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        FAMILY.check(wrong, Demand(rows=2, ticks=750, prompts=("",), device=device))


@pytest.mark.parametrize(
    "right", [spec("default_male"), spec("own.wav"), spec(backend="hf", rows_per_worker=0)]
)
def test_what_can_be_passes(right: AgentSpec) -> None:
    FAMILY.check(right, ON_GPU)
    FAMILY.check(spec(**DOUBLE), Demand(rows=2, ticks=750, prompts=("",), device="cpu"))
