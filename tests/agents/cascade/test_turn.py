"""The turn-taking machine alone: given speech probabilities in, decisions out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

from dyad.agents.cascade.tongues import TONGUES
from dyad.agents.cascade.turn import Organs, Row
from dyad.agents.cascade.types import CascadeParams, Temperament
from dyad.speech.types import Speech, Spoken

MURMURS = TONGUES["en"].murmurs
SOUND = np.zeros(1280, np.float32)
ENDPOINT, LATENCY, BARGE_IN = 6, 3, 8


def voice(text: str, seed: int = 0, pace: float = 1.0) -> Speech:
    """Give every word two ticks."""
    words = text.split()
    places = tuple(Spoken(w, k * 3840, (k + 1) * 3840) for k, w in enumerate(words))
    return Speech(np.full(3840 * len(words), 0.5, np.float32), places)


@dataclass
class Guess:
    """Light ears that hear one given text, whatever is said."""

    text: str = "something else"
    fed: int = 0
    ends: int = 0

    def feed(self, pcm16k: np.ndarray) -> str:
        self.fed += 1
        return self.text

    def end(self) -> str:
        self.ends += 1
        return self.text

    def reset(self) -> None:
        self.ends = 0


@dataclass
class Stage:
    """A row with given organs, and what it did."""

    policy: object
    params: CascadeParams = field(default_factory=CascadeParams)
    opens: bool = False
    heard: str = "hello there"
    guess: Guess = field(default_factory=Guess)
    seed: int = 1

    def run(self, probs: list[float]) -> Stage:
        organs = Organs(lambda pcm, hint="": self.heard, self.guess, voice, self.policy)
        self.row = Row(organs, self.params, self.opens, np.random.default_rng(self.seed))
        steps = [self.row.step(t, SOUND, p) for t, p in enumerate(probs)]
        self.loud = [bool(pcm.any()) for pcm, _ in steps]
        self.notes = [(at // 1920, s, kind) for _, notes in steps for at, s, kind in notes]
        return self

    def at(self, text: str) -> list[int]:
        return [tick for tick, s, _ in self.notes if s.strip() == text]


def params(**temperament: float) -> CascadeParams:
    return CascadeParams(temperament=Temperament(**temperament))


QUIET, SPEECH = [0.0], [1.0]


def test_it_answers_after_end_point_and_latency(lines):
    policy = lines(replies=("yes", "indeed"))
    stage = Stage(policy).run(QUIET * 5 + SPEECH * 10 + QUIET * 30)
    last = 14
    assert policy.heard == ["hello there"]
    assert stage.at("hello there") == [last + ENDPOINT]
    assert stage.at("yes") == [last + ENDPOINT + LATENCY]
    assert policy.shares == [("yes", 1.0), ("indeed", 1.0)]


def test_an_answer_waits_while_the_other_goes_on_and_covers_all_that_was_said(lines):
    policy = lines(replies=("yes",))
    stage = Stage(policy).run(SPEECH * 10 + QUIET * 7 + SPEECH * 10 + QUIET * 20)
    assert policy.heard == ["hello there hello there"]
    assert stage.at("yes") == [26 + ENDPOINT + LATENCY]


def test_a_click_neither_answers_nor_delays(lines):
    policy = lines(replies=("yes",))
    stage = Stage(policy).run(SPEECH * 10 + QUIET * 7 + SPEECH + QUIET * 20)
    assert stage.at("yes") == [9 + ENDPOINT + LATENCY]


def test_it_opens_at_once(lines):
    stage = Stage(lines(opening=("hello you",)), opens=True).run(QUIET * 20)
    assert stage.at("hello")[0] < 6


LONG = "a b c d e f g h i j k l m n o p"


def spoken_over(lines, ticks: int, temper: CascadeParams | None = None, **more) -> Stage:
    """Let it speak, and speak over it from tick 20."""
    policy = lines(opening=(LONG,))
    return Stage(policy, temper or params(), opens=True, **more).run(QUIET * 20 + SPEECH * ticks + QUIET * 30)


def test_spoken_over_it_stops_and_says_how_much_was_said(lines):
    stage = spoken_over(lines, 15)
    start, stop = stage.at("a")[0], 20 + BARGE_IN - 1
    assert stage.at("yield") == [stop]
    assert not any(stage.loud[stop + 1 : stop + 10])
    words = [s.strip() for _, s, kind in stage.notes if kind == "own" and s.strip() not in MURMURS]
    assert words == LONG.split()[: (stop - start + 1) // 2]
    assert stage.policy.shares[0] == (LONG, pytest.approx((stop - start) / 32))


def test_it_talks_on_when_it_never_yields(lines):
    stage = spoken_over(lines, 15, params(yielding=0))
    assert stage.at("barge-in") == [27]
    assert stage.at("yield") == []
    assert stage.policy.shares == [(LONG, 1.0)]


@pytest.mark.parametrize(("ticks", "guess"), [(6, "something else"), (11, "mm-hmm and okay")])
def test_a_backchannel_neither_stops_nor_answers(lines, ticks, guess):
    stage = spoken_over(lines, ticks, params(yielding=1), guess=Guess(guess))
    assert stage.at("yield") == []
    assert stage.policy.shares == [(LONG, 1.0)]
    assert stage.policy.heard == []


def test_a_hum_after_the_own_turn_is_no_answer(lines):
    policy = lines()
    assert Stage(policy, guess=Guess("mm-hmm")).run(SPEECH * 8 + QUIET * 20).at("mm-hmm") == [7 + ENDPOINT]
    assert policy.heard == []


def test_when_both_begin_at_once_the_more_yielding_stops_first(lines):
    def stop(yielding: float, seed: int) -> int:
        policy = lines(opening=(LONG,))
        stage = Stage(policy, params(yielding=yielding), opens=True, seed=seed)
        return stage.run(QUIET * 5 + SPEECH * 60).at("yield")[0]

    assert all(stop(0.9, seed) < stop(0.2, seed) for seed in range(10))
    assert len({stop(0.5, seed) for seed in range(10)}) > 1  # equals do not stop together for ever


def test_it_cuts_in_on_a_partial_result(lines):
    policy = lines(early=("wait",), replies=("no",))
    stage = Stage(policy, params(patience=0)).run(SPEECH * 20 + QUIET * 40)
    assert stage.at("interrupt") == [4]
    assert stage.at("wait") == [4]


def test_without_early_it_does_not_cut_in_nor_ask_for_partials(lines):
    calm = params(patience=0).model_copy(update={"early": False})
    stage = Stage(lines(early=("wait",)), calm).run(SPEECH * 20 + QUIET * 10)
    assert stage.at("interrupt") == []
    assert stage.guess.fed == 0


def test_partials_hear_the_whole_utterance_and_are_closed(lines):
    stage = Stage(lines(), params(patience=0)).run(QUIET * 10 + SPEECH * 20 + QUIET * 10)
    assert stage.guess.fed == 4 + 20 + ENDPOINT - 1  # pre-roll, speech, and the silence before the end point
    assert stage.guess.ends == 1


def test_it_murmurs_while_the_other_speaks_long(lines):
    stage = Stage(lines(), params(talkativeness=1)).run(QUIET * 5 + SPEECH * 200)
    murmurs = [tick for tick, s, kind in stage.notes if kind == "own" and s.strip() in MURMURS]
    assert murmurs == stage.at("backchannel")
    assert min(np.diff([5, *murmurs])) >= 25
    assert Stage(lines(), params(talkativeness=0)).run(SPEECH * 200).at("backchannel") == []


def test_a_murmur_never_falls_into_a_pause_and_changes_every_time(lines):
    probs = (SPEECH * 12 + QUIET * 3) * 40
    stage = Stage(lines(), params(talkativeness=1)).run(probs)
    at = stage.at("backchannel")
    assert all(probs[tick] for tick in at)
    assert sum(not probs[tick - 1] for tick in at) > len(at) / 2  # the other has just gone on
    said = [s for _, s, kind in stage.notes if kind == "own"]
    assert all(one != two for one, two in pairwise(said))


def test_who_gave_way_does_not_cut_in_on_the_same_utterance(lines):
    policy = lines(opening=(LONG,), early=("wait",))
    stage = Stage(policy, params(patience=0), opens=True).run(QUIET * 20 + SPEECH * 40 + QUIET * 5)
    assert len(stage.at("yield")) == 1
    assert stage.at("interrupt") == []


def test_it_breaks_a_silence_after_a_wait_that_grows_with_patience(lines):
    def first(patience: float, seed: int) -> int:
        policy = lines(fill=("so",))
        return Stage(policy, params(patience=patience), seed=seed).run(QUIET * 120).at("so")[0]

    waits = [[first(patience, seed) for seed in range(8)] for patience in (0.0, 1.0)]
    assert max(waits[0]) < min(waits[1])
    assert len(set(waits[0])) > 3


def test_measured_latency_is_counted_in_whole_ticks(lines):
    stage = Stage(lines(replies=("yes",)), CascadeParams(latency="measured"))
    stage.run(SPEECH * 10 + QUIET * 20)
    (note,) = [s for _, s, kind in stage.notes if kind == "event"]
    assert stage.at("yes") == [9 + ENDPOINT + int(note.split()[1])]
    assert int(note.split()[1]) >= 1


def test_finished_waits_for_quiet(lines):
    policy = lines(replies=("bye",), finished=True)
    probs = SPEECH * 10 + QUIET * 11
    assert not Stage(policy).run(probs).row.finished
    assert Stage(policy).run(probs + QUIET * 20).row.finished
