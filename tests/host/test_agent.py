"""A hosted agent keeps the protocol: rows over workers, accounts of samples, delays to the sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.bridge.loop import play
from dyad.bridge.protocol import Family, Lost
from dyad.bridge.recorder import Recording
from dyad.errors import ConfigError, Unsupported
from dyad.host.agent import HostAgent, _placed
from dyad.host.process import Command
from dyad.spec import RATE, TICK, AgentSpec, Prompt, RunSpec
from dyad.spec.run import ChannelSpec, Direction
from dyad.testing import check_agent
from dyad.testing.fakes import agents_of, lane
from tests.host.plug import ALONE, AWKWARD, CAPS, ECHO, KEEPER, SELF, UNITS, WINDOWS

HELLO = Prompt(text="hello")
UNIT = RATE  # of one second, in samples of the recording
FILTER = 24  # samples by which the filter from 24 to 16 kHz moves a peak; that from 16 to 24 adds 36


@pytest.fixture
def agents() -> Iterator[dict[str, HostAgent]]:
    """Agents by adapter, made when a test asks for them, and ended after it."""
    made: dict[str, HostAgent] = {}
    yield made
    for agent in made.values():
        agent.stop()


def made(family: Family, **params: object) -> HostAgent:
    agent = family.make({**SELF, **params})
    assert isinstance(agent, HostAgent)
    return agent


def ready(family: Family, rows: int, **params: object) -> HostAgent:
    agent = made(family, **params)
    agent.load("cpu", rows)
    agent.open([HELLO] * rows, [""] * rows, list(range(1, rows + 1)))
    return agent


def played(runs: list[RunSpec], agents: dict[str, HostAgent]) -> list[Recording]:
    known = agents_of(runs, agents)
    rows = 2 * len(runs)
    for agent in agents.values():
        agent.load("cpu", rows)
    return play(runs, known)


def impulses(folder: Path, places: list[int], ticks: int) -> AgentSpec:
    """A partner whose only sounds are impulses at the given samples."""
    pcm = np.zeros(ticks * TICK, np.float32)
    pcm[places] = 0.5
    soundfile.write(folder / "impulses.wav", pcm, RATE, subtype="FLOAT")
    params = {
        "path": str(folder / "impulses.wav"),
        "channel": None,
        "gain": 1.0,
        "start_tick": 0,
        "loop": False,
    }
    return AgentSpec(name="playback", adapter="playback", params=params)


@pytest.mark.parametrize(
    ("family", "params"),
    [
        (ECHO, SELF),
        (UNITS, SELF),
        (WINDOWS, ALONE),
        (AWKWARD, SELF),
        (AWKWARD, {**SELF, "rows_per_worker": 2}),
        (KEEPER, SELF),
    ],
    ids=lambda value: value.name if isinstance(value, Family) else str(value.get("rows_per_worker", "")),
)
def test_every_fake_keeps_the_contract(family: Family, params: dict[str, object]) -> None:
    check_agent(family, params)


@pytest.mark.parametrize(
    ("name", "family", "params", "filters"),
    [("echo", ECHO, {}, 0), ("windows_400ms", WINDOWS, ALONE, 24 + 36)],
    ids=["echo", "windows"],
)
@pytest.mark.parametrize("channel_ms", [0, 35])
def test_an_impulse_comes_back_after_lag_bridge_and_channel(
    name: str, family: Family, params: dict[str, object], filters: int, channel_ms: int,
    agents: dict[str, HostAgent], tmp_path: Path,
) -> None:  # fmt: skip
    """Resamplers add their documented delay: 0.99 ms to 16 kHz, 1.49 ms from it."""
    ticks, places = 60, [5_000, 30_011, 61_007]
    agents[name] = made(family, **params)
    channel = ChannelSpec(ab=Direction(delay_ms=channel_ms), ba=Direction())
    run = lane(impulses(tmp_path, places, ticks), name, ticks=ticks, channel=channel)
    (recording,) = played([run], agents)
    assert recording.pcm.shape == (2, ticks * TICK)
    delay = 24 * (CAPS[name].lag_ms + channel_ms) + TICK + filters
    for place in places:
        around = np.abs(recording.pcm[1, place + delay - 400 : place + delay + 400])
        assert abs(int(around.argmax()) - 400) <= (filters > 0)


def test_units_of_a_second_come_back_after_a_constant_lag(
    agents: dict[str, HostAgent], tmp_path: Path
) -> None:
    """Unit k ends inside of tick ⌈12.5 k⌉; that every other one ends with its tick must not be heard."""
    ticks = 100
    agents["units_1s"] = made(UNITS)
    for unit in (2, 3):
        place = unit * UNIT - TICK + 20_000
        run = lane(impulses(tmp_path, [place], ticks), "units_1s", ticks=ticks)
        (recording,) = played([run], agents)
        peak = int(np.abs(recording.pcm[1]).argmax())
        assert abs(peak - place - 24 * CAPS["units_1s"].lag_ms - TICK - FILTER) <= 1


def test_a_turn_of_units_has_no_gap_and_ends_late(agents: dict[str, HostAgent]) -> None:
    ticks = 100
    agents["units_1s"] = made(UNITS)
    tone = AgentSpec(name="tone", adapter="tone", params={"pattern": [[12, 40]], "freq_hz": 440.0})
    (recording,) = played([lane(tone, "units_1s", ticks=ticks)], agents)
    assert recording.pcm.shape == (2, ticks * TICK)
    starts = [piece.at for piece in recording.pieces if piece.seat == "b"]
    # three units are loud, and a fourth ends the turn 0.25 s late, inside of a tick: the only under-run
    assert starts[0] == 24 * TICK
    assert list(np.diff(starts)) == [UNIT + 960, UNIT, UNIT]
    assert recording.seats["b"].under_runs == 1


def test_self_play_in_one_worker_equals_each_row_alone(agents: dict[str, HostAgent]) -> None:
    """Rows that draw from the process's global generators have random states of their own."""
    tone = AgentSpec(name="tone", adapter="tone")
    agents["awkward"] = made(AWKWARD)
    runs = [lane("awkward", tone, ticks=20, seed=seed) for seed in (1, 2)]
    together = played(runs, agents)
    alone = [played([run], agents)[0] for run in runs]
    for one, other in zip(together, alone, strict=True):
        assert one.pcm[0].any()
        assert np.array_equal(one.pcm, other.pcm)
    assert not np.array_equal(together[0].pcm[0], together[1].pcm[0])


