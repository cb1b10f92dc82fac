"""The silent control of T1-2: somebody who only listens."""

from __future__ import annotations

from collections.abc import Sequence

from dyad.spec import Sheet

from ..types import Say
from .ears import expected_phrases, expected_words


class Listener:
    """A policy that says nothing, ever, and is never finished; satisfies `Policy`."""

    finished = False

    def __init__(self, sheet: Sheet) -> None:
        self.words: Sequence[str] = expected_words(sheet)
        self.phrases: Sequence[str] = expected_phrases(sheet)

    def open(self) -> Sequence[Say]:
        """Leave the floor to the other, even as the opener."""
        return []

    def hear(self, text: str) -> Sequence[Say]:
        """Take no turn."""
        return []

    def partial(self, text: str) -> Sequence[Say]:
        """Never interrupt."""
        return []

    def silence(self, seconds: float) -> Sequence[Say]:
        """Bear any silence."""
        return []

    def spoken(self, say: Say, share: float) -> None:
        """Nothing is ever spoken."""
