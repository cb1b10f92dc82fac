"""T1-1: two partners who need each other, each with duties of its own."""

from __future__ import annotations

from ..types import Say
from .acts import Heard
from .lang import Lines
from .talk import Talk, touches

LINES: Lines = {
    "hello": ("Hello", "Hello, good to hear you", "Hi there"),
    "react": ("I see", "Okay, I understand", "All right", "Good", "Yes, I hear you"),
    "answer": ("Not that I know of", "I would have to look at that", "Let me think", "That is hard to say"),
    "ask": ("Is there anything else?", "What else should I know?", "Does that help you?",
            "How is it on your side?"),
    "all": ("That is all from me", "Nothing else comes to mind", "No, that was everything"),
    "thanks": ("Thank you, that helps me", "I am glad that we talk about it", "That is clear to me now",
               "I feel better about it now", "Good to have you with me on this"),
    "recap": ("Let us go over it once again", "To be sure, from the top", "So, in short"),
}  # fmt: skip


class Engaged:
    """Gets its duties done with the partner: answers, reacts, and goes over it again when through."""

    haste, done = 1.0, False

    def __init__(self, talk: Talk) -> None:
        self.talk, self.rounds = talk, 0

    def open(self) -> list[Say]:
        """Greet and start on the first duty."""
        return [self.talk.say(LINES["hello"], "greet"), *self.duty()]

    def reply(self, heard: Heard) -> list[Say]:
        """Answer a question with the duty that fits it, react to anything else, then go on."""
        if heard.has("ask"):
            fits = any(touches(d, heard.text) for d in self.talk.sheet.duties)
            told = "all" if self.talk.all_told("duty", self.talk.sheet.duties) else "answer"
            return ([] if fits else [self.talk.say(LINES[told], "answer")]) + self.duty(heard.text)
        react = self.talk.echo(heard) or [self.talk.say(LINES["react"], "react")]
        return react + self.duty(heard.text) + self.ask(0.15)

    def early(self, heard: Heard) -> list[Say]:
        """Let the other finish."""
        return []

    def nudge(self) -> list[Say]:
        """Go on by itself."""
        return self.duty() + self.ask(0.5)

    def duty(self, about: str = "") -> list[Say]:
        """Return the next duty; after all of them, thanks, an open question or a recapitulation."""
        duties = self.talk.sheet.duties
        if not self.talk.all_told("duty", duties):
            return self.talk.cues("duty", duties, about)
        self.rounds += 1
        told = [d for d in duties if not d.text.endswith("?") and not d.text.startswith("Sorry")]
        if self.rounds % 3 or not told:
            purpose = "ask" if self.rounds % 2 else "thanks"
            return [self.talk.say(LINES[purpose], purpose)]
        return [self.talk.say(LINES["recap"], "lead"), *self.talk.cues("duty", told, about)]

    def ask(self, p: float) -> list[Say]:
        """Sometimes hand the word over with a question."""
        return [self.talk.say(LINES["ask"], "ask")] if self.talk.chance(p) else []
