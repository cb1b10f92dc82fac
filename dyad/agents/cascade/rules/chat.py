"""Somebody to talk with who has no role: answers whatever is asked, at some length, and knows nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..types import Say
from .lang import Lines
from .words import content, sentence

LINES: Lines = {
    "begin": ("Good question", "Let me think about that for a moment", "I am happy to help with that",
              "Sure, here is what I would say", "There is a lot to say about that"),
    "about": ("When it comes to {word}, I would begin with the simple things",
              "What matters most with {word} is to take your time",
              "With {word}, it depends a little on what you like",
              "People have very different ideas about {word}"),
    "more": ("First I would write down what you have already, and what is still missing",
             "After that I would ask somebody who has done it before",
             "Then I would look at how much it costs, and how long it takes",
             "It also helps to start small, and to see how it goes",
             "Do not worry if it does not work at once, that is quite normal",
             "And keep a little time for the unexpected"),
    "end": ("That is how I would go about it", "I hope that helps", "Tell me if you want to know more"),
    "react": ("I see, thank you for telling me", "That is interesting", "Good to know"),
    "unclear": ("Sorry, I did not catch that, could you say it again?",),
}  # fmt: skip


class Chat:
    """A policy that answers every turn and starts none; satisfies `Policy`."""

    finished = False
    words: Sequence[str] = ()
    phrases: Sequence[str] = ()

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def open(self) -> Sequence[Say]:
        """Leave the first word to the other."""
        return []

    def hear(self, text: str) -> Sequence[Say]:
        """Answer with six sentences, one about a word of the question; ask again if there was none."""
        words = content(text)
        if not text.strip():
            return [self._say("unclear")]
        about = [self._say("about", word=max(words, key=len))] if words else [self._say("react")]
        more = self._rng.permutation(len(LINES["more"]))[:3]
        told = [Say(sentence(LINES["more"][k]), "more") for k in more]
        return [self._say("begin"), *about, *told, self._say("end")]

    def partial(self, text: str) -> Sequence[Say]:
        """Let the other finish."""
        return []

    def silence(self, seconds: float) -> Sequence[Say]:
        """Bear any silence."""
        return []

    def spoken(self, say: Say, share: float) -> None:
        """Nothing depends on what was said."""

    def _say(self, purpose: str, **slots: str) -> Say:
        pool = LINES[purpose]
        return Say(sentence(pool[int(self._rng.integers(len(pool)))].format(**slots)), purpose)
