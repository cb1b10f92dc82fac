"""The framework on Hugging Face's transformers."""

from __future__ import annotations

from typing import Any

from .vllm_generation import SingleTurnGenerationFramework


class HFRealtimeV9GenerationFramework(SingleTurnGenerationFramework):
    """As the other one, but of another model class."""

    def __init__(
        self,
        model_type: str,
        model_path: str,
        device: str = "cuda",
        attn_implementation: str = "eager",
        torch_dtype: Any = None,
        align_audio_input: bool = False,
        allowing_backchannel: bool = True,
        is_old_sl_strategy: bool = True,
        zero_checkpoint_dir: str | None = None,
    ) -> None:
        assert model_type == "V9"
        super().__init__(device, allowing_backchannel)
