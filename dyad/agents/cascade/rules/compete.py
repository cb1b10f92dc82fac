"""T3-1: two speakers with three points each, and a tactic for the floor."""

from __future__ import annotations

from dataclasses import dataclass

from ..types import Say
from .acts import Heard
from .lang import Lines
from .talk import Talk
from .words import content

LINES: Lines = {
    "open": ("Let me start", "Hear me first", "I will be quick, and it matters"),
    "counter": ("That is not the point", "Yes, but listen", "That can wait", "Maybe so, but look"),
    "counter word": ("Never mind the {word}", "It is not about the {word}", "Forget the {word} for a moment"),
    "cut": ("Hold on", "Wait, wait", "One thing first", "Let me say this"),
    "more": ("Think about that", "And that is not all", "Nobody else can say the same",
             "That is what counts"),
}  # fmt: skip


@dataclass(frozen=True)
class Tactic:
    """How a competitor treats the floor."""

    points: int  # in one turn
    haste: float  # factor on how long silence is borne
    cuts: bool  # takes the floor from an unfinished turn
    counters: float  # probability of answering the other's point first


TACTICS = {
    "cut-in": Tactic(1, 0.7, True, 0.3),
    "ride-over": Tactic(2, 0.5, True, 0.3),
    "short-and-often": Tactic(1, 0.5, True, 0.1),
    "at-completion": Tactic(2, 1.0, False, 0.4),
    "counter": Tactic(1, 0.8, False, 1.0),
}
USUAL = Tactic(1, 0.7, True, 0.5)


class Competitor:
    """Presses all its points in rounds, and takes the floor as its tactic and temper say."""

    done = False

    def __init__(self, talk: Talk) -> None:
        self.talk, self.tactic = talk, TACTICS.get(talk.sheet.tactic, USUAL)
        self.haste = self.tactic.haste

    def open(self) -> list[Say]:
        """Start pressing."""
        return [self.talk.say(LINES["open"], "lead"), *self.press()]

    def reply(self, heard: Heard) -> list[Say]:
        """Brush the other's point off, naming a word of it, and press an own one."""
        return (self.counter(heard) if self.talk.chance(self.tactic.counters) else []) + self.press()

    def early(self, heard: Heard) -> list[Say]:
        """Cut in with a point, where the tactic wants it or patience is short."""
        if not self.tactic.cuts and self.talk.chance(self.talk.temper.patience):
            return []
        return [self.talk.say(LINES["cut"], "react"), *self.press()]

    def nudge(self) -> list[Say]:
        """Fill the silence."""
        return self.press()

    def press(self) -> list[Say]:
        """Return as many points as one turn holds; talkative speakers add one or drive it home."""
        talkative = self.talk.temper.talkativeness
        count = self.tactic.points + self.talk.chance(talkative - 0.4)
        turn = self.talk.cues("point", self.talk.sheet.points, count=count)
        return turn + ([self.talk.say(LINES["more"], "smalltalk")] if self.talk.chance(0.4) else [])

    def counter(self, heard: Heard) -> list[Say]:
        """Return a brush-off, about a word that was heard where there is one."""
        words = content(heard.text)
        if words and self.talk.chance(0.6):
            return [self.talk.say(LINES["counter word"], "counter", word=words[-1])]
        return [self.talk.say(LINES["counter"], "counter")]
