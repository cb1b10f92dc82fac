"""Memory is planned before anything is loaded: what fits is played, the rest is one clear line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dyad.room
from dyad.bridge.protocol import Demand, Room, family_of
from dyad.cli.main import run
from dyad.errors import ConfigError
from dyad.host.memory import free_bytes, free_in_group
from dyad.plan import Plan
from dyad.room import check_one, check_room
from dyad.simulate import shards
from dyad.spec import AgentSpec
from dyad.spec.study import LauncherSettings
from dyad.store import Store

Planned = Callable[..., Plan]
GB = 10**9


def launcher(lanes: int = 64, workers: int = 1) -> LauncherSettings:
    return LauncherSettings(name="test", workers=workers, lanes=lanes, device="cuda")


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> dict[str, Room]:
    """What each family of agents asks for; a test fills it."""
    asked: dict[str, Room] = {}

    def family(name: str) -> object:
        return replace(family_of(name), room=lambda spec, demand: asked.get(name))

    monkeypatch.setattr(dyad.room, "family_of", family)
    return asked


def refusal(plan: Plan, settings: LauncherSettings, **free: int) -> str:
    """The line that refuses a plan, where so many bytes are free on each device (`cuda0` is cuda:0)."""
    with pytest.raises(ConfigError) as caught:
        check_room(plan.runs, settings, lambda device: free[device.replace(":", "")])
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_self_play_has_two_rows_per_lane(planned: Planned, rooms: dict[str, Room]) -> None:
    rooms["tone"] = Room("cuda:0", 15_400_000_000, 760_000_000)
    plan = planned("pairing=tone_tone")
    assert refusal(plan, launcher(), cuda0=79_100_000_000) == (
        "agent 'tone' needs 112.7 GB on cuda:0 (weights 15.4 GB, 128 rows of 0.76 GB), 79.1 GB are free; "
        "launcher.lanes=41 fits"
    )
    check_room(plan.runs, launcher(41), lambda device: 79_100_000_000)
    refusal(plan, launcher(42), cuda0=79_100_000_000)


def test_agents_on_one_device_share_it(planned: Planned, rooms: dict[str, Room]) -> None:
    rooms |= {"tone": Room("cuda", 10 * GB, GB), "echo": Room("cuda:0", 20 * GB, GB, extra_bytes=2 * GB)}
    line = refusal(planned(), launcher(16), cuda0=60 * GB)
    assert line == (
        "agents 'echo', 'tone' need 64.0 GB on cuda:0 (echo: weights 20.0 GB, 16 rows of 1.00 GB, 2.00 GB "
        "besides; tone: weights 10.0 GB, 16 rows of 1.00 GB), 60.0 GB are free; launcher.lanes=14 fits"
    )
    rooms["echo"] = replace(rooms["echo"], device="cuda:1")
    check_room(planned().runs, launcher(16), lambda device: 60 * GB)


def test_what_fits_must_fit_on_every_device(planned: Planned, rooms: dict[str, Room]) -> None:
    rooms |= {"tone": Room("cuda:0", 0, GB), "echo": Room("cuda:1", 0, GB)}
    assert refusal(planned(), launcher(16), cuda0=10 * GB, cuda1=5 * GB).endswith("launcher.lanes=5 fits")


def test_each_process_loads_its_own(planned: Planned, rooms: dict[str, Room]) -> None:
    rooms["tone"] = Room("cuda", 15 * GB, GB)
    plan = planned("design.repetitions=4")
    assert refusal(plan, launcher(8, workers=4), cuda0=50 * GB) == (
        "agent 'tone' needs 92.0 GB on cuda:0 (4 processes, each weights 15.0 GB, 8 rows of 1.00 GB), "
        "50.0 GB are free; one process fits: launcher.workers=1 (or launcher=gpu) with launcher.lanes=8"
    )
    check_room(plan.runs[:2], launcher(8, workers=4), lambda device: 50 * GB)  # no more processes than runs


def test_a_process_without_a_batch_is_not_counted(planned: Planned, rooms: dict[str, Room]) -> None:
    rooms["tone"] = Room("cpu", 2 * GB, 0)
    runs = planned("pairing=tone_tone", "design.repetitions=10").runs[:20]
    wide = launcher(4, workers=16)
    assert len(shards(Store(Path()), runs, wide)) == 10  # pairs: a fair share of 20 runs
    check_room(runs, wide, lambda device: 25 * GB)
    with pytest.raises(ConfigError, match=r"needs 20\.0 GB on cpu \(10 processes, "):
        check_room(runs, wide, lambda device: 19 * GB)


def test_what_never_fits_says_so(planned: Planned, rooms: dict[str, Room]) -> None:
    rooms["tone"] = Room("cpu", 15 * GB, GB)
    line = refusal(planned(), launcher(), cpu=15 * GB)
    assert line.endswith("not even one lane fits; set a shorter window_s, or use a device with more memory")
    assert refusal(planned(), launcher(), cpu=GB).endswith("lane fits; use a device with more memory")


def test_one_agent_alone(rooms: dict[str, Room]) -> None:
    rooms["tone"] = Room("cpu", 15 * GB, GB)
    spec, demand = AgentSpec(name="hum", adapter="tone"), Demand(3, 50, (), "cpu")
    check_one(dyad.room.family_of("tone"), spec, demand, lambda device: 18 * GB)
    with pytest.raises(ConfigError, match=r"needs 18\.0 GB on cpu \(.*, 17\.0 GB are free"):
        check_one(dyad.room.family_of("tone"), spec, demand, lambda device: 17 * GB)


def test_a_control_group_limits_what_is_free(tmp_path: Path) -> None:
    group = tmp_path / "job/7"
    group.mkdir(parents=True)
    (group / "memory.current").write_text("700\n")
    (group / "memory.stat").write_text("anon 500\ninactive_file 150\n")
    for most, left in (("1000\n", 450), ("max\n", 9000)):
        (group / "memory.max").write_text(most)
        assert free_in_group(9000, tmp_path, "0::/job/7\n") == left
    assert free_in_group(9000, tmp_path, "0::/job/8\n") == 9000
    assert free_in_group(9000, tmp_path, "4:memory:/old\n") == 9000


def test_lanes_that_no_agent_serves_are_not_counted(planned: Planned, rooms: dict[str, Room]) -> None:
    rooms["tone"] = Room("cpu", GB, GB)
    assert "not even one lane fits" in refusal(planned(), launcher(10**12), cpu=GB)
    assert refusal(planned(), launcher(10**12), cpu=101 * GB).endswith("launcher.lanes=100 fits")


def test_agents_without_room_cost_nothing(planned: Planned, rooms: dict[str, Room]) -> None:
    check_room(planned().runs, launcher(), lambda device: 0)
    rooms["tone"] = Room("mps", 15 * GB, GB)
    check_room(planned().runs, launcher(), lambda device: None)  # nobody can tell
    check_room([], launcher(), lambda device: 0)


@given(weights=st.integers(0, 50), row=st.integers(1, 9), have=st.integers(1, 200), workers=st.integers(1, 3))
def test_the_advice_is_the_largest_that_fits(weights: int, row: int, have: int, workers: int) -> None:
    from dyad.testing import lane

    runs = [lane("tone", "tone", seed=seed) for seed in range(4)]
    room = Room("cpu", weights * GB, row * GB)
    with pytest.MonkeyPatch.context() as patch:
        family = replace(family_of("tone"), room=lambda spec, demand: room)
        patch.setattr(dyad.room, "family_of", lambda name: family)

        def fits(lanes: int, processes: int = workers) -> bool:
            try:
                check_room(runs, launcher(lanes, processes), lambda device: have * GB)
            except ConfigError as error:
                advice.append(str(error).rpartition("launcher.lanes=")[2].removesuffix(" fits"))
                return False
            return True

        advice: list[str] = []
        if fits(12):
            return
        text = advice[0]
        if text.isdigit():
            processes = workers if fits(int(text)) else 1
            assert fits(int(text), processes)
            assert int(text) == 12 or not fits(int(text) + 1, processes)
        else:
            assert not fits(1)
            assert not fits(1, 1)


def test_this_machine_has_memory_and_no_such_gpu() -> None:
    memory = free_bytes("cpu")
    assert memory is None or 10**7 < memory < 10**15
    assert free_bytes("mps") is None
    with pytest.raises(ConfigError, match=r"no CUDA device 99 here .* launcher\.device=cpu"):
        free_bytes("cuda:99")


def test_nothing_is_written_when_nothing_fits(
    rooms: dict[str, Room], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rooms["tone"] = Room("cpu", 10**15, GB)
    study = ["pairing=echo_tone", "task=t2", "window_s=2", "scenarios.limit=1", f"store={tmp_path / 'store'}"]
    for verb in ("run", "simulate"):
        assert run([verb, *study, "launcher=serial"]) == 2
        assert "agent 'tone' needs 1000" in capsys.readouterr().err
        assert not (tmp_path / "store").exists()
    assert run(["plan", *study, "launcher=serial"]) == 0  # as on a login node


def test_the_family_sees_what_is_asked(planned: Planned, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Demand]] = []

    def room(agent: AgentSpec, demand: Demand) -> None:
        asked.append((agent.name, demand))

    monkeypatch.setattr(dyad.room, "family_of", lambda name: replace(family_of(name), room=room))
    check_room(planned("window_s=4").runs, launcher(8))
    assert [(name, d.rows, d.ticks, d.device) for name, d in asked] == [
        ("echo", 8, 50, "cuda"), ("tone", 8, 50, "cuda"),
    ]  # fmt: skip
