"""What Raon-SpeechChat says of itself before anything is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.agents.raon.family import BASE, FAMILY, HOME
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.host.process import WorkerDied
from dyad.spec import AgentSpec, Prompt


def spec(voice: str = "", **params: object) -> AgentSpec:
    return AgentSpec(name="raon", adapter="raon", voice=voice, params=params)


def demand(seconds: float) -> Demand:
    return Demand(rows=2, ticks=round(seconds / 0.08), prompts=(BASE,), device="cpu")


def test_it_has_the_clock_of_the_bridge() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms) == (24_000, 24_000, 80)
    assert caps.lag_ms == 160  # a frame in the encoder, a frame in the decoder process
    assert caps.deterministic
    assert caps.snapshot == "none"
    assert caps.force == {"text", "audio"}


def test_acoustic_codes_that_come_late_add_a_frame() -> None:
    caps = FAMILY.caps({"acoustic_delay": 1})
    assert caps.lag_ms == 240
    assert caps.force == {"text"}


@given(st.integers(65, 40_960), st.integers(1, 2_000))
def test_a_frame_takes_three_tokens_at_most(room: int, prompt: int) -> None:
    caps_s = FAMILY.caps({"max_sequence_length": room, "prompt_tokens": prompt}).max_seconds
    frames = round(caps_s / 0.08)
    assert frames == 0 or prompt + 3 + 3 * frames <= room < prompt + 3 + 3 * (frames + 1)


def test_upstreams_own_sampling_is_the_default() -> None:
    params = FAMILY.params()
    names = ("do_sample", "temperature", "top_p", "top_k", "eos_penalty", "sil_penalty", "bc_penalty")
    assert [getattr(params, name) for name in names] == [True, 0.9, 0.95, 66, 0.0, 0.0, 0.0]
    assert getattr(params, "speak_first") == "opener"  # noqa: B009 - of a model that only the family knows


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Your name is Mara.", f"{BASE} Your name is Mara."),
        ("", BASE),
        (f"{BASE} You are Raon, a game host.", f"{BASE} You are Raon, a game host."),
    ],
)
def test_a_role_follows_the_sentence_that_begins_every_prompt(text: str, told: str) -> None:
    assert FAMILY.render(Prompt(text=text)) == told


def test_a_voice_has_no_name_of_its_own() -> None:
    with pytest.raises(ConfigError, match="no voice 'NATF2'; give the path of a wav"):
        FAMILY.check(spec("NATF2"), demand(10))


def test_a_conversation_longer_than_its_cache_is_refused_before_it_starts() -> None:
    FAMILY.check(spec(), demand(180))
    with pytest.raises(ConfigError, match=r"raise agent\.raon\.max_sequence_length"):
        FAMILY.check(spec(), demand(240))
    FAMILY.check(spec(max_sequence_length=16_384), demand(240))


def test_a_missing_environment_is_one_line(tmp_path: Path) -> None:
    for weights in HOME.weights:
        (tmp_path / weights.name).mkdir()
    agent = FAMILY.make({"env": str(tmp_path / "env"), "weights": str(tmp_path)})
    with pytest.raises(WorkerDied, match="did not start") as raised:
        agent.load("cpu")
    assert "\n" not in str(raised.value)
