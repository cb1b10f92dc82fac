"""Turn-taking of one row: when to listen, answer, cut in, give way, murmur or break a silence.

Everything is counted in ticks of 80 ms and every chance is drawn from the row's own generators, so a row
repeats bit for bit and never depends on its neighbours.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyad.agents.cascade.ears import Ears, Utterance
from dyad.agents.cascade.manners import (
    LONG_TICKS,
    SHORT_TICKS,
    Manners,
    is_backchannel,
    is_hum,
    manners,
    ticks,
)
from dyad.agents.cascade.mouth import Mouth
from dyad.agents.cascade.tongues import TONGUES, Tongue
from dyad.agents.cascade.types import CascadeParams, Policy, Say
from dyad.spec import TICK, TICK_S
from dyad.spec.record import TextKind
from dyad.speech.places import piece_of
from dyad.speech.types import Floats, Partials, Recogniser, Voice

Note = tuple[int, str, TextKind]  # sample at 24 kHz, text, kind

MURMUR_AFTER_TICKS = 25  # speech of the other since its turn began or since the last murmur
# Chance where the other goes on after a short pause, and in any other tick. Not in the pause itself: it may
# be the end of the turn, and then an answer is due.
MURMUR_AT_RESUMPTION, MURMUR_IN_SPEECH = 0.6, 0.02
HEAR_LAG_TICKS = 2  # the bridge's tick and the detector's: the other began this much earlier
COLLISION_TICKS = 4  # two turns that begin closer together than this began at once
GREET_TICKS = 25  # a seat that does not open gives the opener this much more time at the start
ASK_AGAIN_TICKS = 6  # a policy that had nothing to say into a silence is asked again so much later
REST_TICKS = 12  # quiet that must follow the last word before a row hangs up


@dataclass
class Organs:
    """What a row hears, speaks and thinks with, in one language.

    Without a recogniser, the partials give the final text; without partials it hears only whole utterances.
    """

    recognise: Recogniser | None
    partials: Partials | None
    voice: Voice
    policy: Policy
    tongue: Tongue = TONGUES["en"]


@dataclass
class Follow:
    """What a row makes of an utterance that is still going on."""

    fed: int = 0  # ticks of it that the partials have heard
    text: str = ""
    lead: int = 0  # ticks by which the own turn began before it
    bears: int | None = None  # overlap in ticks that the row bears, None = any
    barged: bool = False
    yielded: bool = False
    cut_in: bool = False


class Row:
    """One side of one conversation."""

    def __init__(self, organs: Organs, params: CascadeParams, opens: bool, rng: np.random.Generator) -> None:
        self._organs, self._params, self._rng = organs, params, rng
        self._manners: Manners = manners(params)
        self._tongue = organs.tongue
        self._hint = self._tongue.comma.join(organs.policy.words) + self._tongue.stop
        self._ears = Ears(params.vad_threshold, self._manners.endpoint)
        self._mouth = Mouth(organs.voice, params.pace, self._manners.pause_ms, rng)
        self._follow = Follow()
        self._understood: list[str] = []
        self._opens_at = int(rng.integers(2, 6)) if opens else None
        self._due: int | None = None  # tick of the answer to what was understood
        self._cost_s = 0.0  # computing time of the answer so far
        self._began = 0  # tick of the own turn
        self._cut = False  # the last own turn was cut off
        self._idle, self._murmured = 0, 0
        self._murmurs = deque(self._tongue.murmurs)
        self._wait = self._patience() + (0 if opens else GREET_TICKS)
        self._tick = 0
        self._notes: list[Note] = []

    @property
    def speaking(self) -> bool:
        """Whether the row holds a turn."""
        return self._mouth.busy

    @property
    def finished(self) -> bool:
        """Whether its policy is done and the line has been quiet for about a second."""
        return self._organs.policy.finished and self._idle >= REST_TICKS

    def step(self, tick: int, pcm16k: Floats, prob: float) -> tuple[Floats, list[Note]]:
        """Hear one tick (1,280 samples at 16 kHz, speech probability); return 1,920 samples and the notes."""
        self._tick, self._notes = tick, []
        ended = self._ears.hear(tick, pcm16k, prob)
        if self._ears.now is not None:
            self._attend(self._ears.now)
        elif self._follow.fed or ended is not None:
            self._understand(ended)
        self._take_turn()
        self._murmur()
        return self._speak(), self._notes

    # ---- while the other speaks

    def _attend(self, now: Utterance) -> None:
        if self._ears.voiced and self._mouth.busy:
            now.over += 1
            if now.over == 1:
                self._meet(now)
        if self._must_follow(now):
            self._feed(now)
        if not self._mouth.busy:
            self._cut_in(now)
        elif self._ears.voiced and self._is_speech(now):
            self._defend(now)

    def _meet(self, now: Utterance) -> None:
        """Decide at the first overlap how much of it to bear."""
        self._follow.lead = now.start - HEAR_LAG_TICKS - self._began
        self._follow.bears = self._bears(self._follow.lead)

    def _must_follow(self, now: Utterance) -> bool:
        """Partial results cost time: ask for them only where they can change what happens."""
        if self._organs.recognise is None or self._mouth.busy:
            return True
        return self._may_cut_in(now)

    def _feed(self, now: Utterance) -> None:
        if self._organs.partials is not None:
            for pcm in now.pcm[self._follow.fed :]:
                self._follow.text = self._organs.partials.feed(pcm)
            self._follow.fed = len(now.pcm)

    def _is_speech(self, now: Utterance) -> bool:
        """Tell a turn from a backchannel or a noise: by its words, and by its length at the latest."""
        if now.voiced >= LONG_TICKS:
            return True
        return now.voiced >= SHORT_TICKS and not is_backchannel(self._follow.text, self._tongue)

    def _defend(self, now: Utterance) -> None:
        """Talk on or give way when spoken over."""
        follow = self._follow
        gives_way = follow.bears is not None and now.over >= follow.bears
        intruded = follow.lead >= COLLISION_TICKS and not follow.barged
        if intruded and (gives_way or now.over >= self._manners.barge_in):
            follow.barged = True
            self._note("barge-in", "event")
        if gives_way:
            self._yield()

    def _bears(self, lead: int) -> int | None:
        """Overlap that ends the own turn: less when both began at once, more when it cut in on purpose."""
        base = self._manners.yields
        if base is None:
            return None
        if abs(lead) < COLLISION_TICKS:
            return base // 2 + int(self._rng.integers(1, 2 + base // 2))
        return base if lead > 0 else base + base // 2

    def _yield(self) -> None:
        self._tell(self._mouth.stop())
        self._follow.yielded = self._cut = True
        self._note("yield", "event")

    def _may_cut_in(self, now: Utterance) -> bool:
        had_its_say = self._follow.cut_in or self._follow.yielded
        return self._params.early and not had_its_say and now.voiced >= self._manners.interrupt

    def _cut_in(self, now: Utterance) -> None:
        if not (self._may_cut_in(now) and self._ears.voiced and self._follow.text):
            return
        says = self._organs.policy.partial(self._follow.text)
        if says:
            self._follow.cut_in = True
            self._note("interrupt", "event")
            self._begin(says)

    def _murmur(self) -> None:
        """Say "mm-hmm" at half level while the other speaks long, rather after a short pause."""
        now = self._ears.now
        if now is None or now.quiet or self._mouth.busy or now.voiced - self._murmured < MURMUR_AFTER_TICKS:
            return
        chance = MURMUR_AT_RESUMPTION if now.resumed else MURMUR_IN_SPEECH
        if self._rng.random() < self._manners.backchannel * chance:
            self._murmured = now.voiced
            self._murmurs.rotate(1 + int(self._rng.integers(len(self._murmurs) - 1)))  # never the same twice
            self._mouth.murmur(Say(self._murmurs[0], "backchannel"))
            self._note("backchannel", "event")

    # ---- when the other has ended

    def _understand(self, ended: Utterance | None) -> None:
        """Transcribe an utterance at its end point and plan the answer; `None` was only a click."""
        if ended is not None and ended.voiced < LONG_TICKS:
            self._feed(ended)
        follow, self._follow, self._murmured = self._follow, Follow(), 0
        partials = self._organs.partials
        guess = partials.end() if partials is not None and follow.fed else ""
        if ended is None:
            return
        start = time.perf_counter()
        # The light ears know hums and "okay"s; Whisper, which hears words in everything, is spared them.
        minor = partials is not None and self._is_minor(ended, follow, guess)
        recognise = None if minor else self._organs.recognise
        text = recognise(ended.sound, self._hint) if recognise else guess
        self._cost_s = time.perf_counter() - start
        self._note(text, "heard")
        if not (minor or self._is_minor(ended, follow, text)):
            self._understood.append(text)
            self._due = None if self._mouth.busy else self._tick + self._manners.latency + self._backoff()

    def _is_minor(self, ended: Utterance, follow: Follow, text: str) -> bool:
        """Whether an utterance asks for no answer: a backchannel under the own turn, or a hum."""
        if ended.over and not follow.yielded:
            short = ended.voiced < LONG_TICKS and is_backchannel(text, self._tongue)
            return short or ended.voiced < SHORT_TICKS
        return ended.voiced < LONG_TICKS and is_hum(text, self._tongue)

    def _backoff(self) -> int:
        """After a collision both sides wait a random while, or they would collide again."""
        cut, self._cut = self._cut, False
        return int(self._rng.integers(0, 10)) if cut else 0

    # ---- the own turn

    def _take_turn(self) -> None:
        busy = self._mouth.busy
        self._idle = 0 if busy or self._ears.now is not None else self._idle + 1
        if busy:
            return
        if self._opens_at is not None:
            self._open(self._opens_at)
        elif self._due is not None and self._tick >= self._due:
            if not self._ears.taken:  # else the other goes on: answer all of it later
                self._answer()
        elif self._idle >= self._wait:
            self._break_silence()

    def _open(self, at: int) -> None:
        if self._tick >= at:
            self._opens_at = None
            self._begin(self._organs.policy.open())

    def _answer(self) -> None:
        start = time.perf_counter()
        text = " ".join(self._understood)
        self._understood, self._due = [], None
        self._begin(self._organs.policy.hear(text))
        self._mouth.prepare()
        if self._params.latency == "measured" and self._mouth.busy:
            lag = ticks(1000 * (self._cost_s + time.perf_counter() - start))
            self._mouth.hold(lag)
            self._note(f"latency {lag} ticks", "event")

    def _break_silence(self) -> None:
        self._wait = self._idle + ASK_AGAIN_TICKS
        if self._understood:
            self._answer()
        else:
            self._begin(self._organs.policy.silence(self._idle * TICK_S))

    def _begin(self, says: Sequence[Say]) -> None:
        if says:
            self._began, self._due = self._tick, None
            self._mouth.say(says)
            self._wait = self._patience()
            if self._ears.now is not None:  # it cuts in: overlap counts anew
                self._ears.now.over = 0

    def _speak(self) -> Floats:
        breath = self._mouth.speak()
        for offset, word in breath.words:
            self._notes.append((self._tick * TICK + offset, piece_of(word), "own"))
        self._tell(breath.done)
        return breath.pcm

    def _tell(self, said: Sequence[tuple[Say, float]]) -> None:
        for say, share in said:
            self._organs.policy.spoken(say, share)

    def _note(self, text: str, kind: TextKind) -> None:
        self._notes.append((self._tick * TICK, text, kind))

    def _patience(self) -> int:
        """Draw how long it bears silence, in ticks."""
        return self._manners.wait + int(self._rng.integers(self._manners.wait_spread))
