"""Simulate: plays the runs that the store lacks, in batches, and publishes each recording once."""

from __future__ import annotations

import datetime
import hashlib
import math
import platform
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from dyad import __version__, audio
from dyad.bridge.loop import play
from dyad.bridge.protocol import Agent, caps_of, family_of
from dyad.bridge.recorder import Recording
from dyad.bridge.session import AgentFault
from dyad.bridge.wiring import full_lanes, rows_per_lane
from dyad.errors import DyadError
from dyad.health import check
from dyad.launch import GO, Stop, beat, launch, processes
from dyad.spec import SEATS, Manifest, RunSpec, canonical_json
from dyad.spec.study import LauncherSettings
from dyad.store import Store, jsonl

_agents: dict[tuple[str, str], Agent] = {}  # by spec and device: weights are loaded once per process


@dataclass(frozen=True)
class Shard:
    """Runs of the same agents and window that are played together; not begun after `until` (since 1970).

    `lanes` is how many a full batch of these agents has: agents are loaded for that many, so that a run
    sounds the same in the last batch, or when it is tried again alone. `now` tells the time.
    """

    store: Store
    specs: tuple[RunSpec, ...]
    lanes: int
    device: str
    until: float
    now: Callable[[], float] = time.time


@dataclass(frozen=True)
class Played:
    """What became of one run of a shard."""

    run_id: str
    error: str | None = None


def shards(
    store: Store,
    specs: Sequence[RunSpec],
    launcher: LauncherSettings,
    until: float = math.inf,
    now: Callable[[], float] = time.time,
) -> list[Shard]:
    """Cut runs into batches, those of the longest windows first so that no worker is left alone at the end.

    A batch has one window and one pair of agents, in whatever seats; at most `launcher.lanes` lanes, at most
    each worker's fair share of the runs, and no more rows of any agent than it can serve.
    """
    cut = batches([tuple(sorted(group, key=lambda run: run.id)) for group in alike(specs)], launcher)
    return [Shard(store, batch, lanes, launcher.device, until, now) for batch, lanes in cut]


def alike(specs: Sequence[RunSpec]) -> list[tuple[RunSpec, ...]]:
    """Return the runs that may share a batch, those of the longest windows first."""
    groups = dict[tuple[int, str, str], list[RunSpec]]()
    for run in specs:
        groups.setdefault(_kind(run), []).append(run)
    return [tuple(groups[kind]) for kind in sorted(groups)]


def batches(
    groups: Sequence[tuple[RunSpec, ...]], launcher: LauncherSettings
) -> list[tuple[tuple[RunSpec, ...], int]]:
    """Cut groups of `alike` runs into batches, each with the lanes that a full one has."""
    runs = sum(map(len, groups))
    share = math.ceil(runs / processes(launcher.workers, runs))
    made = []
    for group in groups:
        lanes = full_lanes(group[0], launcher.lanes)
        width = min(lanes, share)
        made += [(group[start : start + width], lanes) for start in range(0, len(group), width)]
    return made


def _kind(run: RunSpec) -> tuple[int, str, str]:
    """Return what the runs of one batch have in common: the window and the two loaded agents."""
    first, second = sorted((run.a.agent.key, run.b.agent.key))
    return -run.ticks, first, second


def simulate(
    store: Store,
    specs: Sequence[RunSpec],
    launcher: LauncherSettings,
    on_beat: Callable[[int], None] = lambda ticks: None,
    until: float = math.inf,
    now: Callable[[], float] = time.time,
    *,
    stop: Stop = lambda: GO,
) -> Generator[Played, None, None]:
    """Play and publish `specs` that are not in the store yet; yield each run as it ends.

    A run that fails is recorded under `failed/` and does not stop the others. After `until` (seconds since
    1970), or once `stop` says so, no batch is begun: those that play are finished and published, the other
    runs are not yielded.
    """
    todo = shards(store, [s for s in specs if not store.has(s.id)], launcher, until, now)
    for outcome in launch(todo, play_shard, launcher.workers, on_beat, stop):
        if outcome.result is not None:
            yield from outcome.result
        else:
            yield from _lost(outcome.task, outcome.error or "unknown")


def _lost(shard: Shard, error: str) -> Iterator[Played]:
    """A batch whose worker died: what it had published by then is there, the rest has failed."""
    for spec in shard.specs:
        if shard.store.has(spec.id):
            yield Played(spec.id)
        else:
            yield _fail(shard, spec, error)


