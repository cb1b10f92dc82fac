"""The adapter of Raon-SpeechChat in a real worker, on the stand-in for its package."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from dyad.agents.raon.family import FAMILY
from dyad.agents.raon.inside import Row
from dyad.bridge.protocol import Lost, Out
from dyad.host.agent import HostAgent
from dyad.host.family import DOUBLES
from dyad.host.process import WorkerError
from dyad.library import load_library, prompt, select
from dyad.spec import RATE, TICK, AgentSpec, Prompt
from dyad.testing.fakes import lane
from tests.agents.drive import (
    Floats,
    answer_to,
    at_work,
    clicks,
    keeps_the_contract,
    noise,
    play,
    recordings,
    silence,
    turn,
)

WORDS = {"oh", "yes", "I", "do", "no", "so", "ok", "and"}  # of the stand-in, no longer than three letters
LAG = 24 * 160
SPEAKER = "spkrec-ecapa-voxceleb"
RAON = AgentSpec(name="raon", adapter="raon")
HELLO = Prompt(text="hello")
ROOM = {"speak_first": "always", "max_sequence_length": 300, "prompt_tokens": 120}

pytestmark = pytest.mark.xdist_group("raon")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of weights, as a user gives it."""
    folder = tmp_path_factory.mktemp("weights")
    shutil.copytree(DOUBLES / "raon" / SPEAKER, folder / SPEAKER)
    return folder


@pytest.fixture(scope="module")
def agent(weights: Path) -> Iterator[HostAgent]:
    with at_work(FAMILY, weights=str(weights)) as made:
        yield made


@pytest.fixture(scope="module")
def opener() -> Iterator[HostAgent]:
    with at_work(FAMILY, **ROOM) as made:
        yield made


