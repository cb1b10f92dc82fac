"""The family of NemotronLabs VoiceChat 11B: what it needs and can do."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from dyad.bridge.protocol import Caps, Demand
from dyad.errors import ConfigError
from dyad.host.family import Hosted, HostParams, hosted
from dyad.host.home import Code, Home, Weights
from dyad.spec import TICK_S, AgentSpec

VOICE = "Aria"  # the only one that the weights have
FRAMES = 8_192  # of a stream at most, upstream's own limit

HOME = Home(
    name="nemotron_voicechat",
    python="3.10",
    code=(
        Code("https://github.com/NVIDIA-NeMo/NeMo", "1a2bd8d03e1133281e7c51e65ea1bdfab39ffc95", "Apache-2.0"),
    ),
    weights=(
        Weights("nvidia/NVIDIA-NemotronLabs-VoiceChat-11B", "OpenMDW-1.1", 44.4),
        # of which tokenizer and configuration are used
        Weights(
            "nvidia/NVIDIA-Nemotron-Nano-9B-v2", "NVIDIA Open Model License", 0.02, files=("*.json", "*.py")
        ),
    ),
    gpu_gb=48.0,  # it is loaded in float32, and 22 GB once it is cast
    row_gb=1.0,
)


class NemotronVoicechatParams(HostParams):
    """How it samples and takes turns; the defaults are upstream's.

    `asr_head` says that the checkpoint has one: such a model tells what it hears, and with
    `force_turn_taking` that starts and stops its turns. The published checkpoint has none, and then upstream
    forces nothing.
    """

    top_p: float = Field(default=0.5, gt=0, le=1)
    temperature: float = Field(default=0.3, ge=0)
    repetition_penalty: float = Field(default=1.1, gt=0)
    force_turn_taking: bool = True
    asr_head: bool = False
    llm_cache: bool = True  # else the whole past is computed again in every frame; needs transformers ≥ 5.13
    deterministic: bool = False


def _caps(params: NemotronVoicechatParams) -> Caps:
    return Caps(
        name=HOME.name,
        rate_in=16_000,
        rate_out=22_050,
        lag_ms=80,  # its ears take only the first 10 ms of a frame into account, and the rest with the next
        max_batch=16,
        prompt="text",
        voice="name",
        deterministic=params.deterministic or params.upstream == "double",
        flags=frozenset({"heard_text"} if params.asr_head else ()),
        max_seconds=FRAMES * TICK_S,
        licence=HOME.weights[0].licence,
    )


def _check(spec: AgentSpec, demand: Demand, params: NemotronVoicechatParams) -> None:
    if spec.voice not in ("", VOICE):
        raise ConfigError(
            f"agent '{spec.name}' has no voice '{spec.voice}'; use {VOICE}, the only one it has"
        )


FAMILY = hosted(
    Hosted(
        home=HOME,
        params=NemotronVoicechatParams,
        caps=_caps,
        inside=Path(__file__).with_name("inside.py"),
        about="NVIDIA's NemotronLabs VoiceChat 11B: takes a role, one frame of 80 ms at a time",
        check=_check,
        langs=("en",),
    )
)
