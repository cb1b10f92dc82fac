"""Parameters of the Moshi family, and what follows from them without loading anything."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from dyad.errors import near
from dyad.spec.base import Frozen

HUB = "hub"
RANDOM = "random:"
RANDOM_SIZES = ("tiny", "66m", "7b")
# Parameters that say where and on what a model runs; what it holds is named by its assets.
LOCAL = ("weights", "device", "threads")

Dtype = Literal["float32", "bfloat16"]


class AnyParams(Frozen):
    """What every model of the family takes. A temperature of 0 is greedy."""

    official: ClassVar[tuple[str, ...]] = ()

    checkpoint: str = ""  # of `official`
    weights: str = HUB  # hub | random:tiny | random:66m | random:7b | a folder
    revision: str = Field(default="main", pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")  # of the hub
    device: str = ""  # cpu | cuda | cuda:N; empty = the launcher's
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"  # auto = bfloat16 on CUDA, float32 on a CPU
    threads: int = Field(default=1, ge=1, le=1024)  # of torch on a CPU
    temp: float = Field(default=0.8, ge=0.0, le=100.0)  # of the audio codes
    temp_text: float = Field(default=0.7, ge=0.0, le=100.0)
    top_k: int = Field(default=250, ge=1)
    top_k_text: int = Field(default=25, ge=1)
    random_seed: int = Field(default=0, ge=0, lt=2**31)  # of random weights

    @field_validator("checkpoint")
    @classmethod
    def _checkpoint(cls, value: str) -> str:
        if value not in cls.official:
            raise ValueError(f"no such checkpoint{near(value, cls.official)}")
        return value

    @field_validator("weights")
    @classmethod
    def _weights(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("needs hub, random:SIZE or a folder")
        size = value.removeprefix(RANDOM)
        if value.startswith(RANDOM) and size not in RANDOM_SIZES:
            raise ValueError(f"no random weights of this size{near(size, RANDOM_SIZES)}")
        return value

    @field_validator("device")
    @classmethod
    def _device(cls, value: str) -> str:
        if value and not re.fullmatch(r"cpu|cuda(:\d{1,3})?", value):
            raise ValueError("needs cpu, cuda or cuda:N; empty means the launcher's device")
        return value

    @property
    def random_size(self) -> str:
        """The size of random weights (`tiny`, `66m`, `7b`); empty where weights are real."""
        return self.weights.removeprefix(RANDOM) if self.weights.startswith(RANDOM) else ""

    @property
    def folder(self) -> str:
        """The local folder that holds the weights; empty where there is none."""
        return "" if self.weights == HUB or self.random_size else self.weights


class MoshiParams(AnyParams):
    """Kyutai's Moshi: one model with two voices."""

    official: ClassVar[tuple[str, ...]] = ("moshiko", "moshika")

    checkpoint: str = "moshiko"


class PersonaPlexParams(AnyParams):
    """NVIDIA's PersonaPlex: Moshi with a role prompt and a voice prompt."""

    official: ClassVar[tuple[str, ...]] = ("personaplex-7b-v1",)

    checkpoint: str = "personaplex-7b-v1"
    prompt_frames: int = Field(default=512, ge=16, le=2000)  # ring positions kept for voice and role


class JMoshiParams(AnyParams):
    """J-Moshi of Nagoya University, in Japanese."""

    official: ClassVar[tuple[str, ...]] = ("j-moshi-ext", "j-moshi")

    checkpoint: str = "j-moshi-ext"


class LlmJpMoshiParams(AnyParams):
    """LLM-jp-Moshi of the National Institute of Informatics, in Japanese."""

    official: ClassVar[tuple[str, ...]] = ("llm-jp-moshi-v1",)

    checkpoint: str = "llm-jp-moshi-v1"


def prompt_frames(params: AnyParams) -> int:
    """Return how many ring positions a row keeps for its prompts."""
    return params.prompt_frames if isinstance(params, PersonaPlexParams) else 0


def device_of(params: AnyParams, device: str) -> str:
    """Return the device that a model runs on: its own setting, else the launcher's."""
    return params.device or device or "cpu"


def dtype_of(params: AnyParams, device: str) -> Dtype:
    """Return the number format of the language model on a device."""
    if params.dtype != "auto":
        return params.dtype
    return "bfloat16" if device_of(params, device).startswith("cuda") else "float32"
