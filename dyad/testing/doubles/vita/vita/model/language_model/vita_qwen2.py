"""VITA's language model with all that it hears and sees by, which the environment cannot build."""

from __future__ import annotations

from typing import Any


class VITAQwen2Config:
    """Where the model's shape is written down."""

    @classmethod
    def from_pretrained(cls, path: str) -> VITAQwen2Config:
        """Return the configuration in a file."""
        return cls()


class VITAQwen2ForCausalLM:
    """Is not made: it takes a package that no lock has, towers that nobody fetched, and 36 GB."""

    @classmethod
    def from_pretrained(cls, path: str, config: Any, low_cpu_mem_usage: bool) -> VITAQwen2ForCausalLM:
        """Refuse."""
        raise ImportError("Using `low_cpu_mem_usage=True` requires Accelerate: `pip install accelerate`")
