"""The family of BayLing-Duplex: what it needs and can do."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from dyad.bridge.protocol import Caps
from dyad.host.family import Hosted, HostParams, hosted
from dyad.host.home import Code, Home, Weights

BLOCK_MS = 800
VOCODER_MS = 410  # it holds back the last five tokens of a block, and a frame of 256 samples
CONTEXT, BLOCK_TOKENS = 8192, 25  # of the language model, which ends there; a block is 10 + 5 + 10 tokens
LICENCE = "glm-4-voice (free for research; commercial use by registration)"

HOME = Home(
    name="bayling_duplex",
    python="3.10",
    code=(
        Code(
            "https://github.com/BayLing-Models/BayLing-Duplex",
            "41669ac04bbcbfaf5b1be3a2cc563e4b3752d041",
            LICENCE,
        ),
    ),
    weights=(
        Weights("BayLing-Models/BayLing-Duplex", LICENCE, 19.0, private=True),  # as its README warns
        Weights("zai-org/glm-4-voice-tokenizer", LICENCE, 0.8),
        Weights("zai-org/glm-4-voice-decoder", LICENCE, 0.6),
    ),
    gpu_gb=23.0,
    row_gb=0.4,
)


class BayLingDuplexParams(HostParams):
    """How its tokens are sampled; the defaults are upstream's."""

    temperature: float = Field(default=0.8, ge=0)
    top_p: float = Field(default=0.8, gt=0, le=1)
    silence_penalty: float = Field(default=0.0, ge=0)


def _caps(params: BayLingDuplexParams) -> Caps:
    return Caps(
        name=HOME.name,
        rate_in=16_000,
        rate_out=22_050,
        chunk_ms=BLOCK_MS,
        lag_ms=BLOCK_MS - 80 + VOCODER_MS,  # a tick of it is the bridge's
        max_batch=16,
        snapshot="state",
        flags=frozenset({"approx_text"}),
        max_seconds=CONTEXT // BLOCK_TOKENS * BLOCK_MS / 1000,
        licence=LICENCE,
    )


FAMILY = hosted(
    Hosted(
        home=HOME,
        params=BayLingDuplexParams,
        caps=_caps,
        inside=Path(__file__).with_name("inside.py"),
        about="BayLing-Duplex 9B, free conversation in blocks of 800 ms",
        render=lambda prompt: "",
    )
)
