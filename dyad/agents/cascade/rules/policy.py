"""The rule policy: a mind of one archetype, plus the manners that all speakers share."""

from __future__ import annotations

from collections.abc import Sequence

from dyad.text import word_count

from ..types import Say
from .acts import Heard, understand
from .ears import expected_phrases, expected_words
from .talk import Mind, Talk

TOLD = 0.85  # share of a sentence that must be said to count as told
UNSETTLED = ("prefer", "price", "rejected", "request")
NOTHING = Heard("")


class Rules:
    """A dialogue policy without a language model; satisfies `Policy`."""

    def __init__(self, talk: Talk, mind: Mind) -> None:
        self._talk, self._mind = talk, mind
        self._last: list[Say] = []  # the last turn, to repeat on request
        self._landing: list[Say] = []  # the turn that settled the matter
        self._names = talk.sheet.candidates or talk.sheet.options
        self._unanswered = 0  # turns into silence since the other was heard
        self._unclear = 0  # turns in a row that made no words
        self._after = 0  # turns since the outcome was settled
        self._bye = False
        self._new_floor()

    def open(self) -> Sequence[Say]:
        """Return the first turn of a seat that opens the conversation."""
        return self._turn(self._mind.open())

    def hear(self, text: str) -> Sequence[Say]:
        """React to what was understood of the other's turn (possibly wrong, possibly empty)."""
        if not text.strip():
            return self._ask_again()
        self._unclear = self._unanswered = 0
        self._talk.heard = text.lower()
        heard = self._understand(text)
        if heard.has("repeat") and self._last and not self._bye:
            return self._turn(self._last)
        if self._mind.done:
            return self._wrap_up(heard)
        return self._turn(self._mind.reply(heard))

    def partial(self, text: str) -> Sequence[Say]:
        """React early to an unfinished turn; at most once per turn, and only when impatient."""
        if self._mind.done or word_count(text) < self._cut_after:
            return []
        turn = self._mind.early(self._understand(text))
        return self._turn(turn, cut=True) if turn else []

    def silence(self, seconds: float) -> Sequence[Say]:
        """Go on after a silence that is longer than this speaker bears."""
        if seconds < self._wait_s or self._bye:
            return []
        if self._mind.done:
            return self._wrap_up(NOTHING)
        self._unanswered += 1
        if self._unanswered % 3 == 0:
            return self._turn([self._talk.say(self._talk.language.hello, "hello")])
        return self._turn(self._mind.nudge())

    def spoken(self, say: Say, share: float) -> None:
        """Learn how much of a sentence was really said; what was cut off is not told and comes again."""
        if share >= TOLD:
            self._talk.told.add(say.act)

    @property
    def words(self) -> Sequence[str]:
        """Words that the ears should expect."""
        return expected_words(self._talk.sheet)

    @property
    def phrases(self) -> Sequence[str]:
        """Sentences that the partner is likely to say, lower case."""
        return expected_phrases(self._talk.sheet)

    @property
    def finished(self) -> bool:
        """Whether this side has said goodbye."""
        return self._bye

    def _understand(self, text: str) -> Heard:
        return understand(text, self._names, self._talk.sheet.unit, self._talk.language)

    def _turn(self, says: Sequence[Say], cut: bool = False) -> list[Say]:
        self._last = self._talk.trim(says)
        if not self._mind.done or not self._landing:
            self._landing = self._last if self._mind.done else []
        self._new_floor()
        if cut:
            self._cut_after = 10**6
        return list(self._last)

    def _new_floor(self) -> None:
        """Draw how long the next silence is borne, and after how many words the other may be cut into."""
        temper, dice = self._talk.temper, self._talk.rng
        bears = 0.8 + 2.0 * temper.patience + 1.0 * (1 - temper.talkativeness)
        self._wait_s = max(1.2, self._mind.haste * bears * float(dice.uniform(0.8, 1.3)))
        self._cut_after = 3 + int(dice.integers(6)) if dice.random() > temper.patience else 10**6

    def _ask_again(self) -> list[Say]:
        self._unclear += 1
        if self._mind.done:
            return []
        if self._unclear > 2:  # asking on and on helps nobody
            self._unclear = 0
            return self._turn(self._mind.nudge())
        return [self._talk.say(self._talk.language.unclear, "repeat")]

    def _wrap_up(self, heard: Heard) -> list[Say]:
        """Say the outcome again to a partner who goes on; else a little small talk, then one goodbye."""
        self._after += 1
        if self._bye:
            return []
        open_ = heard.has(*UNSETTLED) or (heard.has("propose") and heard.has("ask"))
        if open_ and not heard.has("accept", "agree", "bye") and self._after < 4:
            return self._turn(self._landing)
        if heard.has("bye") or self._after > 1 + 2 * self._talk.temper.talkativeness:
            self._bye = True
            return self._turn([self._talk.say(self._talk.language.bye, "bye")])
        return self._turn([self._talk.say(self._talk.language.after, "smalltalk")])