def play_shard(shard: Shard) -> list[Played]:
    """Play one batch and publish it; nothing when it is too late to begin."""
    return list(_play(shard)) if shard.now() < shard.until else []


def _play(shard: Shard) -> Iterator[Played]:
    """Play lanes together; when that breaks, the lanes to blame play alone and the others once more.

    So a run fails only by itself, whatever its agent raised and whoever shared its batch.
    """
    specs = shard.specs
    try:
        agents, started = _load(shard), time.monotonic()
    except Exception as error:  # the room is the same however few play: nobody would fare better alone
        yield from [_fail(shard, spec, _one_line(error), traceback.format_exc()) for spec in specs]
        return
    try:
        recordings = play(specs, agents, lambda tick: beat(len(specs)))
    except Exception as error:
        if len(specs) == 1:
            yield _fail(shard, specs[0], _one_line(error), traceback.format_exc())
            return
        blamed = error.lanes if isinstance(error, AgentFault) else ()
        batches = _apart(specs, blamed or range(len(specs)))
    else:
        wall_s = time.monotonic() - started
        for lane, (spec, recording) in enumerate(zip(specs, recordings, strict=True)):
            yield _publish(shard, spec, recording, wall_s, (lane, len(specs)))
        return
    for batch in batches:  # outside of the handler, so that no traceback keeps the broken batch in memory
        yield from _play(replace(shard, specs=batch))


def _publish(
    shard: Shard, spec: RunSpec, recording: Recording, wall_s: float, lane_of: tuple[int, int]
) -> Played:
    """Publish one lane; what cannot be written of it is its own failure."""
    try:
        publish(shard.store, spec, recording, wall_s, lane_of)
    except Exception as error:
        return _fail(shard, spec, _one_line(error), traceback.format_exc())
    return Played(spec.id)


def _apart(specs: Sequence[RunSpec], blamed: Sequence[int]) -> list[tuple[RunSpec, ...]]:
    rest = tuple(spec for lane, spec in enumerate(specs) if lane not in blamed)
    return [*((specs[lane],) for lane in blamed), *([rest] if rest else [])]


def publish(
    store: Store, spec: RunSpec, recording: Recording, wall_s: float, lane_of: tuple[int, int]
) -> bool:
    """Write one recording with its manifest; False when the run was already there."""
    files = {
        "spec.json": canonical_json(spec).encode(),
        "audio.flac": audio.flac_bytes(recording.pcm),
        "text.jsonl": jsonl(recording.pieces),
        "peaks.i8": audio.peaks(recording.pcm).tobytes(),
    }
    manifest = Manifest(
        id=spec.id,
        dyad=__version__,
        created_utc=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        ticks=recording.ticks,
        wall_s=round(wall_s, 3),
        lane=lane_of[0],
        lanes=lane_of[1],
        clock=recording.clock,
        late_ticks=recording.late_ticks,
        timing_valid=recording.timing_valid,
        deterministic=all(caps_of(spec.seat(s).agent).deterministic for s in SEATS),
        seats=recording.seats,
        health=check(recording.pcm, recording.pieces),
        files={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        host={"python": platform.python_version(), "machine": platform.machine()},
    )
    return store.publish(spec.id, {**files, "manifest.json": manifest.model_dump_json(indent=1).encode()})


def _load(shard: Shard) -> dict[str, Agent]:
    """Return the agents of a shard by key, each loaded for a full batch."""
    first = shard.specs[0]
    rows, specs = rows_per_lane(first), {agent.key: agent for agent in (first.a.agent, first.b.agent)}
    for key, spec in specs.items():
        agent = _agents.get((key, shard.device)) or family_of(spec.adapter).make(spec.params)
        agent.load(shard.device, shard.lanes * rows[key], first.ticks)
        _agents[key, shard.device] = agent
    return {key: _agents[key, shard.device] for key in specs}


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, DyadError) else f"{type(error).__name__}: {text}"


def _fail(shard: Shard, spec: RunSpec, error: str, trace: str = "") -> Played:
    record = {
        "id": spec.id,
        "error": error,
        "trace": trace,
        "dyad": __version__,
        "utc": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "host": platform.node(),
    }
    shard.store.fail(spec.id, record)
    return Played(spec.id, error)
