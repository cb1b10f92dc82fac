"""The adapter of MiniCPM-o in a real worker, against its stand-in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from dyad.agents.minicpm_o.family import FAMILY, VOICES
from dyad.bridge.protocol import Lost
from dyad.host.agent import HostAgent
from dyad.spec import Prompt
from tests.agents.drive import (
    PROMPT,
    Floats,
    Played,
    at_work,
    clicks,
    each_as_alone,
    keeps_the_contract,
    noise,
    play,
    silence,
)

RATE, SECOND = 16_000, 24_000  # of what it hears, and samples of a unit's sound
FIRST_UNIT = 23_040  # where the first unit sounds: 40 ms before its end
LAG = 24 * FAMILY.caps({}).lag_ms
WAIT = 6_720  # samples before a turn's first sound: three silent tokens and 160 ms of the vocoder
TOKEN = 960
OPENER = Prompt(text="Your name is Mara. You speak first.")

pytestmark = pytest.mark.xdist_group("minicpm_o")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY, force_listen_count=0) as made:
        yield made


def talk(
    agent: HostAgent,
    heard: Floats,
    seed: int,
    prompt: Prompt = PROMPT,
    before: Callable[[int], None] | None = None,
) -> Played:
    """Let one row hear float32 [samples]."""
    return play(agent, heard[None], [seed], [prompt], [VOICES[0]], before)


@pytest.fixture(scope="module")
def talker(agent: HostAgent) -> int:
    """A seed with which a turn is long: three units, the first a whole second."""
    for seed in range(30):
        said = talk(agent, silence(5.6, RATE), seed, OPENER).text(0)
        if len(said) >= 3 and len(said[0][1].split()) >= 4:
            return seed
    raise AssertionError("no turn is long")


def units(played: Played, row: int = 0) -> list[tuple[int, int]]:
    """Return (tick, samples) of every answer of a row."""
    return [(tick, len(out.pcm[row])) for tick, out in enumerate(played.outs) if len(out.pcm[row])]


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=64, voice=VOICES[0], force_listen_count=0)


def test_a_turn_of_several_units_has_no_gap_and_no_overlap(agent: HostAgent) -> None:
    for seed in range(4):
        played = talk(agent, silence(5.6, RATE), seed, OPENER)
        starts = [at for at, _ in played.text(0)]
        assert starts == [FIRST_UNIT + SECOND * unit for unit in range(len(starts))]
        assert len(starts) >= 2
        # units end inside ticks 12, 24, 37 …; one that ends with its tick waits 40 ms, or others do
        assert [tick for tick, _ in units(played)] == [12, 24, 37, 49][: len(starts)]
        assert played.queue.under_runs[0] == 0
        sound = np.flatnonzero(np.abs(played.line[0]) > 0.01)
        assert np.diff(sound).max() < 100
        assert played.given(0) == played.queue.played[0]
        assert played.line.shape == (1, 70 * 1920)


def test_a_turn_that_begins_on_an_even_second_waits_for_the_middle_of_its_tick(agent: HostAgent) -> None:
    played = talk(agent, clicks(5.6, RATE, RATE + 4000), 0)
    assert played.text(0)[0][0] == FIRST_UNIT + SECOND
    tick, samples = units(played)[0]
    assert (tick, samples) == (24, 960 + SECOND)


@pytest.mark.parametrize("place", [0, 4000, RATE - 82, RATE - 78, RATE, 24_002, 2 * RATE - 2])
def test_a_click_comes_back_after_the_lag_to_the_sample(agent: HostAgent, talker: int, place: int) -> None:
    """The bridge adds its tick, and every other unit no more than the first."""
    played = talk(agent, clicks(5.6, RATE, place), talker, OPENER)
    loud = np.flatnonzero(np.abs(played.line[0]) > 0.25)
    assert loud[0] == place * 3 // 2 + LAG


def test_an_answer_to_a_click_comes_after_the_lag(agent: HostAgent) -> None:
    for seed, place in [(0, 4000), (1, RATE + 4000), (2, 2 * RATE + 6000)]:
        played = talk(agent, clicks(5.6, RATE, place), seed)
        at, text = played.text(0)[0]
        # a short first unit comes with silence before
        missing = TOKEN * max(0, 25 - 5 - 5 * len(text.split()))
        assert at == FIRST_UNIT + SECOND * (place // RATE)
        assert np.flatnonzero(np.abs(played.line[0]) > 0.25)[0] == place * 3 // 2 + LAG + missing


def test_no_sample_is_lost_between_units(agent: HostAgent, talker: int) -> None:
    places = list(range(1000, 2 * RATE - 1000, 1778))
    played = talk(agent, clicks(5.6, RATE, *places), talker, OPENER)
    loud = np.abs(played.line[0]) > 0.25
    assert all(loud[place * 3 // 2 + LAG] for place in places)
    assert np.count_nonzero(loud[1:] & ~loud[:-1]) == len(places)


def test_what_it_hears_leaves_a_trace_in_the_next_unit(agent: HostAgent, talker: int) -> None:
    """The stand-in's encoder remembers, a little."""
    first = clicks(5.6, RATE, *range(800, RATE, 1600), level=0.35)
    lines = [talk(agent, heard, talker, OPENER).line[0] for heard in (first, silence(5.6, RATE))]
    second = slice(RATE * 3 // 2 + LAG + 2_000, 2 * RATE * 3 // 2 + LAG - 2_000)
    assert not np.array_equal(lines[0][second], lines[1][second])
    assert np.allclose(lines[0][second], lines[1][second], atol=1e-3)


def test_the_last_unit_of_a_turn_is_shorter_or_longer_than_a_second(agent: HostAgent) -> None:
    sizes = set[int]()
    for seed in range(8):
        played = talk(agent, silence(6.4, RATE), seed, OPENER)
        spoken, texts = units(played), [text for _, text in played.text(0)]
        assert all(texts)  # the end of a turn alone is no text
        words = len(texts[-1].split()) if len(texts) == len(spoken) else 0
        tokens = min(25, 5 * (words + 1) + 5)  # the end of the turn is a token of text, too
        sizes.add(spoken[-1][1])
        assert spoken[-1][1] == TOKEN * tokens + WAIT
        assert played.queue.fill[0] == 0
    assert min(sizes) < SECOND < max(sizes)


def test_units_of_listening_say_nothing(agent: HostAgent) -> None:
    played = talk(agent, silence(4.0, RATE), 0)
    assert played.given(0) == 0
    assert played.text(0) == []
    assert not any(out.speaking is None or out.speaking[0] for out in played.outs)


def test_it_only_listens_at_first() -> None:
    with at_work(FAMILY) as stock:
        played = talk(stock, silence(5.6, RATE), 0, OPENER)
    assert played.text(0)[0][0] == FIRST_UNIT + 3 * SECOND


def test_the_stock_model_talks_on_when_spoken_over_and_may_be_let_yield(
    agent: HostAgent, talker: int
) -> None:
    quiet = silence(5.6, RATE)
    over = np.concatenate([silence(1.2, RATE), noise(4.4, RATE, level=0.1)])
    stock, alone = talk(agent, over, talker, OPENER), talk(agent, quiet, talker, OPENER)
    with at_work(FAMILY, force_listen_count=0, yield_on_listen=True) as made:
        yielding, calm = (talk(made, heard, talker, OPENER) for heard in (over, quiet))
    assert stock.flushed(0) == []
    assert len(stock.text(0)) >= 3
    assert yielding.flushed(0)[0] == 24  # the second unit ends in tick 24, and 40 ms of the first still wait
    assert not yielding.line[0, 24 * 1920 : 37 * 1920].any()
    assert np.array_equal(calm.line, alone.line)


def test_rows_of_one_worker_do_not_touch_each_other(agent: HostAgent) -> None:
    heard = np.stack([clicks(5.6, RATE, 4000), clicks(5.6, RATE, 20_000, 40_000)])
    each_as_alone(agent, heard, [OPENER] * 2, VOICES)


def test_another_process_says_the_same_for_the_same_seed(agent: HostAgent) -> None:
    """The vocoder's noise is drawn while the model is made."""
    with at_work(FAMILY, force_listen_count=0) as other:
        lines = [talk(made, silence(3.2, RATE), 0, OPENER).line for made in (agent, other)]
    assert lines[0].any()
    assert np.array_equal(*lines)


def test_a_text_is_said_in_as_many_units_as_it_takes(agent: HostAgent) -> None:
    given = "oh yes no I do so it is ok but me we go on my"

    def dictate(tick: int) -> None:
        if tick in (3, 15):
            agent.force(0, None, given if tick == 3 else "so it is")

    played = talk(agent, silence(5.6, RATE), 0, before=dictate)
    said = [text for _, text in played.text(0)]
    assert "".join(said) == f" {given} so it is"
    assert all(len(text) < 28 for text in said)
    assert [at for at, _ in played.text(0)] == [FIRST_UNIT + SECOND * unit for unit in range(len(said))]
    assert played.queue.under_runs[0] == 0
    assert not played.line[0, -1920:].any()


def test_an_empty_text_ends_a_turn(agent: HostAgent, talker: int) -> None:
    def hush(tick: int) -> None:
        if tick in (20, 30):
            agent.force(0, None, "" if tick == 20 else "so it is")

    played = talk(agent, silence(5.6, RATE), talker, OPENER, before=hush)
    assert played.flushed(0) == [24]
    # the next turn is at its time, although something was dropped
    assert [at for at, _ in played.text(0)] == [FIRST_UNIT, FIRST_UNIT + 2 * SECOND]


def test_its_sound_cannot_be_forced(agent: HostAgent) -> None:
    talk(agent, silence(0.08, RATE), 0)
    with pytest.raises(Lost, match="only text can be forced"):
        agent.force(0, np.zeros(1920, np.float32), None)


def test_a_row_without_a_voice_is_refused(agent: HostAgent) -> None:
    with pytest.raises(Lost, match="needs a reference voice"):
        play(agent, silence(0.08, RATE)[None])