def test_rows_are_shared_out_to_as_many_workers_as_they_need(agents: dict[str, HostAgent]) -> None:
    agents["keeper"] = agent = ready(KEEPER, 5, rows_per_worker=2)
    one = agents["one"] = ready(KEEPER, 5)
    assert (len(agent.workers), len(one.workers)) == (3, 1)
    heard, played = np.zeros((5, TICK), np.float32), np.arange(5)
    for tick in range(3):
        apart, together = (a.step(tick, heard, played) for a in (agent, one))
        assert np.array_equal(np.stack(list(apart.pcm)), together.pcm)
        assert apart.text == together.text
        assert [piece.s for piece in apart.text] == ["0 ", "1 ", "2 ", "3 ", "4 "]


def test_a_state_moves_between_the_rows_of_one_worker_only(agents: dict[str, HostAgent]) -> None:
    agents["keeper"] = agent = ready(KEEPER, 4, rows_per_worker=2)
    heard, played = np.zeros((4, TICK), np.float32), np.zeros(4, np.int64)
    agent.step(0, heard, played)
    agent.restore(1, agent.snapshot(0))
    pcm = agent.step(1, heard, played).pcm
    assert np.array_equal(pcm[0], pcm[1])
    with pytest.raises(Unsupported, match="rows_per_worker"):
        agent.restore(2, agent.snapshot(0))


def test_force_says_what_is_prescribed_and_that_once(agents: dict[str, HostAgent]) -> None:
    agents["keeper"] = agent = ready(KEEPER, 2)
    heard, played = np.zeros((2, TICK), np.float32), np.zeros(2, np.int64)
    said = np.linspace(-0.5, 0.5, TICK, dtype=np.float32)
    agent.force(1, said, "now")
    first, second = agent.step(0, heard, played), agent.step(1, heard, played)
    assert np.array_equal(first.pcm[1], said)
    assert [piece.s for piece in first.text] == ["0 ", "now"]
    assert not np.array_equal(second.pcm[1], said)


