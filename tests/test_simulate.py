"""Playing and publishing: batches, faults that stay with their run, sounds that no batch changes."""

from __future__ import annotations

import hashlib
import json
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dyad.simulate
from dyad import audio, registry
from dyad.bridge.protocol import INSTRUMENT, Caps, Family, Floats, Ints, Out, Plain, Text
from dyad.plan import Plan
from dyad.simulate import Shard, play_shard, shards, simulate
from dyad.spec import AgentSpec, Frozen, Prompt, RunSpec, Seat
from dyad.spec.study import LauncherSettings
from dyad.store import Store

Planned = Callable[..., Plan]


class FaultyParams(Frozen):
    how: str = ""
    seeds: tuple[int, ...] = ()  # of the rows that break
    max_batch: int = 8


class Faulty(Plain):
    """Hums; at tick 3 it breaks, in the way of its parameters, if it plays a row of the given seeds."""

    def __init__(self, params: FaultyParams) -> None:
        self.params, self.caps = params, caps(params.model_dump())
        self.loaded = list[tuple[int, int]]()

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        if self.params.how == "load":
            raise RuntimeError("no weights\nat all")
        self.loaded.append((rows, ticks))

    def numerics(self) -> dict[str, str]:
        return {"rows": str(self.loaded[-1][0])}

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        self.broken = np.isin(seeds, self.params.seeds)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        pcm = np.full(heard.shape, 0.1, np.float32)
        pcm[:, ::2] *= -1
        if tick == 3 and self.broken.any():
            if self.params.how == "raise":
                raise ZeroDivisionError("the policy divides by zero")
            if self.params.how == "letter":
                return Out(pcm, [Text(int(row), 0, "half \udcff") for row in np.flatnonzero(self.broken)])
            if self.params.how == "shape":
                return Out(pcm[:-1] if len(pcm) > 1 else np.zeros((3, 3), np.float32))
            pcm[self.broken] = np.nan
        return Out(pcm)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        self.broken[row] = seed in self.params.seeds


def caps(params: Mapping[str, Any]) -> Caps:
    return Caps("faulty", max_batch=params.get("max_batch", 8), flags=INSTRUMENT)


