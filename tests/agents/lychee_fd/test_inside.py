"""Lychee-FD's adapter in a real worker, against its stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dyad.agents.lychee_fd.family import FAMILY
from dyad.bridge.loop import play as converse
from dyad.host.agent import HostAgent
from dyad.spec import RATE, TICK, Prompt
from dyad.testing.fakes import agents_of, lane
from tests.agents.drive import Floats, at_work, keeps_the_contract, noise, play, silence

HEARS = 16_000
WINDOW = 9_600  # samples at 24 kHz
TURN = (78 - 11) * 960  # of a turn of the stand-in: 78 positions, less delay and start
LEAD = 3_840  # silence before the vocoder's first piece
CLICK_S = 0.2  # spoken to in the first window

pytestmark = pytest.mark.xdist_group("lychee_fd")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    """All rows in one worker, as the other back end has them: one import of torch."""
    with at_work(FAMILY, rows_per_worker=0, gpu_share=0.3) as made:
        yield made


def clicks(seconds: float, *at_s: float) -> Floats:
    """Clicks at the given times, float32 [1, samples]."""
    heard = silence(seconds, HEARS)
    heard[[round(s * HEARS) for s in at_s]] = 0.6
    return heard[None]


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=80, rows_per_worker=0, gpu_share=0.3)


def test_it_answers_whole_windows_after_the_vocoder_has_its_fourteen_tokens(agent: HostAgent) -> None:
    played = play(agent, clicks(8.0, CLICK_S))
    sizes = [len(out.pcm[0]) for out in played.outs]
    busy = [tick for tick, size in enumerate(sizes) if size]
    # decides with tick 4; ten positions of delay and nine tokens later, the next window gives the first piece
    assert busy == [19, 24, 29, 34, 39, 44]
    assert sizes[19:44:5] == [WINDOW] * 5
    assert sum(sizes) == LEAD + TURN
    assert played.queue.under_runs[0] == 1  # as the turn ends inside of a tick


@pytest.mark.parametrize("place", [21_280, 41_919])
def test_what_it_hears_comes_back_after_its_lag(agent: HostAgent, place: int) -> None:
    heard = clicks(8.0, CLICK_S, place / HEARS)
    line = play(agent, heard).line[0]
    # the vocoder says in samples at 24 kHz what was heard in samples at 16 kHz
    assert abs(int(np.abs(line).argmax()) - place * 3 / 2 - 24 * FAMILY.caps({}).lag_ms) <= 1


def test_an_impulse_comes_back_after_lag_and_bridge(agent: HostAgent, tmp_path: Any) -> None:
    import soundfile

    from dyad.spec import AgentSpec

    ticks, places = 100, [5_000, 40_011]
    pcm = np.zeros(ticks * TICK, np.float32)
    pcm[places] = 0.9
    soundfile.write(tmp_path / "clicks.wav", pcm, RATE, subtype="FLOAT")
    partner = AgentSpec(name="playback", adapter="playback", params={"path": str(tmp_path / "clicks.wav")})
    runs = [lane(partner, "lychee_fd", ticks=ticks)]
    known = agents_of(runs, {"lychee_fd": agent})
    agent.load("cpu", 1)
    (recording,) = converse(runs, known)
    assert recording.pcm.shape == (2, ticks * TICK)
    peak = int(np.abs(recording.pcm[1]).argmax())
    filtered = 24  # samples by which the filter from 24 to 16 kHz moves a peak
    assert abs(peak - places[1] - 24 * FAMILY.caps({}).lag_ms - TICK - filtered) <= 1


def test_text_is_told_with_the_sound_that_it_belongs_to(agent: HostAgent) -> None:
    played = play(agent, clicks(8.0, CLICK_S))
    told = played.text(0)
    first = 19 * TICK + LEAD
    assert [at for at, _ in told] == [first + 4 * 960 * index for index in range(len(told))]
    assert {word for _, word in told} <= {"oh ", "yes ", "I do ", "so "}
    events = [(piece.at, piece.s) for out in played.outs for piece in out.text if piece.kind == "event"]
    assert events == [(4 * TICK, "L>S")]


def test_it_yields_to_who_goes_on_talking_and_drops_what_it_had_to_say(agent: HostAgent) -> None:
    heard = np.concatenate([clicks(0.8, CLICK_S)[0], noise(3.0, HEARS, level=0.1), silence(1.0, HEARS)])
    played = play(agent, heard[None])
    (flushed,) = played.flushed(0)
    assert flushed == 34  # the noise begins with tick 10: five windows of it are over
    assert not played.outs[flushed].pcm[0].size
    told = [piece.at for out in played.outs[: flushed + 1] for piece in out.text if piece.kind == "own"]
    assert told
    assert max(told) < flushed * TICK


def test_it_starts_by_itself_when_its_role_says_so_and_only_then(agent: HostAgent) -> None:
    agent.load("cpu", 3)
    told = [Prompt(text=text) for text in ("You speak first.", "You wait.", "")]
    agent.open(told, ["", "default_male", "mine.wav"], [1, 2, 3])
    heard, played = np.zeros((3, 1_280), np.float32), np.zeros(3, np.int64)
    said = [agent.step(tick, heard, played) for tick in range(25)]
    assert [sum(len(out.pcm[row]) for out in said) for row in range(3)] == [2 * WINDOW, 0, 0]


def test_a_role_is_not_given_where_it_is_not_wanted() -> None:
    with at_work(FAMILY, role="none", backend="hf", rows_per_worker=0) as stock:
        stock.load("cpu", 1)
        stock.open([Prompt(text="You speak first.")], [""], [1])
        heard, played = np.zeros((1, 1_280), np.float32), np.zeros(1, np.int64)
        assert not any(len(stock.step(tick, heard, played).pcm[0]) for tick in range(25))
        assert stock.numerics()["backend"] == "hf"


def test_self_play_in_one_worker_equals_each_row_alone(agent: HostAgent) -> None:
    from dyad.spec import AgentSpec

    tone = AgentSpec(name="tone", adapter="tone", params={"pattern": [[4, 8]]})
    runs = [lane("lychee_fd", tone, ticks=60, seed=seed) for seed in (1, 2)]

    def recorded(lanes: list[Any]) -> list[Floats]:
        agent.load("cpu", len(lanes))
        return [recording.pcm for recording in converse(lanes, agents_of(lanes, {"lychee_fd": agent}))]

    together, alone = recorded(runs), [recorded([run])[0] for run in runs]
    assert all(map(np.array_equal, together, alone))
    assert not np.array_equal(together[0][0], together[1][0])
    both = lane("lychee_fd", "lychee_fd", ticks=100, seed=3)
    agent.load("cpu", 2)
    (recording,) = converse([both], agents_of([both], {"lychee_fd": agent}))
    assert recording.pcm.shape == (2, 100 * TICK)
