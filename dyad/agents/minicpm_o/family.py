"""The family of MiniCPM-o 4.5: what it needs and can do."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from dyad.bridge.protocol import Caps, Demand
from dyad.errors import ConfigError
from dyad.host.family import STEP_AUDIO_VOICE_S, Hosted, HostParams, check_voice, hosted, voice_seconds
from dyad.host.home import Code, Home, Weights
from dyad.spec import AgentSpec, Prompt

UNIT_MS = 1000
SLACK_MS = 40 - 80  # every other unit ends in the middle of a tick; a tick is the bridge's
CARRY_MS = 5  # the first unit is padded to 1,035 ms and 1,030 are taken, so each unit ends 5 ms early
LOOKAHEAD_MS = 120 + 160  # of the vocoder: three speech tokens, and eight frames of its spectrum
VOICE_S = {"ref_en_dlc_1": 7.5, "ref_minicpm_signature": 6.0}  # recordings that upstream's repository holds
VOICES = tuple(VOICE_S)
FRAME_GB = 0.0021  # of what the vocoder remembers of 20 ms: its voice twice, and the last two seconds
PAST_FRAMES, REST_GB = 100, 0.13
NO_ROLE = "Streaming Omni Conversation."  # upstream's own prompt where there is none

HOME = Home(
    name="minicpm_o",
    python="3.10",
    code=(
        Code(
            "https://github.com/OpenBMB/MiniCPM-o-Demo",
            "28b60cfb2a4d7156d045121e9ca2d31cd33f5d5d",
            "Apache-2.0",
        ),
    ),
    weights=(Weights("openbmb/MiniCPM-o-4_5", "Apache-2.0", 20.0),),
    gpu_gb=28.0,
)


class MiniCpmOParams(HostParams):
    """How text and speech are sampled, with the defaults of upstream's demo and its names."""

    decode_mode: Literal["sampling", "greedy"] = "sampling"
    temperature: float = Field(default=0.7, gt=0, le=2)
    top_k: int = Field(default=20, ge=0)
    top_p: float = Field(default=0.8, gt=0, le=1)
    text_repetition_penalty: float = Field(default=1.05, ge=1)
    text_repetition_window_size: int = Field(default=512, ge=1)
    length_penalty: float = Field(default=1.1, ge=0.1, le=5)  # above 1 puts off the end of a turn
    tts_temperature: float = Field(default=0.8, gt=0, le=2)
    force_listen_count: int = Field(default=3, ge=0)  # units at the start in which it may only listen
    yield_on_listen: bool = False  # may end its turn when it would listen; the stock model talks on


def _caps(params: MiniCpmOParams) -> Caps:
    return Caps(
        name=HOME.name,
        rate_in=16_000,
        chunk_ms=UNIT_MS,
        lag_ms=UNIT_MS + SLACK_MS + CARRY_MS + LOOKAHEAD_MS,
        max_batch=16,
        prompt="text",
        voice="wav",
        force=frozenset({"text"}),
        snapshot="state",
        flags=frozenset({"flush", "approx_text"}),
        licence=HOME.weights[0].licence,
    )


def _render(prompt: Prompt) -> str:
    return prompt.text or NO_ROLE


def _check(spec: AgentSpec, demand: Demand, params: MiniCpmOParams) -> None:
    if not spec.voice:
        raise ConfigError(
            f"agent '{spec.name}' is mute without a voice; give agent.{spec.name}.voice=FILE.wav, "
            f"or one of {', '.join(VOICES)}"
        )
    check_voice(spec, VOICES, STEP_AUDIO_VOICE_S)


def _row_gb(voice: str) -> float:
    frames = 50 * (VOICE_S.get(voice) or voice_seconds(voice))
    return REST_GB + FRAME_GB * (2 * frames + PAST_FRAMES)


FAMILY = hosted(
    Hosted(
        home=HOME,
        params=MiniCpmOParams,
        caps=_caps,
        inside=Path(__file__).with_name("inside.py"),
        about="MiniCPM-o 4.5, 9B: takes a role and a voice, listens and speaks in units of one second",
        render=_render,
        check=_check,
        langs=("en", "zh"),
        engine=2,  # 1: rows of a worker shared what their vocoder knew, and each process drew its own noise
        row_gb=_row_gb,
    )
)
