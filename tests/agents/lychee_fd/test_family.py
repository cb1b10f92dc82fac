"""What the family of Lychee-FD says of itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.agents.lychee_fd.family import FAMILY
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.spec import AgentSpec, Prompt

DEMAND = Demand(rows=2, ticks=750, prompts=("",), device="cuda")


def spec(voice: str = "", **params: object) -> AgentSpec:
    return AgentSpec(name="lfd", adapter="lychee_fd", voice=voice, params=params)


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


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        (spec("default_mail"), "did you mean 'default_male'"),
        (spec(rows_per_worker=0), "set rows_per_worker=1"),
    ],
)
def test_what_cannot_be_is_refused(wrong: AgentSpec, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        FAMILY.check(wrong, DEMAND)


@pytest.mark.parametrize(
    "right",
    [
        spec("default_male"),
        spec("own.wav"),
        spec(backend="hf", rows_per_worker=0),
        spec(upstream="double", rows_per_worker=0),
    ],
)
def test_what_can_be_passes(right: AgentSpec) -> None:
    FAMILY.check(right, DEMAND)


def test_a_voice_that_the_vocoder_has_no_room_for_is_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "long.wav", np.zeros(121_000, np.float32), 8_000)
    with pytest.raises(ConfigError, match=r"long\.wav of agent 'lfd' lasts 15\.1 s, and 15 s is the most"):
        FAMILY.check(spec(str(tmp_path / "long.wav")), DEMAND)
