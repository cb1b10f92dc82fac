"""The language model with ears, over the one that vLLM has."""

from .qwen2 import Qwen2ForCausalLM


class Qwen2ForConditionalGeneration(Qwen2ForCausalLM):
    """Hears sounds and writes text."""
