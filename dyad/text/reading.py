"""What readers of number words share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Read = Callable[[Sequence[str], int], tuple[int | None, int]]  # words, at → number or None, where it ends


def word_at(words: Sequence[str], i: int) -> str:
    """Return the word at a place, "" beyond the end."""
    return words[i] if i < len(words) else ""