def test_what_an_agent_cannot_do_is_refused_without_a_worker() -> None:
    agent = made(ECHO)
    for call in (
        lambda: agent.force(0, None, "x"),
        lambda: agent.snapshot(0),
        lambda: agent.restore(0, b"0:0"),
    ):
        with pytest.raises(Unsupported, match="echo"):
            call()


def test_numerics_name_the_other_interpreter(agents: dict[str, HostAgent]) -> None:
    agents["keeper"] = agent = ready(KEEPER, 1)
    assert agent.numerics() == {**agent.numerics(), "walk": "random", "numpy": np.__version__}


def test_an_operation_that_fails_takes_its_row_and_no_other(agents: dict[str, HostAgent]) -> None:
    agents["echo"] = agent = ready(ECHO, 3)
    with pytest.raises(Lost, match="KeyError: 99") as lost:
        agent._call(1, "restore", handle=99)
    assert lost.value.rows == (1,)
    assert agent.workers[0].alive


def test_an_old_state_restores_nothing(agents: dict[str, HostAgent]) -> None:
    agents["keeper"] = agent = ready(KEEPER, 1)
    old = agent.snapshot(0)
    agent.open([HELLO], [""], [1])
    agent.snapshot(0)
    with pytest.raises(Lost, match="KeyError"):
        agent.restore(0, old)
    agent.stop()
    agent.load("cpu")
    agent.open([HELLO], [""], [1])
    for state in (old, b"junk", b"\xff:1"):
        with pytest.raises(Unsupported, match="until `close`"):
            agent.restore(0, state)


def test_ticks_count_from_the_opening_of_a_row(agents: dict[str, HostAgent]) -> None:
    """Text comes at the engine's ticks all the same, after a reset and after a restore at a later tick."""
    agents["keeper"] = agent = ready(KEEPER, 2)
    heard, played = np.zeros((2, TICK), np.float32), np.zeros(2, np.int64)
    agent.reset(0, HELLO, "", 1)
    for tick in range(4):
        assert {piece.at for piece in agent.step(tick, heard, played).text} == {tick * TICK}
        if tick == 0:
            state = agent.snapshot(0)
        if tick == 1:
            agent.reset(1, HELLO, "", 2)
        if tick == 2:
            agent.restore(0, state)


def test_more_rows_than_were_loaded_are_refused(agents: dict[str, HostAgent]) -> None:
    agents["echo"] = agent = ready(ECHO, 1)
    with pytest.raises(ConfigError, match="not loaded for 2 rows"):
        agent.open([HELLO] * 2, [""] * 2, [1, 2])


def test_workers_are_kept_from_batch_to_batch_and_left_for_another_device(
    agents: dict[str, HostAgent],
) -> None:
    agents["keeper"] = agent = ready(KEEPER, 1, rows_per_worker=1)
    (first,) = agent.workers
    agent.close()
    agent.load("cpu", 2)
    assert agent.workers[0] is first
    assert len(agent.workers) == 2
    agent.load("cuda", 1)
    assert not first.alive


@pytest.mark.parametrize(
    ("visible", "device", "shown"),
    [
        ("", "cuda:1", "1"),
        ("4,5", "cuda:1", "5"),
        ("4,5,6", "cuda:0+2", "4,6"),
        ("4,5", "cuda", None),
        ("", "cpu", None),
    ],
)
def test_a_worker_sees_its_own_of_the_gpus_that_we_see(
    visible: str, device: str, shown: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    placed, kind = _placed(Command("x", Path("python"), Path("x.py")), device)
    assert kind == device.partition(":")[0]
    assert placed.env.get("CUDA_VISIBLE_DEVICES") == shown


def test_a_gpu_that_we_do_not_see_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4")
    with pytest.raises(ConfigError, match="no device cuda:1 among CUDA_VISIBLE_DEVICES=4"):
        _placed(Command("x", Path("python"), Path("x.py")), "cuda:1")
