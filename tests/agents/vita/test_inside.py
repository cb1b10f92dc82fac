"""VITA's adapter in a real worker, against its stand-in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dyad.agents.vita.family import FAMILY
from dyad.agents.vita.inside import phrases
from dyad.host.agent import HostAgent
from tests.agents.drive import (
    at_work,
    each_as_alone,
    goes_on_when_restored,
    keeps_the_contract,
    play,
    silence,
    turn,
)

RATE = 16_000
SIGN = 4_800  # samples of a token of the stand-in

pytestmark = pytest.mark.xdist_group("vita")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=60)


def test_it_answers_in_the_unit_in_which_half_a_second_of_silence_is_over(agent: HostAgent) -> None:
    played = play(agent, turn(0.8, 5.6, RATE)[None])
    # 0.8 s of speech end with the 25th window of 32 ms; the 42nd is in the sixth unit of 256 ms, which is
    # complete in tick ⌈6 · 3.2⌉ = 20, counted from 1
    assert played.flushed(0) == [19]
    first = int(np.flatnonzero(played.line[0])[0])
    assert first == 19 * 1920
    assert played.given(0) == played.queue.played[0] > 0
    assert played.speaking(0) == list(range(19, 19 + played.given(0) // 1920))
    assert played.queue.under_runs[0] == 0


def test_an_answer_comes_after_its_lag_at_most(agent: HostAgent) -> None:
    """A turn that ends with a unit: the 17th window after it, which ends it, is the first of another."""
    ends = np.array([32, 40, 48, 56, 64]) * 0.032  # s: units end at five places inside a tick
    played = play(agent, np.stack([turn(end, 2.88 - end, RATE) for end in ends]))
    starts = [np.flatnonzero(line)[0] / 24_000 for line in played.line]
    assert (starts - ends).max() == pytest.approx(FAMILY.caps({}).lag_ms / 1000)


def test_a_turn_of_less_than_a_second_is_dropped(agent: HostAgent) -> None:
    """The silence that ends it counts, and so does the unit before; only the first turn of all has none."""
    assert not play(agent, turn(0.16, 1.6, RATE)[None]).line.any()
    assert play(agent, np.concatenate([silence(0.32, RATE), turn(0.16, 1.6, RATE)])[None]).line.any()


def test_it_writes_at_once_and_speaks_as_needed(agent: HostAgent) -> None:
    played = play(agent, turn(1.6, 6.4, RATE)[None])
    busy = [tick for tick, out in enumerate(played.outs) if len(out.pcm[0])]
    sizes = [len(played.outs[tick].pcm[0]) for tick in busy]
    assert len(busy) == 4  # phrases: a cry and three more
    ends = np.cumsum(sizes)[:-1]
    assert busy[1:] == [busy[0] + end // 1920 for end in ends]
    # the soft start of the first is cut, of the others it is not
    assert [size % SIGN == 0 for size in sizes] == [False, True, True, True]


def test_the_comma_of_a_cry_is_spoken_as_a_stop(agent: HostAgent) -> None:
    played = play(agent, turn(0.8, 4.0, RATE)[None])
    mark = played.line[0, 19 * 1920 :][SIGN : 2 * SIGN - 100]
    alias = 24_000 - (300 + ord("。"))  # Hz: the stand-in has a tone for each sign
    assert np.abs(np.fft.rfft(mark, 24_000)).argmax() == pytest.approx(alias, abs=3)


def test_words_are_told_when_they_sound(agent: HostAgent) -> None:
    played = play(agent, turn(1.6, 6.4, RATE)[None])
    words = "".join(word for _, word in played.text(0))
    assert words.startswith("oh,")
    assert not words.endswith("so")  # what follows the last mark is not said
    for tick, out in enumerate(played.outs):
        assert all(tick * 1920 <= piece.at < (tick + 1) * 1920 for piece in out.text)


def test_another_turn_stops_it_when_that_is_over(agent: HostAgent) -> None:
    twice = np.concatenate([turn(1.6, 0.8, RATE), turn(0.96, 6.24, RATE, seed=1)])
    played = play(agent, twice[None])
    first, second = played.flushed(0)
    assert played.queue.flushes[0] == 1
    assert second * 0.08 > 3.36 + 0.5
    assert played.line[0, first * 1920 : second * 1920].reshape(-1, 1920).any(1).all()  # talks on until then
    told = [(at, word) for at, word in played.text(0) if at >= second * 1920]
    assert told[0] == (second * 1920, "ok,")  # the stand-in remembers that something was said before
    assert np.diff([at for at, _ in told]).min() > SIGN  # no word of the first answer is among them


def test_two_rows_are_each_as_alone(agent: HostAgent) -> None:
    heard = np.stack([turn(0.8, 3.2, RATE, 1), np.roll(turn(1.6, 2.4, RATE, 2), 3200)])
    each_as_alone(agent, heard)


def test_a_saved_row_speaks_on_as_it_would_have(agent: HostAgent) -> None:
    goes_on_when_restored(agent, np.concatenate([silence(0.48, RATE), turn(0.8, 5.12, RATE)]), 30, later=16)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("☞Yes, I do. And so", ["Yes,", " I do."]),
        ("Well. No. I do not.", ["Well.", " No. I do not."]),
        ("oh no. a. b.<|im_end|>", ["oh no.", " a. b."]),
        ("oh no. a.<|im_end|>", ["oh no.", " a."]),
        ("nothing", []),
    ],
)
def test_an_answer_is_cut_at_its_marks(text: str, expected: list[str]) -> None:
    assert phrases(text) == expected
