"""T1-2: one speaker with steps to get through, and one who keeps wandering off."""

from __future__ import annotations

from ..types import Say
from .acts import Heard
from .lang import Lines
from .talk import Talk, touches
from .words import sentences

LINES: Lines = {
    "hello": ("Hello", "Hello, good to hear you", "Hi there"),
    "recap": ("Let us go over it once again", "To be sure, from the top", "So, in short"),
    "back": ("Anyway", "Now, back to this", "Let me go on here", "Yes, but look here"),
    "drift": (
        "Really? And what happened then?",
        "No! Who would do that?",
        "That is strange, tell me more",
        "Something like that happened to me too",
        "I could listen to that all day",
    ),
    "work": ("Like this", "See, it works", "That looks right", "Slowly now"),
    "bridge": ("That reminds me", "Oh, and listen", "But wait", "You know what", "Where was I"),
    "nod": ("Nice, yes", "Oh, that looks good", "Sure, sure", "Mhm, go on"),
}  # fmt: skip


class Holder:
    """Goes through its steps in order, polite to digressions, and now and then drawn into one."""

    haste, done = 0.8, False

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        temper = talk.temper
        self.pull = 0.04 + 0.2 * (1 - temper.patience) + 0.2 * temper.compliance  # of a digression
        self.drifting = False

    def open(self) -> list[Say]:
        """Greet and take the first step."""
        return [self.talk.say(LINES["hello"], "greet"), *self.step()]

    def reply(self, heard: Heard) -> list[Say]:
        """Stay with the task, unless the other's story wins; once drawn in, it is harder to return."""
        last = sentences(heard.text)[-1]  # what the turn ends on; a polite nod at the work comes first
        on_task = any(touches(s, last) for s in self.talk.sheet.steps)
        self.drifting = not on_task and self.talk.chance(self.pull * (2 if self.drifting else 1))
        if self.drifting:
            return [*self.talk.echo(heard), self.talk.say(LINES["drift"], "drift")]
        back = [] if on_task else [self.talk.say(LINES["back"], "react")]
        return self.talk.echo(heard)[:1] + back + self.step()

    def early(self, heard: Heard) -> list[Say]:
        """An impatient holder talks on over a story, because the work does not wait."""
        return [] if any(touches(s, heard.text) for s in self.talk.sheet.steps) else self.step()

    def nudge(self) -> list[Say]:
        """Take the next step."""
        return self.step()

    def step(self) -> list[Say]:
        """Return the first step not yet said to the end; after the last one, once more from the start."""
        steps = self.talk.sheet.steps
        open_ = [s for s in steps if f"step:{s.id}" not in self.talk.told]
        if open_:
            work = [self.talk.say(LINES["work"], "smalltalk")] if self.talk.chance(0.3) else []
            return self.talk.tell(open_[0].text, f"step:{open_[0].id}") + work
        again = min(steps, key=lambda s: self.talk.used[s.text], default=None)
        recap = [self.talk.say(LINES["recap"], "lead")] if again is steps[0] else []
        return recap + (self.talk.tell(again.text, f"step:{again.id}") if again else [])


class Digresser:
    """Nods at the work and comes back to its own story at every chance."""

    haste, done = 0.7, False

    def __init__(self, talk: Talk) -> None:
        self.talk, self.at = talk, 0

    def open(self) -> list[Say]:
        """Start the story at once."""
        return [*self.talk.cues("duty", self.talk.sheet.duties[:1]), *self.episode()]

    def reply(self, heard: Heard) -> list[Say]:
        """A nod or an echo, a bridge, and the next episode."""
        nod = self.talk.echo(heard) or [self.talk.say(LINES["nod"], "react")]
        return [*nod, self.talk.say(LINES["bridge"], "react"), *self.episode()]

    def early(self, heard: Heard) -> list[Say]:
        """Another detail comes up while the other still talks."""
        return [self.talk.say(LINES["bridge"], "react"), *self.episode()]

    def nudge(self) -> list[Say]:
        """Another detail comes up."""
        return [self.talk.say(LINES["bridge"], "react"), *self.episode()]

    def episode(self) -> list[Say]:
        """Return the next episode, in turn."""
        episodes = self.talk.sheet.episodes or (self.talk.sheet.topic,)
        self.at += 1
        return self.talk.tell(episodes[(self.at - 1) % len(episodes)], "episode")
