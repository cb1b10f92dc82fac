"""The family of Freeze-Omni: what it needs and can do."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from dyad.bridge.protocol import Caps
from dyad.host.family import Hosted, HostParams, hosted
from dyad.host.home import Code, Home, Weights

UNIT_MS = 160  # 16 frames of 10 ms

HOME = Home(
    name="freeze_omni",
    python="3.10",
    code=(
        Code(
            "https://github.com/VITA-MLLM/Freeze-Omni",
            "3e17af43b4fe64ba9609b4e1ba94c443c45101c0",
            "academic, research and education only",
        ),
    ),
    weights=(
        Weights("VITA-MLLM/Freeze-Omni", "academic, research and education only", 2.5),
        Weights("Qwen/Qwen2-7B-Instruct", "Apache-2.0", 15.2),
    ),
    gpu_gb=20.0,
    row_gb=0.5,
)


class FreezeOmniParams(HostParams):
    """How its text is sampled; upstream's demo has the same defaults."""

    top_k: int = Field(default=20, ge=1)
    top_p: float = Field(default=0.8, gt=0, le=1)
    temperature: float = Field(default=0.8, gt=0)


def _caps(params: FreezeOmniParams) -> Caps:
    return Caps(
        name=HOME.name,
        rate_in=16_000,
        chunk_ms=UNIT_MS,
        lag_ms=UNIT_MS - 80,  # a tick of it is the bridge's
        max_batch=16,
        prompt="text",
        snapshot="state",
        flags=frozenset({"flush", "approx_text"}),
        licence=HOME.weights[0].licence,
    )


FAMILY = hosted(
    Hosted(
        home=HOME,
        params=FreezeOmniParams,
        caps=_caps,
        inside=Path(__file__).with_name("inside.py"),
        about="Freeze-Omni 7B: takes a role, hears in units of 160 ms behind a speech gate",
        langs=("en", "zh"),
        engine=2,  # 2: without a role it has upstream's own
    )
)
