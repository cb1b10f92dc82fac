"""Plays an agent without a partner: rows hear given sound, and the play-out queue takes what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from dyad.audio import tick_size
from dyad.bridge.loop import play as converse
from dyad.bridge.playout import PlayOut
from dyad.bridge.protocol import Agent, Family, Out
from dyad.bridge.recorder import Recording
from dyad.host.agent import HostAgent
from dyad.spec import RATE, SEATS, TICK, AgentSpec, Prompt, RunSpec
from dyad.testing import check_agent
from dyad.testing.fakes import agents_of, lane

Floats = NDArray[np.float32]
PROMPT = Prompt(text="Your name is Mara.")


@dataclass(frozen=True)
class Played:
    """What rows said: the line as float32 [rows, samples], every step's answer, and the queue at the end."""

    line: Floats
    outs: list[Out]
    queue: PlayOut

    def text(self, row: int, kind: str = "own") -> list[tuple[int, str]]:
        """Return (at, text) of a row's words, or of pieces of another kind."""
        pieces = [piece for out in self.outs for piece in out.text]
        return [(piece.at, piece.s) for piece in pieces if piece.row == row and piece.kind == kind]

    def given(self, row: int) -> int:
        """Return how many samples a row has said, played or not."""
        return sum(len(out.pcm[row]) for out in self.outs)

    def flushed(self, row: int) -> list[int]:
        """Return the ticks in which a row dropped what waited."""
        return [tick for tick, out in enumerate(self.outs) if out.flush is not None and out.flush[row]]

    def speaking(self, row: int) -> list[int]:
        """Return the ticks in which a row says that it speaks."""
        return [tick for tick, out in enumerate(self.outs) if out.speaking is not None and out.speaking[row]]


def play(
    agent: Agent,
    heard: Floats,
    seeds: Sequence[int] = (),
    prompts: Sequence[Prompt] = (),
    voices: Sequence[str] = (),
    before: Callable[[int], None] | None = None,
) -> Played:
    """Let rows hear float32 [rows, samples], which is a whole number of ticks; rows stay open.

    Seeds count from 1, prompts are PROMPT, voices none, unless they are given for each row.
    """
    rows, caps = len(heard), agent.caps
    ticks = heard.reshape(rows, -1, tick_size(caps.rate_in)).swapaxes(0, 1)
    queue, outs, line = PlayOut(rows, tick_size(caps.rate_out)), list[Out](), list[Floats]()
    agent.load("cpu", rows, len(ticks))
    agent.open(prompts or [PROMPT] * rows, voices or [""] * rows, seeds or range(1, rows + 1))
    for tick, now in enumerate(ticks):
        if before:
            before(tick)
        outs.append(out := agent.step(tick, np.ascontiguousarray(now), queue.played.copy()))
        line.append(queue.turn(out.pcm, out.flush, out.speaking))
    return Played(np.concatenate(line, axis=1), outs, queue)


def noise(seconds: float, rate: int, level: float = 0.05, seed: int = 0) -> Floats:
    """Return noise, float32 [samples]."""
    random = np.random.default_rng(seed)
    return (level * random.standard_normal(round(seconds * rate))).astype(np.float32)


def silence(seconds: float, rate: int) -> Floats:
    """Return zeros, float32 [samples]."""
    return np.zeros(round(seconds * rate), np.float32)


def clicks(seconds: float, rate: int, *places: int, level: float = 0.8) -> Floats:
    """Return silence with single loud samples, float32 [samples]."""
    pcm = silence(seconds, rate)
    pcm[list(places)] = level
    return pcm


def turn(speech_s: float, after_s: float, rate: int, seed: int = 0) -> Floats:
    """Return what takes the place of a partner's turn: noise, then silence; float32 [samples]."""
    return np.concatenate([noise(speech_s, rate, seed=seed), silence(after_s, rate)])


