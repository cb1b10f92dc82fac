"""The adapter of Raon-SpeechChat in a real worker, on the stand-in for its package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.agents.raon.family import FAMILY
from dyad.bridge.loop import play as converse
from dyad.bridge.protocol import Agent, Lost, Out
from dyad.bridge.recorder import Recording
from dyad.host.agent import HostAgent
from dyad.host.process import WorkerError
from dyad.spec import RATE, TICK, AgentSpec, Prompt, RunSpec
from dyad.testing.fakes import agents_of, lane
from tests.agents.drive import Floats, at_work, keeps_the_contract, noise, play, silence

WORDS = {"oh", "yes", "I", "do", "no", "so", "ok", "and"}  # of the stand-in, no longer than three letters
LAG = 24 * 160
RAON = AgentSpec(name="raon", adapter="raon")
HELLO = Prompt(text="hello")
ROOM = {"speak_first": True, "max_sequence_length": 300, "prompt_tokens": 120}

pytestmark = pytest.mark.xdist_group("raon")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


@pytest.fixture(scope="module")
def opener() -> Iterator[HostAgent]:
    with at_work(FAMILY, **ROOM) as made:
        yield made


def turns(seconds: float = 8.0, rows: int = 1) -> Floats:
    """Two turns of a partner, a second each, in float32 [rows, samples]."""
    turn, pause = noise(0.8, RATE), silence(3.2, RATE)
    return np.tile(np.concatenate([turn, pause]), (rows, 2))[:, : round(seconds * RATE)]


def loud(out: Out, row: int = 0) -> bool:
    return bool(np.sqrt(np.mean(np.square(out.pcm[row]))) > 0.05)


def converses(agent: HostAgent, runs: list[RunSpec]) -> list[Recording]:
    known: dict[str, Agent] = {"raon": agent}
    agents = agents_of(runs, known)
    agent.load("cpu", 2 * len(runs))
    return converse(runs, agents)


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent)


def test_every_frame_that_goes_in_comes_out(agent: HostAgent) -> None:
    played = play(agent, np.stack([noise(4, RATE), silence(4, RATE)]))
    assert {len(pcm) for out in played.outs for pcm in out.pcm} == {TICK}
    assert played.line.shape == (2, 4 * RATE)
    assert not played.queue.under_runs.any()


@pytest.mark.parametrize("place", [5_000, 30_011, 61_007])
def test_an_impulse_comes_back_after_lag_and_bridge(agent: HostAgent, place: int, tmp_path: Path) -> None:
    pcm = np.zeros(60 * TICK, np.float32)
    pcm[place] = 0.5
    soundfile.write(tmp_path / "impulse.wav", pcm, RATE, subtype="FLOAT")
    params = {"path": str(tmp_path / "impulse.wav"), "channel": None, "gain": 1.0, "start_tick": 0}
    partner = AgentSpec(name="playback", adapter="playback", params={**params, "loop": False})
    (recording,) = converses(agent, [lane(partner, RAON, ticks=60)])
    assert recording.pcm.shape == (2, 60 * TICK)
    assert np.flatnonzero(recording.pcm[1]).tolist() == [place + LAG + TICK]


def test_it_answers_a_turn_and_falls_silent(agent: HostAgent) -> None:
    outs = play(agent, turns()).outs
    speaks = [loud(out) for out in outs]
    assert not any(speaks[:10])
    assert any(speaks[10:40])
    assert not any(speaks[40:50])


def test_it_says_when_it_speaks(agent: HostAgent) -> None:
    """Of the sound that the same answer holds, not of the frame that the model has just decided on."""
    outs = play(agent, turns()).outs
    said = [out.speaking is not None and bool(out.speaking[0]) for out in outs]
    # the first frame of a turn is made in silence, and the frame in which it ends in speech
    assert [False, *said[:-1]] == [loud(out) for out in outs]


def test_text_is_words_at_the_time_of_their_sound(agent: HostAgent) -> None:
    played = play(agent, turns())
    assert played.text(0)
    assert {word for _, s in played.text(0) for word in s.split()} <= WORDS
    for tick, out in enumerate(played.outs):
        assert all(piece.at == (tick + 1) * TICK for piece in out.text)


def test_a_backchannel_is_an_event_and_no_word(agent: HostAgent) -> None:
    played = play(agent, np.stack([noise(12, RATE)] * 4))
    events = [piece for out in played.outs for piece in out.text if piece.kind == "event"]
    assert {piece.s for piece in events} == {"backchannel"}
    assert len(events) < 4 * (12 * 12.5 // 20)  # a matter of chance, which is each row's own
    for event in events:
        own = [at for at, _ in played.text(event.row) if at > event.at]
        assert own[0] == event.at + TICK


def test_it_opens_when_it_is_told_to(opener: HostAgent) -> None:
    played = play(opener, silence(4, RATE)[None])
    at, _ = played.text(0)[0]
    assert at == TICK
    assert not any(loud(out) for out in played.outs[25:])


def test_a_voice_is_heard_and_costs_no_chance(agent: HostAgent, tmp_path: Path) -> None:
    """The encoder is built at the first voice; what that draws must not be missing in the row."""
    for hz in (150, 330):
        wave = 0.3 * np.sin(2 * np.pi * hz * np.arange(44_100) / 44_100)
        soundfile.write(tmp_path / f"{hz}.wav", wave, 44_100)
    voices = ["", *(str(tmp_path / f"{hz}.wav") for hz in (150, 330))]
    said: list[list[Floats]] = []
    for _ in range(2):
        agent.load("cpu", 3)
        agent.open([HELLO] * 3, voices, [5, 5, 5])
        heard = turns(4.0).reshape(-1, TICK)
        played = np.zeros(3, np.int64)
        outs = [agent.step(tick, np.stack([now] * 3), played) for tick, now in enumerate(heard)]
        said.append([np.concatenate([out.pcm[row] for out in outs]) for row in range(3)])
        texts = [[p.s for out in outs for p in out.text if p.row == row] for row in range(3)]
        assert texts[0] == texts[1] == texts[2] != []
    assert np.array_equal(said[0], said[1])
    for row, hz in enumerate((220, 150, 330)):
        turn = np.concatenate([out.pcm[row] for out in outs if loud(out, row)])
        peak = np.abs(np.fft.rfft(turn, RATE)).argmax()
        assert abs(int(peak) - hz) <= 3


def test_a_forced_sound_comes_out_a_frame_later(agent: HostAgent) -> None:
    given = noise(0.8, RATE, level=0.1, seed=3).reshape(-1, TICK)

    def before(tick: int) -> None:
        if 5 <= tick < 15:
            agent.force(0, given[tick - 5], None)

    line = play(agent, silence(2, RATE)[None], before=before).line[0]
    assert np.array_equal(line[6 * TICK : 16 * TICK], given.ravel())
    assert not line[: 6 * TICK].any()
    assert not line[16 * TICK :].any()


def test_forced_words_are_said_one_a_frame_after_an_onset(agent: HostAgent) -> None:
    forced = {5: " yes I", 6: " do", 9: "", 10: ""}

    def before(tick: int) -> None:
        if tick in range(5, 11):
            agent.force(0, None, forced.get(tick, ""))

    played = play(agent, silence(2, RATE)[None], before=before)
    assert played.text(0) == [(7 * TICK, " yes"), (8 * TICK, " I"), (9 * TICK, " do")]
    speaking = [out.speaking is not None and bool(out.speaking[0]) for out in played.outs]
    assert [tick for tick, speaks in enumerate(speaking) if speaks] == [6, 7, 8, 9]


def test_a_letter_is_told_when_all_of_its_bytes_are_said(agent: HostAgent) -> None:
    def before(tick: int) -> None:
        if tick in range(5, 12):
            agent.force(0, None, "é한" if tick == 5 else "")

    assert [s for _, s in play(agent, silence(2, RATE)[None], before=before).text(0)] == ["é", "한"]


def test_a_whole_conversation_of_words_just_fits(opener: HostAgent) -> None:
    """Its longest conversation has three tokens in every frame; one tick more finds no room."""
    ticks, kept = round(FAMILY.caps(ROOM).max_seconds / 0.08), 120
    told = len(f"system\n{FAMILY.render(Prompt(text='x'))}") - 1 + 3
    opener.load("cpu", 1)
    with pytest.raises(Lost, match=r"takes 121 tokens, but 120 are kept; set agent\.raon\.prompt_tokens=121"):
        opener.open([Prompt(text="x" * (kept + 1 - told))], [""], [1])
    opener.open([Prompt(text="x" * (kept - told))], [""], [1])

    def word(tick: int) -> Out:
        opener.force(0, None, " oh")
        return opener.step(tick, np.zeros((1, TICK), np.float32), np.zeros(1, np.int64))

    assert all(word(tick).text for tick in range(ticks))
    with pytest.raises(Lost, match=f"frame {ticks} failed upstream: .*out of range"):
        word(ticks)


def test_a_frame_that_the_decoder_loses_is_named(agent: HostAgent) -> None:
    agent.load("cpu", 2)
    agent.open([HELLO, Prompt(text="stall in frame 3")], ["", ""], [1, 2])
    nothing, played = np.zeros((2, TICK), np.float32), np.zeros(2, np.int64)
    for tick in range(3):
        agent.step(tick, nothing, played)
    with pytest.raises(Lost, match="frame 3 failed upstream: Expected exactly one audio result") as lost:
        agent.step(3, nothing, played)
    assert lost.value.rows == (1,)
    assert "\n" not in str(lost.value)
    agent.close()
    agent.open([HELLO], [""], [1])
    assert len(agent.step(0, nothing[:1], played[:1]).pcm[0]) == TICK


def test_a_checkpoint_with_late_acoustic_codes_has_to_be_declared() -> None:
    with (
        at_work(FAMILY, acoustic_delay=1) as agent,
        pytest.raises(WorkerError, match=r"come 0 frames late, not 1; set agent.raon.acoustic_delay=0"),
    ):
        agent.load("cpu", 1)


def test_two_conversations_with_itself_and_one_with_another(agent: HostAgent) -> None:
    tone = AgentSpec(name="tone", adapter="tone", params={"pattern": [[5, 15], [60, 70]], "level": 0.3})
    runs = [lane(RAON, RAON, ticks=100, seed=seed) for seed in (1, 2)] + [lane(tone, RAON, ticks=100)]
    recordings = converses(agent, runs)
    assert [recording.pcm.shape for recording in recordings] == [(2, 100 * TICK)] * 3
    assert np.abs(recordings[2].pcm[1]).max() > 0.05
