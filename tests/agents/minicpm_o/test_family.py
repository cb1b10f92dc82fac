"""What the family of MiniCPM-o says of itself, before anything is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from pydantic import ValidationError

from dyad.agents.minicpm_o.family import FAMILY, VOICES
from dyad.bridge.protocol import Demand
from dyad.errors import ConfigError
from dyad.host.family import DOUBLES
from dyad.spec import AgentSpec, Prompt

VOICE = "ref_en_dlc_1"


def check(voice: str) -> None:
    spec = AgentSpec(name="mcpm", adapter="minicpm_o", voice=voice)
    FAMILY.check(spec, Demand(rows=1, ticks=100, prompts=("",), device="cuda"))


def test_its_delay_is_that_of_its_parts() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms) == (16_000, 24_000, 1000)
    assert caps.lag_ms == 1000 - 80 + 40 + 5 + 120 + 160
    assert caps.force == {"text"}
    assert (caps.prompt, caps.voice, caps.snapshot) == ("text", "wav", "state")


def test_its_defaults_are_those_of_the_demo() -> None:
    params = FAMILY.params().model_dump()
    demo = {"decode_mode": "sampling", "temperature": 0.7, "top_k": 20, "top_p": 0.8, "length_penalty": 1.1}
    demo |= {"text_repetition_penalty": 1.05, "text_repetition_window_size": 512}
    demo |= {"tts_temperature": 0.8, "force_listen_count": 3}
    assert {name: params[name] for name in demo} == demo
    assert params["yield_on_listen"] is False


@pytest.mark.parametrize(
    "wrong", [{"temperature": 0.0}, {"top_p": 0.0}, {"decode_mode": "sample"}, {"force_listen_count": -1}]
)
def test_parameters_have_limits(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FAMILY.params(**wrong)


def test_it_is_told_its_role_and_something_where_there_is_none() -> None:
    assert FAMILY.render(Prompt(text="Your name is Mara.")) == "Your name is Mara."
    assert FAMILY.render(Prompt(text="")) == "Streaming Omni Conversation."


@pytest.mark.parametrize("voice", [VOICE, "ref_minicpm_signature", "my/own.wav", "own.flac"])
def test_it_takes_a_name_or_a_file_as_its_voice(voice: str) -> None:
    check(voice)


def test_without_a_voice_it_says_how_to_give_one() -> None:
    with pytest.raises(ConfigError, match=r"^agent 'mcpm' is mute .* agent\.mcpm\.voice=FILE\.wav") as raised:
        check("")
    assert "\n" not in str(raised.value)


def test_a_voice_that_it_has_not_is_refused_with_the_near_one() -> None:
    with pytest.raises(ConfigError, match="did you mean 'ref_en_dlc_1'"):
        check("ref_en_dlc")


def test_the_double_has_the_voices_that_are_named() -> None:
    assert all((DOUBLES / "minicpm_o/assets/ref_audio" / f"{name}.wav").is_file() for name in VOICES)


def recording(path: Path, seconds: float) -> str:
    soundfile.write(path, np.zeros(round(8_000 * seconds), np.float32), 8_000)
    return str(path)


def test_a_voice_that_the_vocoder_has_no_room_for_is_refused(tmp_path: Path) -> None:
    check(recording(tmp_path / "fits.wav", 15.0))
    with pytest.raises(ConfigError, match=r"long\.wav of agent 'mcpm' lasts 15\.1 s, and 15 s is the most"):
        check(recording(tmp_path / "long.wav", 15.1))
    (tmp_path / "text.wav").write_text("no sound")
    with pytest.raises(ConfigError, match=r"text\.wav cannot be read"):
        check(str(tmp_path / "text.wav"))


def test_memory_is_that_of_weights_and_of_rows_by_their_voice(tmp_path: Path) -> None:
    """Of every 20 ms the flow keeps 16 · 16 · 2 · 8 · 128 floats: of the voice twice, and of the last 2 s."""
    demand = Demand(rows=4, ticks=100, prompts=("",), device="cuda")
    for voice, frames in [(VOICE, 375), (recording(tmp_path / "own.wav", 10.0), 500)]:
        room = FAMILY.room(AgentSpec(name="mcpm", adapter="minicpm_o", voice=voice, params={}), demand)
        assert room is not None
        assert room.weights_bytes == 28_000_000_000
        kept = (2 * frames + 100) * 16 * 16 * 2 * 8 * 128 * 4
        assert 1.0 < room.row_bytes / kept < 1.1
