"""Freeze-Omni's adapter in a real worker, against its stand-in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dyad.agents.freeze_omni.family import FAMILY
from dyad.host.agent import HostAgent
from tests.agents.drive import PROMPT, at_work, keeps_the_contract, noise, play, silence

RATE, TICK_S = 16_000, 0.08
WORD = 6_000  # samples of a word of the stand-in at 24 kHz
REPLY = 12 * WORD  # five words and a stop, twice

pytestmark = pytest.mark.xdist_group("freeze_omni")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


def turn(after_s: float, seed: int = 0) -> np.ndarray:
    """0.8 s of speech, then silence."""
    return np.concatenate([noise(0.8, RATE, seed=seed), silence(after_s, RATE)])


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=60)


def test_it_answers_in_the_tick_that_completes_the_unit_of_its_decision(agent: HostAgent) -> None:
    played = play(agent, turn(4.8)[None])
    # speech ends with tick 9; after 0.48 s of silence, in the third quiet unit, the stand-in takes the floor
    assert played.flushed(0) == [15]
    first = int(np.flatnonzero(played.line[0])[0])
    assert 15 * 1920 <= first < 16 * 1920
    assert REPLY - 100 < played.given(0) == played.queue.played[0] <= REPLY  # the soft start is cut
    assert played.queue.under_runs[0] == 0


def test_it_writes_no_further_than_it_speaks(agent: HostAgent) -> None:
    played = play(agent, turn(4.8)[None])
    busy = [tick for tick, out in enumerate(played.outs) if len(out.pcm[0])]
    sizes = [len(played.outs[tick].pcm[0]) for tick in busy]
    # one phrase when the reply begins, and the other in the tick in which the queue would have run dry
    assert len(busy) == 2
    assert busy[1] == busy[0] + sizes[0] // 1920
    assert played.queue.fill[0] == 0


def test_words_are_told_when_they_sound(agent: HostAgent) -> None:
    played = play(agent, turn(4.8)[None])
    words = played.text(0)
    assert "".join(word for _, word in words).count(".") == 2
    for tick, out in enumerate(played.outs):
        assert all(tick * 1920 <= piece.at < (tick + 1) * 1920 for piece in out.text)


def test_what_it_says_depends_on_what_it_hears(agent: HostAgent) -> None:
    loud, soft = (play(agent, np.float32(level) * turn(2.4)[None]).line[0] for level in (1.0, 0.5))
    assert loud.max() == pytest.approx(2 * soft.max(), rel=0.02)
    assert not play(agent, silence(2.4, RATE)[None]).line.any()


def test_a_short_sound_is_no_turn(agent: HostAgent) -> None:
    cough = np.concatenate([noise(0.2, RATE), silence(3.0, RATE)])
    assert not play(agent, cough[None]).line.any()


def test_a_new_turn_stops_it_and_the_rest_is_neither_heard_nor_told(agent: HostAgent) -> None:
    # the gate opens again only after two seconds without speech, by which time the reply is still sounding
    quiet = silence(2.24, RATE)
    barge = np.concatenate([noise(0.8, RATE), quiet, noise(0.48, RATE, seed=1), silence(3.2, RATE)])
    played = play(agent, barge[None])
    first, second = played.flushed(0)
    assert played.queue.flushes[0] == 1
    told = [at for at, _ in played.text(0) if at < second * 1920]
    assert len(told) < 12
    assert max(told) < second * 1920
    assert played.given(0) > played.queue.played[0]
    assert first < second


def test_two_rows_are_each_as_alone(agent: HostAgent) -> None:
    heard = np.stack([turn(2.4, 1), np.roll(turn(2.4, 2), 3200)])
    together = play(agent, heard)
    for row in range(2):
        alone = play(agent, heard[row : row + 1], seeds=[row + 1])
        assert np.array_equal(together.line[row], alone.line[0])
        assert together.text(row) == alone.text(0)


def test_a_saved_row_speaks_on_as_it_would_have(agent: HostAgent) -> None:
    """Saved in mid-reply, begun anew, and restored."""
    heard = turn(4.8)[None]
    plain = play(agent, heard)

    def swap(tick: int) -> None:
        if tick == 20:
            state = agent.snapshot(0)
            agent.reset(0, PROMPT, "", 9)
            agent.restore(0, state)

    swapped = play(agent, heard, before=swap)
    assert plain.line[0, 20 * 1920] != 0
    assert np.array_equal(swapped.line, plain.line)
    assert swapped.text(0) == plain.text(0)
