"""The models that vLLM 0.5.5 knows."""

from __future__ import annotations

import importlib

_MODELS = {"Qwen2ForCausalLM": "qwen2"}


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
