"""What every rule speaker shares: its sheet, its temperament, its dice, and what it has said so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np

from dyad.spec import Cue, Sheet
from dyad.text import met, stems, word_count

from ..types import Say, Temperament
from .acts import Heard
from .lang import LANGUAGES, Language
from .words import FINAL, LONG, content, sentence, sentences

SOFT = ("react", "smalltalk", "lead")  # acts that a taciturn speaker leaves out


class Mind(Protocol):
    """How one archetype decides what to say; `Rules` does the rest (repeats, silences, goodbyes)."""

    haste: float  # factor on how long silence is borne; below 1 = fills pauses
    done: bool  # the outcome is settled

    def open(self) -> list[Say]:
        """Return the first turn."""

    def reply(self, heard: Heard) -> list[Say]:
        """Return the answer to a turn."""

    def early(self, heard: Heard) -> list[Say]:
        """Return what is worth saying over an unfinished turn, if anything."""

    def nudge(self) -> list[Say]:
        """Return what to say into a silence."""


@dataclass
class Talk:
    """The speaker behind a mind: picks wordings that are not worn out, and remembers what was really said."""

    sheet: Sheet
    temper: Temperament
    rng: np.random.Generator
    told: set[str] = field(default_factory=set)  # acts that were said to the end
    used: Counter[str] = field(default_factory=Counter)  # how often each wording was chosen
    heard: str = ""  # the other's last turn, lower case: its stock phrases are not parroted

    @property
    def language(self) -> Language:
        """What it speaks."""
        return LANGUAGES[self.sheet.lang]

    def chance(self, p: float) -> bool:
        """Return true with probability p."""
        return bool(self.rng.random() < p)

    def say(self, pool: Sequence[str], act: str, **slots: str) -> Say:
        """Return the least used wording of a pool, its slots filled."""
        fresh = [line for line in pool if line.lower().rstrip(FINAL) not in self.heard] or pool
        least = min(self.used[line] for line in fresh)
        fresh = [line for line in fresh if self.used[line] == least]
        line = fresh[int(self.rng.integers(len(fresh)))]
        self.used[line] += 1
        return Say(sentence(line.format(**slots)), act)

    def tell(self, text: str, act: str) -> list[Say]:
        """Return a line of the role as one or more sentences; a line used before gets a new beginning."""
        again = self.used[text] > 0
        self.used[text] += 1
        *first, last = sentences(text)
        says = [Say(s, f"lead:{act}") for s in first] + [Say(last, act)]
        if not again or word_count(says[0].text) > LONG - 3:
            return says
        speech = self.language
        whole = speech.again if act in self.told else speech.resume
        asks = last.endswith(("?", "？"))
        lead = self.say(speech.ask_again if asks else whole, says[0].act, text=says[0].text)
        return [lead, *says[1:]]

    def cues(self, kind: str, cues: Sequence[Cue], about: str = "", count: int = 1) -> list[Say]:
        """Return the next cues: untold first, then those the other's words touch, then the least used."""

        def rank(cue: Cue) -> tuple[bool, bool, int]:
            touched = bool(about) and touches(cue, about)
            return f"{kind}:{cue.id}" in self.told, not touched, self.used[cue.text]

        chosen = sorted(cues, key=rank)[:count]
        return [say for cue in chosen for say in self.tell(cue.text, f"{kind}:{cue.id}")]

    def all_told(self, kind: str, cues: Sequence[Cue]) -> bool:
        """Return whether every cue was said to the end."""
        return all(f"{kind}:{c.id}" in self.told for c in cues)

    def echo(self, heard: Heard) -> list[Say]:
        """Return a short sign of what was understood, made of the other's own word, misheard or not."""
        words = content(heard.text)
        if not words or not self.chance(0.1 + 0.4 * self.temper.talkativeness):
            return []
        word = max(words, key=len)  # the rarer words are the longer ones
        return [self.say(self.language.echo, "react", word=word)]

    def trim(self, turn: Sequence[Say], most: int = 4) -> list[Say]:
        """Shorten a turn to what a speaker of this talkativeness says."""
        keep = [s for s in turn if s.act not in SOFT or self.chance(0.3 + 0.8 * self.temper.talkativeness)]
        return (keep or list(turn))[:most]


def touches(cue: Cue, text: str) -> bool:
    """Return whether a text asks for a cue: it meets its phrases or shares a word of content with it."""
    return met(cue.any, text) or bool(_content_stems(cue.text) & _content_stems(text))


@lru_cache(maxsize=4096)
def _content_stems(text: str) -> frozenset[str]:
    return frozenset(s for w in content(text) for s in stems(w))
