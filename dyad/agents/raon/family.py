"""The family of Raon-SpeechChat: what it needs and can do."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from dyad.bridge.protocol import Caps, Demand
from dyad.errors import ConfigError
from dyad.host.family import Hosted, HostParams, check_voice, hosted
from dyad.host.home import Code, Home, Weights
from dyad.spec import TICK_S, AgentSpec, Prompt

FRAME_MS = 80
FRAME_TOKENS = 3  # at most: heard, said, and one of text
PREFIX_TOKENS = 3  # beside the prompt: the speaker, and two that open the own turn
# From the end of a frame that it hears to the first frame of sound that can depend on it. The causal
# encoder works on groups of 8 spectra, whose windows reach beyond the frame: the model sees it a step later,
# but for its first 2.5 ms. And the sound of a step comes from the decoder process in the step after.
LAG_MS = 2 * FRAME_MS
BASE = "You are engaging in real-time conversation."  # how every prompt of its training began

HOME = Home(
    name="raon",
    python="3.11",
    code=(
        Code(
            "https://github.com/krafton-ai/Raon-Speech",
            "afec41185e27653aa905d4ad28a7b8497681275e",
            "Apache-2.0",
            folder="src",
        ),
    ),
    weights=(
        Weights("KRAFTON/Raon-SpeechChat-9B", "terms of its model card", 25.0),
        Weights("speechbrain/spkrec-ecapa-voxceleb", "Apache-2.0", 0.1),
    ),
    gpu_gb=25.0,
    row_gb=1.5,
)


class RaonParams(HostParams):
    """Sampling as in upstream's configuration of full-duplex inference, and the room of a conversation."""

    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    attention: Literal["sdpa", "eager", "flash_attention_2"] = "sdpa"
    do_sample: bool = True
    temperature: float = Field(default=0.9, gt=0)
    top_k: int = Field(default=66, ge=0)  # 0 = all
    top_p: float = Field(default=0.95, gt=0, le=1)
    eos_penalty: float = Field(default=0.0, ge=0)  # taken from the logit of going on without a word
    sil_penalty: float = Field(default=0.0, ge=0)  # from that of falling, or staying, silent
    bc_penalty: float = 0.0  # from that of a backchannel; below 0 asks for more of them
    # who begins at once; the others' first two frames are silent. Upstream's demo: never
    speak_first: Literal["opener", "always", "never"] = "opener"
    max_sequence_length: int = Field(default=8_192, gt=64, le=40_960)  # tokens of a whole conversation
    prompt_tokens: int = Field(default=1_024, gt=0)  # of them are kept for the prompt
    acoustic_delay: Literal[0, 1] = 0  # frames; the checkpoint says it, and must agree


def _caps(params: RaonParams) -> Caps:
    frames = (params.max_sequence_length - params.prompt_tokens - PREFIX_TOKENS) // FRAME_TOKENS
    return Caps(
        name=HOME.name,
        chunk_ms=FRAME_MS,
        lag_ms=LAG_MS + FRAME_MS * params.acoustic_delay,
        max_batch=16,
        prompt="text",
        voice="wav",
        # codes that come a frame late cannot be forced together with those that do not
        force=frozenset({"text"} if params.acoustic_delay else {"text", "audio"}),
        flags=frozenset({"backchannel"}),
        max_seconds=round(max(0, frames) * TICK_S, 2),
        licence=HOME.weights[0].licence,
    )


def _render(prompt: Prompt) -> str:
    """Return a role as the model was trained to be told it: after the sentence that begins every prompt."""
    text = prompt.text.strip()
    return text if text.startswith(BASE) else f"{BASE} {text}".strip()


def _check(spec: AgentSpec, demand: Demand, params: RaonParams) -> None:
    check_voice(spec)
    most_s = _caps(params).max_seconds
    if demand.ticks * TICK_S > most_s:
        raise ConfigError(
            f"agent '{spec.name}' has room for {most_s:g} s, not {demand.ticks * TICK_S:g} s; "
            f"shorten window_s or raise agent.{spec.name}.max_sequence_length"
        )


FAMILY = hosted(
    Hosted(
        home=HOME,
        params=RaonParams,
        caps=_caps,
        inside=Path(__file__).with_name("inside.py"),
        about="KRAFTON's Raon-SpeechChat 9B: full duplex with a role, a voice and backchannels, in English",
        render=_render,
        check=_check,
        langs=("en",),
    )
)
