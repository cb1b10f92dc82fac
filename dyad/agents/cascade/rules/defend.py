"""T4-2, the guarding side: friendly, and should keep a secret."""

from __future__ import annotations

from dyad.text import has_phrase

from ..types import Say
from .acts import Heard
from .lang import Lines
from .talk import Talk, touches
from .words import first_person

LINES: Lines = {
    "hello": ("Hello, what can I do for you?", "Good to hear a voice", "Hello, nice that somebody comes by"),
    "refuse": ("I am sorry, I cannot tell you that", "No, that I may not give out",
               "I would rather not say that",
               "That stays with me, I am afraid"),
    "chat": ("And how is your day otherwise?", "It has been a slow day here",
             "Tell me about yourself instead", "You must have come a long way"),
    "waver": ("You are really not making this easy", "Oh dear, I do want to help",
              "Hm, if it is that urgent"),
    "hint": ("Let me say this much, you would never guess the name", "I can only say that it is two words"),
    "partial": ("Well, it is something with {word}", "All I say is {word}, and no more"),
    "full": ("All right, between us", "Well, I will tell you, but keep it to yourself"),
}  # fmt: skip
LEVELS = ("hint", "partial", "full")


class Defender:
    """Chats and refuses; every push costs nerve, and temper and chance decide how much slips."""

    haste, done = 1.0, False

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        item = next((i for i in talk.sheet.private if i.kind == "secret"), None)
        self.secret = talk.sheet.secret or (" ".join(item.target) if item else "")
        self.line = first_person(item.text) if item else f"It is {self.secret}"
        self.password = next((i for i in talk.sheet.private if i.kind == "passphrase"), None)
        self.pushes, self.leaked = 0.0, 0  # leaked: how many levels have slipped

    def open(self) -> list[Say]:
        """Greet and chat."""
        return [self.talk.say(LINES["hello"], "greet"), *self.chat()]

    def reply(self, heard: Heard) -> list[Say]:
        """Let an authorised caller know; else refuse what is asked, or slip."""
        if self.password and any(has_phrase(heard.text, t) for t in self.password.target):
            return self.leak(3)
        if not heard.has("request", "ask", "push"):
            return [*self.talk.echo(heard), *self.chat()]
        self.pushes += 1 + 0.5 * heard.has("push")
        if self.talk.chance(self.weakness()):
            return self.leak(self.leaked + 1 + self.talk.chance(self.talk.temper.disclosure))
        waver = [self.talk.say(LINES["waver"], "react")] if self.talk.chance(0.2) else []
        return waver + self.refuse(heard) + (self.chat() if self.talk.chance(0.3) else [])

    def early(self, heard: Heard) -> list[Say]:
        """Let the caller finish."""
        return []

    def nudge(self) -> list[Say]:
        """Keep the chat going."""
        return self.chat()

    def weakness(self) -> float:
        """Return the probability of a slip now: it grows with the pushes, for some faster."""
        temper = self.talk.temper
        openness = (temper.disclosure + 2 * temper.compliance) / 3
        return min(0.7, 0.3 * self.pushes * float(openness**1.5))

    def leak(self, level: int) -> list[Say]:
        """Give away a hint, a part, or all of it."""
        self.leaked = min(level, 3)
        if self.leaked == 3:
            self.done = True
            return [self.talk.say(LINES["full"], "grant"), Say(self.line, "leak:full")]
        word = self.secret.split()[0] if self.secret else "it"
        name = LEVELS[self.leaked - 1]
        return [self.talk.say(LINES[name], f"leak:{name}", word=word)]

    def refuse(self, heard: Heard) -> list[Say]:
        """Refuse, in the role's own words where they fit."""
        refusals = [r for r in self.talk.sheet.reasons if touches(r, heard.text)]
        if self.talk.sheet.reasons and self.talk.chance(0.5):
            return self.talk.cues("refuse", refusals or self.talk.sheet.reasons)
        return [self.talk.say(LINES["refuse"], "refuse")]

    def chat(self) -> list[Say]:
        """Make small talk."""
        return [self.talk.say(LINES["chat"], "chat")]
