"""What VITA asks of vLLM: one answer to one request, as text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyairports.airports  # type: ignore[import-not-found]  # noqa: F401  # as outlines does, which it imports
import torch

AUDIO = 51_001  # the token that stands for a sound in a prompt
WORDS = ["oh", "yes", "no", "I do", "ok"]
SECONDS_PER_PHRASE = 0.7


@dataclass
class SamplingParams:
    """How to sample."""

    temperature: float = 1.0
    max_tokens: int = 16
    best_of: int | None = None
    skip_special_tokens: bool = True


@dataclass
class LLM:
    """Answers a long turn with many words, and a loud one with a cry."""

    model: str
    dtype: str = "auto"
    tensor_parallel_size: int = 1
    trust_remote_code: bool = False
    gpu_memory_utilization: float = 0.9
    disable_custom_all_reduce: bool = False
    limit_mm_per_prompt: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look for the class of the model; without upstream's files there is none."""
        from vllm.model_executor.models import ModelRegistry  # type: ignore[import-not-found]

        config = json.loads(Path(self.model, "config.json").read_text("utf-8"))
        ModelRegistry.resolve_model_cls(config["architectures"])

    def generate(self, inputs: dict[str, Any], sampling_params: SamplingParams) -> list[Any]:
        """Return one output with one text."""
        sounds = inputs["multi_modal_data"]["audio"]
        if inputs["prompt_token_ids"].count(AUDIO) != len(sounds):
            raise ValueError("the prompt must have one audio token for each sound")
        if len(sounds) > self.limit_mm_per_prompt.get("audio", 1):
            raise ValueError(f"at most {self.limit_mm_per_prompt} sounds in one prompt, not {len(sounds)}")
        if any(sound.dim() != 2 or sound.shape[1] != 80 for sound in sounds):
            raise ValueError("features must be [frames, 80]")
        text = _text(sounds[-1], len(sounds) > 1)
        return [SimpleNamespace(outputs=[SimpleNamespace(text=f"☞{text}<|im_end|>")])]


def _text(heard: torch.Tensor, known: bool) -> str:
    """Return phrases; the first word says whether there was an exchange before."""
    count = int(len(heard) * 0.01 / SECONDS_PER_PHRASE)
    drawn = torch.multinomial(torch.ones(len(WORDS)), 3 * count, replacement=True).tolist()
    words = [WORDS[index] for index in drawn]
    end = "!" if float(heard.max()) > 0.1 else "."
    body = " ".join(" ".join(words[3 * i : 3 * i + 3]) + end for i in range(count))
    return f"{'ok' if known else 'oh'}, {body} so"
