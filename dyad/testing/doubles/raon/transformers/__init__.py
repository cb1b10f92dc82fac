"""Stand-in for the one class of transformers that a caller of the codec needs."""

from __future__ import annotations

from typing import Any


class DynamicCache:
    """Keys and values of a codec's encoder: here only their number."""

    def __init__(self, config: Any = None) -> None:
        self.used = 0
