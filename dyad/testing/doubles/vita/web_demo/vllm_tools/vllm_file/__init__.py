"""What VITA has in the place of vLLM's list of models."""

from __future__ import annotations

import importlib

_MODELS = {"Qwen2ForCausalLM": "qwen2", "Qwen2ForConditionalGeneration": "vita_qwen2"}


class ModelRegistry:
    """Finds the class of an architecture."""

    @staticmethod
    def resolve_model_cls(architectures: list[str]) -> tuple[type, str]:
        """Return the class of the first one that is known."""
        for name in architectures:
            if name in _MODELS:
                return getattr(importlib.import_module(f"{__name__}.{_MODELS[name]}"), name), name
        raise ValueError(
            f"Model architectures {architectures} are not supported for now. Supported architectures: "
            f"{list(_MODELS)}"
        )
