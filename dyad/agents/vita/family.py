"""The family of VITA-1.5: what it needs and can do."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from dyad.bridge.protocol import Caps, Demand
from dyad.errors import ConfigError
from dyad.host.family import Hosted, HostParams, folder_of, hosted
from dyad.host.home import Code, Home, Weights
from dyad.spec import AgentSpec

UNIT_MS, WINDOW_MS = 256, 32  # of its gate: what it takes at once, and what it decides on
SILENCE_MS = 17 * WINDOW_MS  # that end a turn: 500 ms are 16 windows, and the first does not count
# From the end of a turn to the answer, at most: the first window of a unit ends the turn, the answer waits
# for the rest of the unit, and sounds from the start of the tick in which that ends, 16 ms or more before.
LAG_MS = SILENCE_MS + UNIT_MS - WINDOW_MS - 16
PREPARED = "origin_config.json"  # what upstream's preparation for vLLM leaves behind

HOME = Home(
    name="vita",
    python="3.10",
    code=(
        Code(
            "https://github.com/VITA-MLLM/VITA",
            "269930b3fa84e99c964eef131efcf4c3b6d8dc48",
            "Apache-2.0",
        ),
    ),
    weights=(Weights("VITA-MLLM/VITA-1.5", "Apache-2.0", 18.0),),
    gpu_gb=40.0,
)


class VitaParams(HostParams):
    """How much of the GPU's memory vLLM takes; the voice needs some of the rest."""

    gpu_share: float = Field(default=0.6, gt=0, lt=1)


def _caps(params: VitaParams) -> Caps:
    return Caps(
        name=HOME.name,
        rate_in=16_000,
        chunk_ms=UNIT_MS,
        lag_ms=LAG_MS,
        max_batch=16,
        snapshot="state",
        deterministic=params.upstream == "double",  # kernels in float16 promise no equal bits
        flags=frozenset({"flush", "approx_text"}),
        licence=HOME.weights[0].licence,
    )


def _check(spec: AgentSpec, demand: Demand, params: VitaParams) -> None:
    if params.upstream == "double":
        return
    folder = folder_of(HOME, HOME.weights[0], params)
    if not (folder / PREPARED).is_file():
        raise ConfigError(
            f"the weights of agent '{spec.name}' in {folder} are not prepared for vLLM; do what upstream's "
            "README says of its web demo with a copy, and give that: agent.vita.weights=FOLDER"
        )


FAMILY = hosted(
    Hosted(
        home=HOME,
        params=VitaParams,
        caps=_caps,
        inside=Path(__file__).with_name("inside.py"),
        about="VITA-1.5 7B, half-duplex: answers after the end of a turn; free conversation",
        render=lambda prompt: "",
        check=_check,
    )
)
