"""VITA's adapter in a real worker, against its stand-in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dyad.agents.vita.family import FAMILY
from dyad.agents.vita.inside import phrases
from dyad.host.agent import HostAgent
from tests.agents.drive import PROMPT, Floats, at_work, keeps_the_contract, noise, play, silence

RATE = 16_000

pytestmark = pytest.mark.xdist_group("vita")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


def turn(speech_s: float, after_s: float, seed: int = 0) -> Floats:
    return np.concatenate([noise(speech_s, RATE, seed=seed), silence(after_s, RATE)])


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=60)


def test_it_answers_in_the_unit_in_which_half_a_second_of_silence_is_over(agent: HostAgent) -> None:
    played = play(agent, turn(0.8, 5.6)[None])
    # 0.8 s of speech end with the 25th window of 32 ms; the 42nd is in the sixth unit of 256 ms, which is
    # complete in tick ⌈6 · 3.2⌉ = 20, counted from 1
    assert played.flushed(0) == [19]
    first = int(np.flatnonzero(played.line[0])[0])
    assert first == 19 * 1920
    assert played.given(0) == played.queue.played[0] > 0
    assert played.queue.under_runs[0] == 0


def test_a_turn_of_less_than_a_second_is_dropped(agent: HostAgent) -> None:
    """The silence that ends it counts, and so does the unit before; only the first turn of all has none."""
    assert not play(agent, turn(0.16, 1.6)[None]).line.any()
    assert play(agent, np.concatenate([silence(0.32, RATE), turn(0.16, 1.6)])[None]).line.any()


def test_it_writes_at_once_and_speaks_as_needed(agent: HostAgent) -> None:
    played = play(agent, turn(1.6, 6.4)[None])
    busy = [tick for tick, out in enumerate(played.outs) if len(out.pcm[0])]
    sizes = [len(played.outs[tick].pcm[0]) for tick in busy]
    assert len(busy) == 4  # phrases: a cry and three more
    ends = np.cumsum(sizes)[:-1]
    assert busy[1:] == [busy[0] + end // 1920 for end in ends]


def test_words_are_told_when_they_sound(agent: HostAgent) -> None:
    played = play(agent, turn(1.6, 6.4)[None])
    words = "".join(word for _, word in played.text(0))
    assert words.startswith("oh,")
    assert not words.endswith("so")  # what follows the last mark is not said
    for tick, out in enumerate(played.outs):
        assert all(tick * 1920 <= piece.at < (tick + 1) * 1920 for piece in out.text)


def test_another_turn_stops_it_when_that_is_over(agent: HostAgent) -> None:
    twice = np.concatenate([turn(1.6, 0.8), turn(0.8, 6.4, seed=1)])
    played = play(agent, twice[None])
    first, second = played.flushed(0)
    assert played.queue.flushes[0] == 1
    assert second * 0.08 > 3.2 + 0.5
    assert played.line[0, first * 1920 : second * 1920].reshape(-1, 1920).any(1).all()  # talks on until then
    told = [word for at, word in played.text(0) if at >= second * 1920]
    assert told[0] == "ok,"  # the stand-in remembers that something was said before


def test_two_rows_are_each_as_alone(agent: HostAgent) -> None:
    heard = np.stack([turn(0.8, 3.2, 1), np.roll(turn(1.6, 2.4, 2), 3200)])
    together = play(agent, heard)
    for row in range(2):
        alone = play(agent, heard[row : row + 1], seeds=[row + 1])
        assert np.array_equal(together.line[row], alone.line[0])
        assert together.text(row) == alone.text(0)


def test_a_saved_row_speaks_on_as_it_would_have(agent: HostAgent) -> None:
    """Saved in mid-answer, begun anew, and restored."""
    heard = turn(0.8, 4.0)[None]
    plain = play(agent, heard)

    def swap(tick: int) -> None:
        if tick == 25:
            state = agent.snapshot(0)
            agent.reset(0, PROMPT, "", 9)
            agent.restore(0, state)

    swapped = play(agent, heard, before=swap)
    assert plain.line[0, 25 * 1920] != 0
    assert np.array_equal(swapped.line, plain.line)
    assert swapped.text(0) == plain.text(0)


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
