"""Simulate: plays the runs that the store lacks, in batches, and publishes each recording once."""

from __future__ import annotations

import datetime
import hashlib
import platform
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from dyad import __version__, audio
from dyad.bridge.loop import play
from dyad.bridge.protocol import Agent, caps_of, family_of, make_agent
from dyad.bridge.recorder import Recording
from dyad.bridge.session import AgentFault
from dyad.health import check
from dyad.launch import beat, launch
from dyad.spec import SEATS, Manifest, RunSpec, canonical_json, digest
from dyad.spec.study import LauncherSettings
from dyad.store import Store, jsonl

_agents: dict[str, Agent] = {}  # loaded once per process; later shards reuse them


@dataclass(frozen=True)
class Shard:
    """Runs that are played together, one lane each."""

    root: Store
    specs: tuple[RunSpec, ...]
    device: str


@dataclass(frozen=True)
class Played:
    """What became of one run of a shard."""

    run_id: str
    seconds: float
    error: str | None = None


def shards(store: Store, specs: Sequence[RunSpec], launcher: LauncherSettings) -> list[Shard]:
    """Cut runs into batches of equal windows, longest first so that no worker is left alone at the end."""
    lanes = min([launcher.lanes, *(_max_lanes(s) for s in specs)])
    ordered = sorted(specs, key=lambda s: (-s.ticks, s.a.agent.name, s.b.agent.name, s.id))
    cuts = [ordered[i : i + lanes] for i in range(0, len(ordered), lanes)]
    return [Shard(store, tuple(cut), launcher.device) for cut in cuts]


def simulate(
    store: Store,
    specs: Sequence[RunSpec],
    launcher: LauncherSettings,
    on_beat: Callable[[int], None] = lambda ticks: None,
) -> Iterator[Played]:
    """Play and publish `specs` that are not in the store yet; yield each run as it ends.

    A run that fails is recorded under `failed/` and does not stop the others.
    """
    todo = [s for s in specs if not store.has(s.id)]
    for outcome in launch(shards(store, todo, launcher), play_shard, launcher.workers, on_beat):
        if outcome.result is not None:
            yield from outcome.result
        else:
            error = outcome.error or "unknown"
            for spec in outcome.task.specs:
                store.fail(spec.id, _failure(spec, error))
                yield Played(spec.id, 0.0, error)


def play_shard(shard: Shard) -> list[Played]:
    """Play one batch; a lane that breaks is taken out and the others are played again without it."""
    specs, ended = list(shard.specs), list[Played]()
    while specs:
        started = time.monotonic()
        try:
            recordings = play(specs, _load(specs, shard.device), partial(_on_tick, len(specs)))
        except AgentFault as error:
            broken = [specs[lane] for lane in error.lanes] or list(specs)
            for spec in broken:
                shard.root.fail(spec.id, _failure(spec, str(error), traceback.format_exc()))
                ended.append(Played(spec.id, 0.0, str(error)))
            specs = [s for s in specs if s not in broken]
            continue
        wall_s = time.monotonic() - started
        for lane, (spec, recording) in enumerate(zip(specs, recordings, strict=True)):
            publish(shard.root, spec, recording, wall_s, (lane, len(specs)))
            ended.append(Played(spec.id, wall_s / len(specs)))
        break
    return ended


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


def _load(specs: Sequence[RunSpec], device: str) -> dict[str, Agent]:
    """Return one loaded agent per distinct AgentSpec, keyed by its digest."""
    wanted = {digest(agent): agent for spec in specs for agent in (spec.a.agent, spec.b.agent)}
    for key, agent in wanted.items():
        if key not in _agents:
            _agents[key] = make_agent(family_of(agent.adapter), agent, device)
    return {key: _agents[key] for key in wanted}


def _on_tick(lanes: int, tick: int) -> None:
    beat(lanes)


def _max_lanes(spec: RunSpec) -> int:
    agents = (spec.a.agent, spec.b.agent)
    caps = [caps_of(a) for a in agents]
    # self-play puts both seats of a lane into one agent, which then needs two rows per lane
    rows = 2 if digest(agents[0]) == digest(agents[1]) else 1
    return max(1, min(c.max_batch for c in caps) // rows)


def _failure(spec: RunSpec, error: str, trace: str = "") -> dict[str, str]:
    return {
        "id": spec.id,
        "error": error,
        "trace": trace,
        "dyad": __version__,
        "utc": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "host": platform.node(),
    }
