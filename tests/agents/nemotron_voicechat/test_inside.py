"""The adapter of NemotronLabs VoiceChat in a real worker, against its stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.agents.nemotron_voicechat.family import FAMILY
from dyad.bridge.loop import play as converse
from dyad.host.agent import HostAgent
from dyad.spec import RATE, TICK, AgentSpec, Prompt, RunSpec
from dyad.testing.fakes import agents_of, lane
from tests.agents.drive import Floats, at_work, keeps_the_contract, noise, play, silence

HEARS, HEARD, SAID = 16_000, 1_280, 1_764
TURN = 40  # frames

pytestmark = pytest.mark.xdist_group("nemotron_voicechat")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


def clicks(seconds: float, *places: int) -> Floats:
    """Clicks at the given samples, float32 [1, samples]."""
    heard = silence(seconds, HEARS)
    heard[list(places)] = 0.8
    return heard[None]


def said_of(agent: HostAgent, *roles: str, ticks: int = 5) -> list[float]:
    """Return the peak of what rows with these roles say when they hear nothing."""
    agent.load("cpu", len(roles))
    agent.open([Prompt(text=role) for role in roles], ["Aria"] * len(roles), list(range(len(roles))))
    heard, played = np.zeros((len(roles), HEARD), np.float32), np.zeros(len(roles), np.int64)
    pcm = [agent.step(tick, heard, played).pcm for tick in range(ticks)]
    return [max(float(np.abs(part[row]).max()) for part in pcm) for row in range(len(roles))]


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, voice="Aria")


def test_every_tick_gives_one_frame(agent: HostAgent) -> None:
    played = play(agent, np.stack([noise(4.0, HEARS, seed=seed) for seed in (1, 2)]))
    assert all([len(pcm) for pcm in out.pcm] == [SAID, SAID] for out in played.outs)
    assert list(played.queue.under_runs) == [0, 0]


@pytest.mark.parametrize("place", [20 * HEARD, 21 * HEARD + 639, 23 * HEARD - 1])
def test_what_it_hears_comes_back_a_frame_later(agent: HostAgent, place: int) -> None:
    line = play(agent, clicks(4.0, place)).line[0]
    assert int(np.abs(line).argmax()) == SAID + min(round(place % HEARD * SAID / HEARD), SAID - 1) + (
        place // HEARD * SAID
    )


def test_an_impulse_comes_back_after_lag_and_bridge(agent: HostAgent, tmp_path: Path) -> None:
    ticks, place = 60, 30_011
    pcm = np.zeros(ticks * TICK, np.float32)
    pcm[place] = 0.9
    soundfile.write(tmp_path / "click.wav", pcm, RATE, subtype="FLOAT")
    partner = AgentSpec(name="playback", adapter="playback", params={"path": str(tmp_path / "click.wav")})
    (recording,) = recordings(agent, lane(partner, "nemotron_voicechat", ticks=ticks))
    assert recording.shape == (2, ticks * TICK)
    peak = int(np.abs(recording[1]).argmax())
    filters = 23.5 + 23.5 * RATE / 22_050  # samples by which they move a peak, to 16 kHz and from 22.05
    assert abs(peak - place - 24 * FAMILY.caps({}).lag_ms - TICK - filters) <= 1


def recordings(agent: HostAgent, *runs: RunSpec) -> list[Floats]:
    """Play lanes in one batch."""
    known = agents_of(runs, {"nemotron_voicechat": agent})
    rows = sum(run.seat(seat).agent.adapter == "nemotron_voicechat" for run in runs for seat in ("a", "b"))
    agent.load("cpu", rows)
    return [recording.pcm for recording in converse(list(runs), known)]


def test_text_is_told_without_markers_and_when_it_sounds(agent: HostAgent) -> None:
    played = play(agent, clicks(6.0, 10 * HEARD))
    pieces = [(tick, piece) for tick, out in enumerate(played.outs) for piece in out.text]
    own = [(tick, piece.at, piece.s) for tick, piece in pieces if piece.kind == "own"]
    # it hears the click in frame 10, begins in frame 11, and then writes a word every four frames
    assert [tick for tick, _, _ in own] == list(range(12, 11 + TURN, 4))
    assert all(at == tick * TICK for tick, at, _ in own)
    assert {s for _, _, s in own} <= {" oh", " yes", " I do", " so"}
    assert [(tick, piece.s) for tick, piece in pieces if piece.kind == "heard"] == [(10, " la")]
    assert [(tick, piece.s) for tick, piece in pieces if piece.kind == "event"] == [(11, " up")]


def test_it_yields_to_who_goes_on_talking(agent: HostAgent) -> None:
    heard = np.concatenate([clicks(0.8, 100)[0], noise(1.6, HEARS), silence(0.8, HEARS)])
    line = play(agent, heard[None]).line[0].reshape(-1, SAID)
    talks = np.abs(line).max(axis=1) > 0
    assert list(np.flatnonzero(np.diff(talks.astype(int)))) == [
        0,
        18,
        29,
    ]  # ten loud frames; then it waits for a pause


def test_it_starts_by_itself_when_its_role_says_so_and_only_then(agent: HostAgent) -> None:
    first, second, third = said_of(agent, "You speak first.", "You wait.", "")
    assert first > 0
    assert (second, third) == (0, 0)


def test_its_numerics_say_which_heads_the_checkpoint_has(agent: HostAgent) -> None:
    said_of(agent, "")
    known = agent.numerics()
    assert (known["asr_head"], known["function_head"], known["forced_turn_taking"]) == ("True",) * 3


def test_self_play_in_one_worker_equals_each_row_alone(agent: HostAgent) -> None:
    tone = AgentSpec(name="tone", adapter="tone", params={"pattern": [[4, 8]]})
    runs = [lane("nemotron_voicechat", tone, ticks=40, seed=seed) for seed in (1, 2)]
    together = recordings(agent, *runs)
    alone = [recordings(agent, run)[0] for run in runs]
    assert all(map(np.array_equal, together, alone))
    assert not np.array_equal(together[0][0], together[1][0])
    (both,) = recordings(agent, lane("nemotron_voicechat", "nemotron_voicechat", ticks=40, seed=3))
    assert both.shape == (2, 40 * TICK)
