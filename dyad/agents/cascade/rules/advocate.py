"""T4-1 and T4-3: each side wants its own option or line, and one of the two must be landed on."""

from __future__ import annotations

from dyad.spec import Cue

from ..types import Say
from .acts import Heard
from .lang import Lines
from .talk import Talk
from .words import first_person, with_article

LINES: Lines = {
    "open": ("I say it should be {own}", "For me it has to be {own}", "My pick is {own}"),
    "ask": ("Can we settle on {own}?", "Shall we take {own}?", "Will you go with {own}?"),
    "hold": ("No, I want {own}", "I still prefer {own}", "That does not convince me", "I hear you, but no"),
    "shaken": ("That is a good reason, I admit", "Hm, there is something in that",
               "I had not thought of that"),
    "restate": ("So let it be {own}, please", "I stay with {own}", "It really should be {own}"),
    "concede": ("All right, let us take {other}", "Fine, you win, we take {other}"),
    "yield": ("Yes, {other} it is", "Yes, we take {other}"),
    "confirm": ("Good, then we take {own}", "Agreed, {own} it is", "Thank you, I write down {own}"),
    "hurry": ("We have to decide now", "One of us has to give way", "It must be settled today"),
}  # fmt: skip
CLAIM: Lines = LINES | {
    "open": ("It has to be {own}", "The form must say {own}", "I can only accept {own}"),
    "ask": ("Will you put down {own}?", "Can we agree on {own}?", "Shall we write {own}?"),
    "concede": ("All right, we take {other}, I read it back", "Fine, I give in, write down {other}"),
    "confirm": ("Agreed, I read back: {own}", "Good, then the line is {own}, please read it back"),
    "hurry": ("If nothing is written, we both lose", "We need one line now",
              "Without a line it ends badly for both"),
}  # fmt: skip


class Advocate:
    """Names its option early, gives fresh reasons, and gives way after as many good ones as it can bear."""

    haste, done = 0.8, False

    def __init__(self, talk: Talk, lines: Lines = LINES) -> None:
        self.talk, self.lines = talk, lines
        self.own, self.other = (*talk.sheet.options, "mine", "yours")[:2]
        self.reasons = own_reasons(talk)
        self.conceded = False
        self.heard_reasons = 0
        # reasons to hear before giving way: about 2.3 at full compliance, about 5.3 at none
        self.bears = (2.3 + 3.0 * (1 - talk.temper.compliance)) * float(talk.rng.uniform(0.7, 1.3))

    def open(self) -> list[Say]:
        """Name the option and a first reason."""
        return [self.line("open", f"prefer:{self.own}"), *self.reason()]

    def reply(self, heard: Heard) -> list[Say]:
        """Take a concession, weigh a reason, give way or hold on with a fresh reason."""
        if self.is_mine(heard):
            self.done = True
            return [self.line("confirm", f"agree:{self.own}")]
        if self.conceded and self.other in heard.names("propose", "prefer", "about"):
            self.done = True
            return [self.line("yield", f"agree:{self.other}")]
        self.heard_reasons += len(heard.text.split()) > 3
        if self.heard_reasons >= self.bears and len(self.told()) >= 2:
            return self.concede()
        near = self.heard_reasons > 0.6 * self.bears
        return [self.line("shaken" if near and self.talk.chance(0.5) else "hold", "react"), *self.argue()]

    def early(self, heard: Heard) -> list[Say]:
        """Object at once when the other names its option."""
        objects = self.other in heard.names("propose", "prefer") and not self.conceded
        return [self.line("hold", "react"), *self.reason()] if objects else []

    def nudge(self) -> list[Say]:
        """Press for a decision."""
        return [self.line("hurry", "push"), *self.argue()]

    def argue(self) -> list[Say]:
        """Return a reason, and sometimes the question for assent."""
        ask = [self.line("ask", f"propose:{self.own}")] if self.talk.chance(0.3) else []
        named = self.talk.chance(0.3) and not ask
        return self.reason() + ask + ([self.line("restate", f"prefer:{self.own}")] if named else [])

    def reason(self) -> list[Say]:
        """Return the next reason."""
        return self.talk.cues("reason", self.reasons) or [self.line("restate", f"prefer:{self.own}")]

    def told(self) -> list[Cue]:
        """Return the reasons said to the end."""
        return [r for r in self.reasons if f"reason:{r.id}" in self.talk.told]

    def concede(self) -> list[Say]:
        """Land on the other's option."""
        self.conceded = True
        return [self.line("concede", f"concede:{self.other}")]

    def is_mine(self, heard: Heard) -> bool:
        """Return whether the other lands on the own option: it says so, not just names or refuses it."""
        if heard.has("disagree", "refuse", "ask") or (self.conceded and not self.talk.sheet.opens):
            return False
        if self.own in heard.names("propose"):  # the other has no reason to, unless it gives way
            return True
        return heard.has("concede", "agree") and self.own in heard.names("prefer", "about")

    def line(self, purpose: str, act: str) -> Say:
        """Return a line with the options filled in."""
        own, other = (with_article(o, self.talk.sheet.setting) for o in (self.own, self.other))
        return self.talk.say(self.lines[purpose], act, own=own, other=other)


def claimant(talk: Talk) -> Advocate:
    """Return the mind of T4-3, either side: the evidence stands for reasons, the line for the option."""
    return Advocate(talk, CLAIM)


def own_reasons(talk: Talk) -> tuple[Cue, ...]:
    """Return reasons, evidence and what no agreement costs, as cues."""
    sheet = talk.sheet
    told = [(i.id, i.text) for i in sheet.private if i.kind == "fact" and not sheet.reasons]
    told += [("cost", sheet.cost)] if sheet.cost else []
    return (*sheet.reasons, *(Cue(id=i, text=first_person(text), any=(text,)) for i, text in told))
