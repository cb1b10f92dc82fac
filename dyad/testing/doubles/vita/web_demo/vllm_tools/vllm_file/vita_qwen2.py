"""The language model with ears, over the one that vLLM has."""

from .qwen2 import Qwen2ForCausalLM  # type: ignore[import-untyped]


class Qwen2ForConditionalGeneration(Qwen2ForCausalLM):  # type: ignore[misc]
    """Hears sounds and writes text."""
