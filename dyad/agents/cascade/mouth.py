"""The mouth of one row: sentences to one tick of sound at a time, and what of them was really said."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dyad.agents.cascade.types import Say
from dyad.spec import RATE, TICK
from dyad.speech.types import Floats, Speech, Voice

FADE = RATE // 50  # 20 ms: short enough to stop mid-word, long enough not to click
PAUSE_SPREAD = 0.6  # of the logarithm: now and then a speaker stops to think, and may lose the floor
LONGEST_PAUSE_MS = 900  # below the second that ends a turn
MURMUR_GAIN = 0.5  # a backchannel lies under the other's speech


@dataclass
class Line:
    """A sentence on its way out; `pos` counts the samples that have been played."""

    say: Say
    speech: Speech
    pos: int = 0

    @property
    def ended(self) -> bool:
        """Whether all of it has been played."""
        return self.pos >= len(self.speech.pcm)

    @property
    def share(self) -> float:
        """Share of its speech that has been played."""
        end = self.speech.words[-1].end if self.speech.words else len(self.speech.pcm)
        return 1.0 if self.ended else min(1.0, self.pos / max(end, 1))

    def play(self, n: int) -> tuple[Floats, list[tuple[int, str]]]:
        """Return the next `n` samples at most, and the words that start in them, with their offsets."""
        piece = self.speech.pcm[self.pos : self.pos + n]
        first, self.pos = self.pos, self.pos + len(piece)
        words = [(w.start - first, w.s) for w in self.speech.words if first <= w.start < self.pos]
        return piece, words


@dataclass
class Breath:
    """One tick of the mouth: 1,920 samples at 24 kHz, word starts within it, and sentences that ended."""

    pcm: Floats = field(default_factory=lambda: np.zeros(TICK, np.float32))
    words: list[tuple[int, str]] = field(default_factory=list)
    done: list[tuple[Say, float]] = field(default_factory=list)


class Mouth:
    """Speaks a queue of sentences, synthesised one by one so that a cut turn costs nothing more.

    A sentence that is said again gets another synthesis seed and is a little slower, as people do it:
    the same audio would be misheard in the same way.
    """

    def __init__(self, voice: Voice, pace: float, pause_ms: float, rng: np.random.Generator) -> None:
        self._voice, self._pace, self._pause_ms, self._rng = voice, pace, pause_ms, rng
        self._seed = int(rng.integers(2**31))
        self._queue: deque[Say] = deque()
        self._line: Line | None = None
        self._aside: Line | None = None
        self._tail = np.zeros(0, np.float32)
        self._gap = 0  # samples of silence before the next sentence
        self._said: Counter[str] = Counter()

    @property
    def busy(self) -> bool:
        """Whether a turn is being spoken, pauses between its sentences included."""
        return self._line is not None or bool(self._queue)

    def say(self, says: Sequence[Say]) -> None:
        """Append sentences to the turn; a new turn lets a backchannel end first."""
        if self._aside is not None and not self.busy:
            self._gap = len(self._aside.speech.pcm) - self._aside.pos
        self._queue.extend(says)

    def prepare(self) -> None:
        """Synthesise the first sentence now, so that a caller can measure how long that takes."""
        if self._line is None and self._queue:
            self._line = self._synthesise(self._queue.popleft())

    def hold(self, ticks: int) -> None:
        """Stay silent for `ticks` before going on."""
        self._gap += ticks * TICK

    def murmur(self, say: Say) -> None:
        """Say a backchannel at half level, beside any turn."""
        self._aside = self._synthesise(say)

    def speak(self) -> Breath:
        """Return the next tick."""
        out = Breath()
        out.pcm[: len(self._tail)] += self._tail
        self._tail = self._tail[:0]
        at = 0
        while at < TICK and self.busy:
            at = self._advance(out, at)
        if self._aside is not None:
            self._whisper(out, self._aside)
        return out

    def stop(self) -> list[tuple[Say, float]]:
        """Fall silent within 20 ms and return every sentence of the turn with the share that was said."""
        cut = [(say, 0.0) for say in self._queue]
        if self._line is not None:
            cut.insert(0, (self._line.say, self._line.share))
            # Nothing that starts inside the fade is heard as a word, so `play` is not asked for words here.
            piece = self._line.speech.pcm[self._line.pos : self._line.pos + FADE]
            self._tail = piece * np.linspace(1.0, 0.0, len(piece), dtype=np.float32)
        self._queue.clear()
        self._line, self._gap = None, 0
        return cut

    def _advance(self, out: Breath, at: int) -> int:
        """Fill `out` from sample `at` with silence or with the current sentence; return where it stopped."""
        if self._gap:
            rest = min(self._gap, TICK - at)
            self._gap -= rest
            return at + rest
        self.prepare()
        line = self._line
        assert line is not None
        end = at + self._mix(out, line, at, 1.0)
        if line.ended:
            out.done.append((line.say, 1.0))
            self._line = None
            self._gap = self._pause() if self._queue else 0
        return end

    def _pause(self) -> int:
        """Draw the pause before the next sentence, in samples; pauses in speech are log-normal."""
        drawn_ms = self._pause_ms * float(np.exp(PAUSE_SPREAD * self._rng.standard_normal()))
        return round(RATE / 1000 * min(drawn_ms, LONGEST_PAUSE_MS))

    def _whisper(self, out: Breath, aside: Line) -> None:
        self._mix(out, aside, 0, MURMUR_GAIN)
        if aside.ended:
            self._aside = None

    def _mix(self, out: Breath, line: Line, at: int, gain: float) -> int:
        piece, words = line.play(TICK - at)
        out.pcm[at : at + len(piece)] += gain * piece
        out.words += [(at + offset, s) for offset, s in words]
        return len(piece)

    def _synthesise(self, say: Say) -> Line:
        again = self._said[say.text]
        self._said[say.text] += 1
        slower = self._pace * (1.0 - 0.06 * (again % 3))
        return Line(say, self._voice(say.text, self._seed + again, max(slower, 0.5)))
