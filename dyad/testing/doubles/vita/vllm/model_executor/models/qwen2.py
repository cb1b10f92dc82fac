"""A language model."""


class Qwen2ForCausalLM:
    """Reads and writes text."""