@contextmanager
def at_work(family: Family, **params: object) -> Iterator[HostAgent]:
    """Return an agent on its stand-in, with one worker at first, and end its workers afterwards."""
    agent = family.make({"upstream": "double", **params})
    assert isinstance(agent, HostAgent)
    try:
        agent.load("cpu")
        yield agent
    finally:
        agent.stop()


def recordings(agent: HostAgent, *runs: RunSpec) -> list[Recording]:
    """Play lanes in one batch on the bridge; every seat of the agent's family is the agent."""
    name = agent.caps.name
    agents = agents_of(runs, {name: agent})
    agent.load("cpu", sum(run.seat(seat).agent.adapter == name for run in runs for seat in SEATS))
    return converse(list(runs), agents)


def answer_to(agent: HostAgent, pcm: Floats, folder: Path) -> Floats:
    """Return what an agent says on the bridge to a partner who plays float32 [samples] at 24 kHz."""
    soundfile.write(folder / "partner.wav", pcm, RATE, subtype="FLOAT")
    partner = AgentSpec(name="playback", adapter="playback", params={"path": str(folder / "partner.wav")})
    (recording,) = recordings(agent, lane(partner, agent.caps.name, ticks=len(pcm) // TICK))
    assert recording.pcm.shape == (2, len(pcm))
    return recording.pcm[1]


def keeps_the_contract(
    family: Family, agent: HostAgent, ticks: int = 40, voice: str = "", **params: object
) -> None:
    """Check a family on an agent `at_work` with the same params: another worker takes seconds to start."""
    shared = replace(family, make=lambda params: agent)
    check_agent(shared, {"upstream": "double", **params}, ticks, voice=voice)


def each_as_alone(
    agent: HostAgent, heard: Floats, prompts: Sequence[Prompt] = (), voices: Sequence[str] = ()
) -> None:
    """Check that rows of one worker say what each says alone, and not all the same."""
    together = play(agent, heard, prompts=prompts, voices=voices)
    for row in range(len(heard)):
        own = slice(row, row + 1)
        alone = play(agent, heard[own], [row + 1], prompts[own], voices[own])
        assert np.array_equal(together.line[row], alone.line[0])
        assert together.text(row) == alone.text(0)
    assert not np.array_equal(together.line[0], together.line[1])


def lanes_as_alone(agent: HostAgent, ticks: int) -> None:
    """Check on the bridge that lanes of one batch are each as alone, and that it plays with itself."""
    name, tone = agent.caps.name, AgentSpec(name="tone", adapter="tone", params={"pattern": [[4, 8]]})
    runs = [lane(name, tone, ticks=ticks, seed=seed) for seed in (1, 2)]
    together = [recording.pcm for recording in recordings(agent, *runs)]
    alone = [recordings(agent, run)[0].pcm for run in runs]
    assert all(map(np.array_equal, together, alone))
    assert not np.array_equal(together[0][0], together[1][0])
    (both,) = recordings(agent, lane(name, name, ticks=ticks, seed=3))
    assert both.pcm.shape == (2, ticks * TICK)


def goes_on_when_restored(agent: HostAgent, heard: Floats, tick: int, later: int) -> None:
    """Check that rows which take over the state of one in mid-speech, at once and later, go on as it does.

    Every row hears float32 [samples], the one that comes later so many ticks later: whole units, in silence.
    """
    states = list[bytes]()

    def swap(now: int) -> None:
        if now == tick:
            states.append(agent.snapshot(0))
        for row, its in ((1, tick), (2, tick + later)):
            if now == its:
                agent.reset(row, PROMPT, "", 9)
                agent.restore(row, states[0])

    shifted = np.roll(heard, later * tick_size(agent.caps.rate_in))
    played = play(agent, np.stack([heard, heard, shifted]), [1, 1, 1], before=swap)
    size = tick_size(agent.caps.rate_out)
    kept, at_once, afterwards = played.line
    assert kept[: tick * size].any()
    assert kept[tick * size :].any()
    assert np.array_equal(at_once, kept)
    assert np.array_equal(afterwards[later * size :], kept[: -later * size])
    assert played.text(1) == played.text(0)