def digest(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder; a link is told from a file."""
    return {f"{path.name} {path.is_symlink()}": path.read_bytes() for path in folder.iterdir()}


def turns(seconds: float = 8.0, rows: int = 1) -> Floats:
    """Two turns of a partner, float32 [rows, samples]."""
    return np.tile(turn(0.8, 3.2, RATE), (rows, 2))[:, : round(seconds * RATE)]


def loud(out: Out, row: int = 0) -> bool:
    return bool(np.sqrt(np.mean(np.square(out.pcm[row]))) > 0.05)


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent)


def test_every_frame_that_goes_in_comes_out(agent: HostAgent) -> None:
    played = play(agent, np.stack([noise(4, RATE), silence(4, RATE)]))
    assert {len(pcm) for out in played.outs for pcm in out.pcm} == {TICK}
    assert played.line.shape == (2, 4 * RATE)
    assert not played.queue.under_runs.any()


@pytest.mark.parametrize("place", [5_000, 30_011, 61_007])
def test_an_impulse_comes_back_after_lag_and_bridge(agent: HostAgent, place: int, tmp_path: Path) -> None:
    said = answer_to(agent, clicks(4.8, RATE, place), tmp_path)
    assert np.flatnonzero(said).tolist() == [place + LAG + TICK]


def test_what_would_be_too_loud_is_clipped(agent: HostAgent) -> None:
    assert play(agent, clicks(0.8, RATE, 5_000, level=8.0)[None]).line.max() == 1.0


def test_a_row_that_is_closed_is_freed() -> None:
    freed = list[object]()
    net = SimpleNamespace(max_delay=0, _talker_past_key_values=None, free_duplex_decoding_state=freed.append)
    machine = SimpleNamespace(phase=SimpleNamespace(value="SIL"))
    state = SimpleNamespace(sequences=np.zeros((1, 3)), machine_state=machine)
    Row(SimpleNamespace(net=net), state).close()  # type: ignore[arg-type]
    assert freed == [state]


def test_it_answers_a_turn_and_falls_silent(agent: HostAgent) -> None:
    outs = play(agent, turns()).outs
    speaks = [loud(out) for out in outs]
    assert not any(speaks[:10])
    assert any(speaks[10:40])
    assert not any(speaks[40:50])


def test_it_says_when_it_speaks(agent: HostAgent) -> None:
    """Of the sound that the same answer holds, not of the frame that the model has just decided on."""
    played = play(agent, turns())
    # the first frame of a turn is made in silence, and the frame in which it ends in speech
    sounds = [tick for tick, out in enumerate(played.outs) if loud(out)]
    assert [tick + 1 for tick in played.speaking(0)] == sounds


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
    said: list[Floats] = []
    for _ in range(2):
        played = play(agent, turns(4.0, rows=3), [5, 5, 5], voices=voices)
        said.append(played.line)
        assert played.text(0) == played.text(1) == played.text(2) != []
    assert np.array_equal(said[0], said[1])
    for row, hz in enumerate((220, 150, 330)):
        voice = np.concatenate([out.pcm[row] for out in played.outs if loud(out, row)])
        peak = np.abs(np.fft.rfft(voice, RATE)).argmax()
        assert abs(int(peak) - hz) <= 3


def test_a_voice_leaves_no_trace_in_its_encoders_folder(agent: HostAgent, weights: Path) -> None:
    """Run ids name a folder by all files in it, and the hub's cache may be read-only."""
    before = digest(weights / SPEAKER)
    voice = weights / "voice.wav"
    soundfile.write(voice, noise(0.5, RATE), RATE)
    play(agent, silence(0.16, RATE)[None], voices=[str(voice)])
    assert digest(weights / SPEAKER) == before == digest(DOUBLES / "raon" / SPEAKER)


def test_a_forced_sound_comes_out_a_frame_later(agent: HostAgent) -> None:
    given = noise(0.8, RATE, level=0.1, seed=3).reshape(-1, TICK)

    def before(tick: int) -> None:
        if 5 <= tick < 15:
            agent.force(0, given[tick - 5], None)

    line = play(agent, silence(2, RATE)[None], before=before).line[0]
    # all but the first sample, since the stand-in for the codec has no past then
    assert np.array_equal(line[6 * TICK + 1 : 16 * TICK], given.ravel()[1:])
    assert not line[: 6 * TICK].any()
    assert not line[16 * TICK :].any()


def test_forced_words_are_said_one_a_frame_after_an_onset(agent: HostAgent) -> None:
    forced = {5: " yes I", 6: " do", 9: "", 10: ""}

    def before(tick: int) -> None:
        if tick in range(5, 11):
            agent.force(0, None, forced.get(tick, ""))

    played = play(agent, silence(2, RATE)[None], before=before)
    assert played.text(0) == [(7 * TICK, " yes"), (8 * TICK, " I"), (9 * TICK, " do")]
    assert played.speaking(0) == [6, 7, 8, 9]


def test_forced_speech_goes_on_without_words_while_its_sound_is_loud(agent: HostAgent) -> None:
    loud_sound = noise(0.08, RATE, level=0.1)

    def before(tick: int) -> None:
        if tick in range(5, 15):
            agent.force(0, loud_sound if tick < 12 else 0 * loud_sound, " yes" if tick == 5 else "")

    played = play(agent, silence(2, RATE)[None], before=before)
    assert played.text(0) == [(7 * TICK, " yes")]
    assert played.speaking(0) == list(range(6, 13))


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


def test_a_decoder_that_dies_costs_a_row_and_is_started_anew(agent: HostAgent) -> None:
    agent.load("cpu", 2)
    agent.open([HELLO, Prompt(text="die in frame 3")], ["", ""], [1, 2])
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
        pytest.raises(WorkerError, match=r"come 0 frames late, not 1; set agent.raon.acoustic_delay=0"),
        at_work(FAMILY, acoustic_delay=1),
    ):
        pass


def test_two_conversations_with_itself_and_one_with_another(agent: HostAgent) -> None:
    tone = AgentSpec(name="tone", adapter="tone", params={"pattern": [[5, 15], [60, 70]], "level": 0.3})
    runs = [lane(RAON, RAON, ticks=100, seed=seed) for seed in (1, 2)] + [lane(tone, RAON, ticks=100)]
    recorded = recordings(agent, *runs)
    assert [recording.pcm.shape for recording in recorded] == [(2, 100 * TICK)] * 3
    assert np.abs(recorded[2].pcm[1]).max() > 0.05


@pytest.mark.parametrize(("speak_first", "begin"), [("opener", [True, False]), ("always", [True, True])])
def test_who_opens_begins_and_the_other_waits(speak_first: str, begin: list[bool]) -> None:
    """Nobody says a word to either; which row opens stands in its prompt's sheet."""
    library = load_library()
    scenario = select(library, ["t1_1"], limit=1)[0]
    prompts = [prompt(library, scenario, "a", opens) for opens in (True, False)]
    with at_work(FAMILY, speak_first=speak_first) as agent:
        agent.load("cpu", 2)
        agent.open(prompts, ["", ""], [1, 2])
        outs = [
            agent.step(tick, np.zeros((2, TICK), np.float32), np.zeros(2, np.int64)) for tick in range(12)
        ]
    assert [any(loud(out, row) for out in outs) for row in range(2)] == begin
