"""The family of Lychee-FD: what it needs and can do."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from dyad.bridge.protocol import Caps, Demand
from dyad.errors import ConfigError
from dyad.host.family import STEP_AUDIO_VOICE_S, Hosted, HostParams, check_voice, hosted
from dyad.host.home import Code, Home, Weights
from dyad.spec import AgentSpec

WINDOW_MS = 400
POSITION_MS = 40  # of each of the streams of tokens
# From a sound that it hears to the first sound that can depend on it: its window, less the tick that is the
# bridge's; two more windows until the vocoder has the 14 tokens that it waits for (ten positions of delay,
# one that marks the start); and the 160 ms that the vocoder holds back to cross-fade.
LAG_MS = (WINDOW_MS - 80) + 2 * WINDOW_MS + 160
ROLE_TOKENS = 1_024  # of the context are left to the role
VOICES = ("default_female", "default_male")
FULL = 0.9  # of a GPU that all engines may take; the vocoders need some of the rest

HOME = Home(
    name="lychee_fd",
    python="3.10",
    code=(
        Code(
            "https://github.com/HITsz-TMG/Lychee-FD",
            "7bb1068c59b578e1f8e65fb762cd26708c14cc6d",
            "Apache-2.0",
        ),
    ),
    weights=(
        Weights("HIT-TMG/Lychee-FD", "Apache-2.0", 20.0, files=("lychee_full_duplex/*",)),
        Weights("stepfun-ai/Step-Audio-2-mini", "Apache-2.0", 1.0, files=("token2wav/*",)),
    ),
    gpu_gb=28.0,
)


class LycheeFdParams(HostParams):
    """Its back end and thresholds; the factors and `backchannels` are as in upstream's server.

    The model was trained with one constant system message. `role: system` puts the role there instead;
    `role: none` leaves the constant, and the agent takes no role.
    """

    backend: Literal["vllm", "hf"] = "vllm"  # the model class that hf needs is not in the published code
    role: Literal["system", "none"] = "system"
    backchannels: bool = False
    start_speak: float = Field(default=1.2, gt=0)  # these factors multiply the logit of a control token
    start_listen: float = Field(default=1.2, gt=0)
    end_speak: float = Field(default=1.0, gt=0)
    context: int = Field(default=16_384, gt=ROLE_TOKENS)  # positions; a second of conversation takes 25
    gpu_share: float = Field(default=0.4, gt=0, le=FULL)  # that each engine of vllm takes
    rows_per_worker: int = Field(default=1, ge=0)  # an engine of vllm keeps one conversation alive


def _caps(params: LycheeFdParams) -> Caps:
    return Caps(
        name=HOME.name,
        rate_in=16_000,
        chunk_ms=WINDOW_MS,
        lag_ms=LAG_MS,
        max_batch=16 if params.backend == "hf" else int(FULL / params.gpu_share),
        prompt="text" if params.role == "system" else "none",
        voice="wav",
        deterministic=params.upstream == "double",  # kernels in bfloat16 promise no equal bits
        flags=frozenset({"flush", *(["backchannel"] if params.backchannels else [])}),
        max_seconds=(params.context - ROLE_TOKENS) * POSITION_MS / 1000,
        licence=HOME.weights[0].licence,
    )


def _check(spec: AgentSpec, demand: Demand, params: LycheeFdParams) -> None:
    check_voice(spec, VOICES, STEP_AUDIO_VOICE_S)
    if params.upstream == "package" and params.backend == "vllm" and params.rows_per_worker != 1:
        raise ConfigError(
            f"agent '{spec.name}' serves one row per worker with backend=vllm; set rows_per_worker=1"
        )


FAMILY = hosted(
    Hosted(
        home=HOME,
        params=LycheeFdParams,
        caps=_caps,
        inside=Path(__file__).with_name("inside.py"),
        about="Lychee-FD: windows of 400 ms; was trained without roles",
        check=_check,
        langs=("en", "zh"),
    )
)