FAMILY = Family(
    "faulty", FaultyParams, caps=caps, make=lambda params: Faulty(FaultyParams.model_validate(params))
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("faulty_agent")
    module.FAMILY = FAMILY  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faulty_agent", module)
    monkeypatch.setitem(registry.BUILT_IN["agents"], "faulty", "faulty_agent:FAMILY")
    monkeypatch.setattr(dyad.simulate, "_agents", {})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def launcher(lanes: int = 8, workers: int = 1) -> LauncherSettings:
    return LauncherSettings(name="test", workers=workers, lanes=lanes)


def seated(run: RunSpec, seat: Seat, **params: Any) -> RunSpec:
    agent = AgentSpec(name="faulty", adapter="faulty", params=params)
    return run.model_copy(update={seat: run.seat(seat).model_copy(update={"agent": agent})})


def broken(planned: Planned, how: str, lane: int = 2) -> list[RunSpec]:
    """Four runs of a faulty agent in seat a; the one of `lane` breaks."""
    runs = planned("design.repetitions=4", "design.openers=[a]", "design.assignments=first").runs
    bad = runs[lane].stream_seed("voice", "a")
    return [seated(run, "a", how=how, seeds=[bad]) for run in runs]


# -- batches ---------------------------------------------------------------------------------------


def rows_of(shard: Shard) -> dict[str, int]:
    agents = [agent.key for spec in shard.specs for agent in (spec.a.agent, spec.b.agent)]
    return {key: agents.count(key) for key in agents}


def test_the_longest_come_first_and_no_batch_mixes_windows(planned: Planned, store: Store) -> None:
    runs = [*planned("window_s=2").runs, *planned("window_s=6").runs, *planned("window_s=4").runs]
    cut = shards(store, runs, launcher(lanes=3))
    ticks = [{spec.ticks for spec in shard.specs} for shard in cut]
    assert ticks == [{75}, {75}, {50}, {50}, {25}, {25}]
    assert sorted(s.id for shard in cut for s in shard.specs) == sorted(run.id for run in runs)


@pytest.mark.parametrize("max_batch", [2, 3, 5])
def test_no_agent_gets_more_rows_than_it_serves(planned: Planned, store: Store, max_batch: int) -> None:
    runs = planned("design.repetitions=5").runs
    cross = [seated(run, "a", max_batch=max_batch) for run in runs]
    own = [seated(run, "b", max_batch=max_batch) for run in cross]
    for some, per_lane in ((cross, 1), (own, 2)):
        cut = shards(store, some, launcher(lanes=8))
        assert max(len(shard.specs) for shard in cut) == max_batch // per_lane
        assert {shard.lanes for shard in cut} == {max_batch // per_lane}
    mixed = shards(store, [*cross, *own], launcher(lanes=8))
    faulty = cross[0].a.agent.key
    assert max(rows_of(shard).get(faulty, 0) for shard in mixed) <= max_batch
    assert sum(len(shard.specs) for shard in mixed) == len(cross) + len(own)


def test_a_batch_has_one_pair_of_agents_in_whatever_seats(planned: Planned, store: Store) -> None:
    runs = list(planned("design.repetitions=2").runs)
    turned = [run.model_copy(update={"a": run.b, "b": run.a, "pairing": "tone_echo"}) for run in runs]
    own = planned("pairing=tone_tone", "design.repetitions=2").runs
    cut = shards(store, [*own, *runs, *turned], launcher(lanes=16))
    assert sorted((len(shard.specs), *set(rows_of(shard).values())) for shard in cut) == [(4, 8), (16, 16)]


def test_a_batch_is_as_full_for_its_agents_as_the_launcher_says(planned: Planned, store: Store) -> None:
    """Also where few runs are left: what pads its batches must pad all of them alike."""
    runs = planned("design.repetitions=4", "window_s=4").runs
    for some in (runs, runs[:1]):
        assert {shard.lanes for shard in shards(store, some, launcher(lanes=5, workers=4))} == {5}


def test_few_runs_are_shared_between_all_workers(planned: Planned, store: Store) -> None:
    runs = planned("design.repetitions=2").runs
    assert [len(s.specs) for s in shards(store, runs, launcher(lanes=8, workers=1))] == [8]
    assert [len(s.specs) for s in shards(store, runs, launcher(lanes=8, workers=3))] == [3, 3, 2]
    assert [len(s.specs) for s in shards(store, runs, launcher(lanes=2, workers=1))] == [2, 2, 2, 2]
    assert shards(store, [], launcher()) == []


# -- results ---------------------------------------------------------------------------------------


def sounds(store: Store) -> dict[str, str]:
    return {
        i: hashlib.sha256((store.run_dir(i) / "audio.flac").read_bytes()).hexdigest() for i in store.ids()
    }


def test_batch_width_changes_no_sound(planned: Planned, tmp_path: Path) -> None:
    runs = planned("design.repetitions=3", "channel.noise_snr_db=10", "channel.loss=0.2", "window_s=4").runs
    found = []
    for lanes in (1, 8):
        store = Store(tmp_path / str(lanes))
        assert [p.error for p in simulate(store, runs, launcher(lanes=lanes))] == [None] * 12
        found.append(sounds(store))
    assert found[0] == found[1]
    assert len(set(found[0].values())) > 3  # they are not all one sound


def test_manifest_says_how_the_run_was_made(planned: Planned, store: Store) -> None:
    runs = planned("window_s=8").runs
    list(simulate(store, runs, launcher(lanes=3)))
    for run in runs:
        manifest = store.manifest(run.id)
        folder = store.run_dir(run.id)
        assert manifest.files == {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir()
            if path.name != "manifest.json"
        }
        assert set(manifest.files) == {"spec.json", "audio.flac", "text.jsonl", "peaks.i8"}
        assert (manifest.id, manifest.ticks, manifest.clock) == (run.id, 100, "sim")
        assert (manifest.deterministic, manifest.timing_valid, manifest.late_ticks) == (True, True, 0)
        assert manifest.lane < manifest.lanes <= 3
        assert manifest.wall_s >= 0
        assert manifest.seats["a"].under_runs == manifest.seats["b"].under_runs == 0
        assert manifest.health.ok
        assert store.spec(run.id) == run
        assert store.peaks(run.id) == audio.peaks(store.pcm(run.id)).tobytes()


def test_what_is_stored_is_not_played_again(planned: Planned, store: Store) -> None:
    runs = planned().runs
    list(simulate(store, runs[:1], launcher()))
    before = store.manifest(runs[0].id)
    assert sorted(p.run_id for p in simulate(store, runs, launcher())) == sorted(r.id for r in runs[1:])
    assert store.manifest(runs[0].id) == before


# -- faults ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("nan", "NaN"),
        ("raise", "ZeroDivisionError: the policy divides"),
        ("shape", "not float32"),
        ("letter", "UnicodeEncodeError"),  # half a character is found when the run is written
    ],
)
@pytest.mark.parametrize("lane", [0, 2, 3])
def test_a_broken_lane_fails_alone(
    planned: Planned, store: Store, tmp_path: Path, how: str, message: str, lane: int
) -> None:
    runs = broken(planned, how, lane)
    played = {p.run_id: p.error for p in simulate(store, runs, launcher())}
    bad = runs[lane].id
    assert {i for i, error in played.items() if error is not None} == {bad}
    assert message in (played[bad] or "")
    assert store.ids() == sorted(run.id for run in runs if run.id != bad)
    (record,) = (tmp_path / "store/failed" / bad).glob("*.json")
    content = json.loads(record.read_text())
    assert content["id"] == bad
    assert content["error"] == played[bad]
    assert "Traceback" in content["trace"]
    for other in store.ids():  # silence of the broken lane did not leak into the others
        assert np.abs(store.pcm(other)[0][40 * 480 :]).min() > 0


