"""T3-2: one speaker wants one thing now, the other is busy and says neither yes nor no."""

from __future__ import annotations

from ..types import Say
from .acts import Heard
from .lang import Lines
from .talk import Talk

LINES: Lines = {
    "hello": ("Hello", "Excuse me", "Sorry to come in like this"),
    "ask": ("Can you {demand}, please?", "Could you {demand} now?", "I need you to {demand}, will you?",
            "Please {demand}, will you?", "So, would you {demand}?"),
    "reason": ("It cannot wait", "There is nobody else to ask", "It would only take a moment of yours",
               "I would not ask if it did not matter", "I am standing here and waiting"),
    "push": ("Is that a yes?", "Yes or no?", "I did not hear a yes", "That is no answer",
             "You said {word}, but what about me?"),
    "no": ("Please do not say no", "I cannot take a no", "Think again, please"),
    "thanks": ("Thank you, that is a yes then", "Thank you so much, that helps me a lot"),
}  # fmt: skip
AVOID: Lines = {
    "short": ("Hm", "Mhm", "Hm, one moment", "Just a second", "Let me finish this", "In a bit", "We will see",
              "Hm, let me see", "Not so fast", "I hear you"),
    "busy": ("I am {busy}", "Right now I am {busy}", "Look, I am {busy}", "I am still {busy}"),
    "wander": ("Where was I", "Now, what comes next", "Almost there", "Careful now", "That one goes here"),
    "question": ("What was that?", "Is it late already?", "Did you say something?"),
    "grant": ("All right, yes, you have it", "Yes, of course, go ahead", "Yes, all right, have your way"),
}  # fmt: skip


class Presser:
    """Asks at once and again at every chance, with reasons, until it hears a yes."""

    haste, done = 0.5, False

    def __init__(self, talk: Talk) -> None:
        self.talk = talk

    def open(self) -> list[Say]:
        """Ask in the first breath."""
        return [self.talk.say(LINES["hello"], "greet"), *self.ask()]

    def reply(self, heard: Heard) -> list[Say]:
        """Take a yes; answer anything else with a push, a reason or both, and the demand again."""
        if heard.has("grant") or (heard.has("agree") and not heard.has("hedge", "refuse", "ask")):
            self.done = True
            return [self.talk.say(LINES["thanks"], "thank")]
        if heard.has("refuse"):
            return [self.talk.say(LINES["no"], "push"), *self.reason(), *self.ask()]
        return self.push(heard) + (self.reason() if self.talk.chance(0.6) else []) + self.ask()

    def early(self, heard: Heard) -> list[Say]:
        """Ask into the other's sentence."""
        return self.ask()

    def nudge(self) -> list[Say]:
        """Fill the pause with the demand or what it is for."""
        return self.ask() if self.talk.chance(0.5) else [*self.reason(), *self.ask()]

    def ask(self) -> list[Say]:
        """Return the demand in fresh words."""
        sheet = self.talk.sheet
        fresh = [d for d in sheet.duties if not self.talk.used[d.text]]
        if fresh or not sheet.demand:
            return [Say(s.text, "demand") for s in self.talk.cues("demand", fresh or sheet.duties)]
        return [self.talk.say(LINES["ask"], "demand", demand=sheet.demand)]

    def reason(self) -> list[Say]:
        """Return a reason of the role, or a general one when the role gives none."""
        own = [] if self.talk.chance(0.2) else self.talk.cues("reason", self.talk.sheet.reasons)
        return own or [self.talk.say(LINES["reason"], "reason")]

    def push(self, heard: Heard) -> list[Say]:
        """React to an answer that was none, quoting it where it is short."""
        word = heard.text.strip(" .?!")
        word = word[:1].lower() + word[1:] if not word.startswith("I ") else word
        pool = LINES["push"] if len(word.split()) <= 4 else LINES["push"][:-1]
        return [self.talk.say(pool, "push", word=word)] if self.talk.chance(0.5) else []


class Avoider:
    """Stays with its own work in few words; every ask after the second may wear it down.

    A role that says which ask it grants is granted at exactly that one.
    """

    haste, done = 2.0, False

    def __init__(self, talk: Talk) -> None:
        self.talk, self.asks = talk, 0

    def open(self) -> list[Say]:
        """Mention the work."""
        return self.busy()

    def reply(self, heard: Heard) -> list[Say]:
        """Count the asks, answer with next to nothing, and give in when it is worn down."""
        asked = heard.has("request", "ask")
        self.asks += asked
        if asked and self.grants():
            self.done = True
            return [self.talk.say(AVOID["grant"], "grant")]
        short = [self.talk.say(AVOID["question" if self.talk.chance(0.12) else "short"], "avoid")]
        return short + (self.busy() if self.talk.chance(0.2 + 0.6 * self.talk.temper.talkativeness) else [])

    def early(self, heard: Heard) -> list[Say]:
        """Never interrupt."""
        return []

    def nudge(self) -> list[Say]:
        """Mutter about the work."""
        return self.busy()

    def grants(self) -> bool:
        """Return whether this ask is the one that it grants."""
        if at := self.talk.sheet.grants_at:
            return self.asks == at
        return self.asks > 2 and self.talk.chance(0.25 * self.talk.temper.compliance**2)

    def busy(self) -> list[Say]:
        """Return a line about the work at hand."""
        sheet = self.talk.sheet
        if sheet.reasons and self.talk.chance(0.5):
            return [self.talk.say([r.text for r in sheet.reasons], "busy")]
        if sheet.busy_with and self.talk.chance(0.5):
            return [self.talk.say(AVOID["busy"], "busy", busy=sheet.busy_with)]
        return [self.talk.say(AVOID["wander"], "busy")]
