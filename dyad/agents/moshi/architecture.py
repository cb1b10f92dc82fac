"""The shape of a model of the Moshi family, read from Kyutai's config.json or built in, and what it costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from dyad.agents.moshi.params import Dtype
from dyad.errors import ConfigError
from dyad.spec.base import Frozen

STREAMS = 8  # codebooks per speaker
DELAYS = (0, *(0, *(1,) * 7) * 2)  # text | own | user: acoustic codes come one frame after the semantic one
CONTEXT = 3000  # positions that the released models look back over: 240 s
RING_STEP = 64  # rings come in few sizes, so that few shapes are compiled and captured
SPARE = 8  # ring positions beyond the last tick: delays and the hand-over of a prompt
BYTES = {"float32": 4, "bfloat16": 2}

# Keys of config.json that do not describe the language model itself.
BESIDE = {"moshi_name", "mimi_name", "tokenizer_name", "mimi_config_name", "lm_gen_config", "model_id"}
BESIDE |= {"depformer_causal", "lora_rank", "lora_scaling"}
# Keys that describe another kind of model unless they are empty.
FOREIGN = {"lora", "lora_name", "quantize", "conditioners", "fuser", "tts_config", "stt_config"}
FOREIGN |= {"extra_heads_num_heads", "demux_second_stream", "demux_second_text_stream"}


class Architecture(Frozen):
    """Arguments of `moshi`'s LMModel. Defaults are the 7 B model; fixed values are all that dyad plays."""

    dim: int = Field(default=4096, ge=8)
    text_card: int = Field(default=32_000, ge=8)
    existing_text_padding_id: Literal[3] = 3
    existing_text_end_padding_id: Literal[0] = 0
    n_q: Literal[16] = 16
    dep_q: Literal[8, 16] = 8
    card: int = Field(default=2048, ge=2)
    num_heads: int = Field(default=32, ge=1)
    num_layers: int = Field(default=32, ge=1)
    hidden_scale: float = Field(default=4.125, gt=0)
    causal: Literal[True] = True
    layer_scale: None = None
    context: int = Field(default=CONTEXT, ge=32)
    max_period: float = Field(default=10_000, gt=0)
    gating: Literal["silu"] = "silu"
    norm: Literal["rms_norm_f32"] = "rms_norm_f32"
    positional_embedding: Literal["rope"] = "rope"
    depformer_dim: int = Field(default=1024, ge=8)
    depformer_dim_feedforward: int = Field(default=4224, ge=8)
    depformer_num_heads: int = Field(default=16, ge=1)
    depformer_num_layers: int = Field(default=6, ge=1)
    depformer_layer_scale: None = None
    depformer_multi_linear: Literal[True] = True
    depformer_context: int = Field(default=8, ge=8)
    depformer_max_period: float = Field(default=10_000, gt=0)
    depformer_gating: Literal["silu"] = "silu"
    depformer_pos_emb: Literal["none"] = "none"
    depformer_weights_per_step: Literal[True] = True
    delays: tuple[int, ...] = DELAYS

    @field_validator("delays")
    @classmethod
    def _delays(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        # a file for both speakers may list only one speaker's or both speakers' delays; dyad plays this grid
        if value != DELAYS:
            raise ValueError(f"needs {list(DELAYS)}")
        return value

    def lm_kwargs(self) -> dict[str, Any]:
        """Return the arguments of an LMModel that makes one speaker's codes."""
        return self.model_dump() | {"dep_q": STREAMS, "delays": list(self.delays)}


FULL = Architecture()
TINY = Architecture(
    dim=64,
    text_card=48,
    card=64,
    num_heads=4,
    num_layers=2,
    depformer_dim=32,
    depformer_dim_feedforward=132,
    depformer_num_heads=2,
    depformer_num_layers=2,
)
MID = TINY.model_copy(
    update={
        "dim": 512,
        "num_heads": 8,
        "num_layers": 8,
        "depformer_dim": 256,
        "depformer_dim_feedforward": 1056,
        "depformer_num_heads": 4,
        "depformer_num_layers": 6,
    }
)
RANDOM_ARCHITECTURES = {"tiny": TINY, "66m": MID, "7b": FULL}


def architecture_of(path: Path, config: dict[str, Any]) -> Architecture:
    """Return the architecture that a config.json of Kyutai's form describes; `path` is named in errors.

    Raises ConfigError when it describes a model that this engine cannot run.
    """
    if (kind := config.get("model_type", "moshi")) != "moshi":
        raise ConfigError(f"{path} describes a '{kind}' model; this agent plays Moshi dialogue models")
    if foreign := sorted(key for key in FOREIGN if config.get(key)):
        raise ConfigError(
            f"{path}: '{foreign[0]}' is not supported; merge or export a plain Moshi model first"
        )
    beside = BESIDE | FOREIGN | {"model_type"}
    # null is the default, and a switch that dyad does not know and that is off changes nothing
    beside |= {
        k for k, v in config.items() if v is None or (v is False and k not in Architecture.model_fields)
    }
    plain = {k: v for k, v in config.items() if k not in beside}
    try:
        return Architecture.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise ConfigError(
            f"{path}: {where} = {first['input']!r} is not supported ({message[0].lower()}{message[1:]}); "
            "this agent plays models built like Moshi 7B"
        ) from None


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; raises ConfigError when there is none."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} is no JSON file ({error}); copy it again") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path} holds no JSON object; copy it again")
    return content


def ring_frames(context: int, ticks: int, prompt_frames: int) -> int:
    """Return how many positions a row's key-value ring needs for a conversation, prompts included."""
    needed = ticks + prompt_frames + SPARE
    return min(context, -(-needed // RING_STEP) * RING_STEP)


def lm_parameters(shape: Architecture) -> int:
    """Return the number of parameters of the language model that plays one speaker."""
    dim, depth = shape.dim, shape.depformer_dim
    embeddings = (shape.n_q * (shape.card + 1) + shape.text_card + 1) * dim
    temporal = shape.num_layers * _layer(dim, int(shape.hidden_scale * dim), 1) + dim
    depformer = shape.depformer_num_layers * _layer(depth, shape.depformer_dim_feedforward, STREAMS)
    inputs = STREAMS * dim + (STREAMS - 1) * (shape.card + 1) + shape.text_card + 1
    return embeddings + shape.text_card * dim + temporal + depformer + (inputs + STREAMS * shape.card) * depth


def _layer(dim: int, feedforward: int, steps: int) -> int:
    """Parameters of one transformer layer: attention and gated feed-forward per step, two norms."""
    hidden = 21 * dim // 8 if feedforward == 4 * dim else 2 * feedforward // 3
    return steps * (4 * dim * dim + 3 * dim * hidden) + 2 * dim


def lm_bytes(shape: Architecture, dtype: Dtype) -> int:
    """Return the bytes of the language model's weights."""
    return lm_parameters(shape) * BYTES[dtype]


def ring_bytes(shape: Architecture, frames: int, dtype: Dtype) -> int:
    """Return the bytes of one row's key-value ring."""
    return frames * 2 * shape.num_layers * shape.dim * BYTES[dtype]