def test_a_run_is_loaded_for_a_full_batch_whoever_plays_beside_it(planned: Planned, store: Store) -> None:
    """In a full batch, alone after its batch broke, and alone because the others are stored already."""
    runs = broken(planned, "raise")
    list(simulate(store, runs, launcher(lanes=3)))
    agents = list(dyad.simulate._agents.values())
    (faulty,) = [agent for agent in agents if isinstance(agent, Faulty)]
    assert len(faulty.loaded) > 2
    assert set(faulty.loaded) == {(3, 25)}
    rows = [store.manifest(i).seats["a"].numerics for i in store.ids()]
    assert rows == [{"rows": "3"}] * 3
    assert store.manifest(store.ids()[0]).seats["b"].numerics == {}


def test_a_failed_run_is_tried_again_by_the_next_command(planned: Planned, store: Store) -> None:
    runs = broken(planned, "raise")
    list(simulate(store, runs, launcher()))
    (again,) = simulate(store, runs, launcher())
    assert (again.run_id, store.failures(runs[2].id)) == (runs[2].id, 2)


def test_an_agent_that_does_not_load_fails_its_runs_by_name(planned: Planned, store: Store) -> None:
    runs = broken(planned, "load")
    healthy = planned("pairing=tone_tone").runs
    played = list(simulate(store, [*runs, *healthy], launcher()))
    assert {p.error for p in played} == {"RuntimeError: no weights at all", None}  # one line
    assert store.ids() == sorted(run.id for run in healthy)
    assert all(store.failures(run.id) == 1 for run in runs)


def test_what_does_not_load_is_not_loaded_again_for_each_lane(
    planned: Planned, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[object] = []

    def load(agent: Faulty, *room: object) -> None:
        loads.append(room)
        raise MemoryError("15 GB and then this")

    monkeypatch.setattr(Faulty, "load", load)
    runs = broken(planned, "load")
    assert len(list(simulate(store, runs, launcher()))) == len(runs) > 2
    assert len(loads) == len(shards(store, runs, launcher()))


def test_runs_published_before_their_worker_died_have_not_failed(
    planned: Planned, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = planned().runs

    def die(shard: Shard) -> list[Any]:
        play_shard(replace(shard, specs=shard.specs[:1]))
        raise MemoryError("worker lost")

    monkeypatch.setattr(dyad.simulate, "play_shard", die)
    errors = {p.run_id: p.error for p in simulate(store, runs, launcher())}
    assert [i for i, error in errors.items() if error is None] == store.ids()
    assert len(store.ids()) == 1
    assert sum(store.failures(run.id) for run in runs) == 3


def test_no_batch_begins_too_late_and_what_plays_is_finished(planned: Planned, store: Store) -> None:
    clock = iter([1.0, 9.0, 11.0, 12.0])  # seen at the beginning of each batch
    runs = planned("design.repetitions=2").runs
    played = list(simulate(store, runs, launcher(lanes=2), until=10.0, now=lambda: next(clock)))
    assert len(played) == 4
    assert store.ids() == sorted(p.run_id for p in played)
    assert not any(store.failures(run.id) for run in runs)


def test_progress_counts_the_ticks_of_every_lane(
    planned: Planned, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats = list[int]()
    monkeypatch.setattr(dyad.simulate, "beat", beats.append)
    list(simulate(store, planned().runs, launcher(lanes=3)))
    assert sum(beats) == 4 * 25


def test_a_sweep_has_each_agent_once_and_loads_it_for_every_batch(
    planned: Planned, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dyad.agents.echo import Echo
    from dyad.agents.tone import Tone

    loads: list[tuple[Any, int, int]] = []
    for kind in (Echo, Tone):
        monkeypatch.setattr(kind, "load", lambda self, device, rows, ticks: loads.append((self, rows, ticks)))
    plan = planned("pairing=echo_tone,tone_tone", "task=t1,t3", "seed=range(0,3)", "launcher.lanes=3")
    ended = list(simulate(store, plan.runs, plan.config.launcher))
    assert len(ended) == len(plan.runs) == 72
    batches = shards(store, plan.runs, plan.config.launcher)
    assert len(loads) == sum(len(rows_of(shard)) for shard in batches)
    assert {(agent.caps.name, rows, ticks) for agent, rows, ticks in loads} == {
        ("echo", 3, 25), ("tone", 3, 25), ("tone", 6, 25),
    }  # fmt: skip
    assert len({id(agent) for agent, _, _ in loads}) == 2
