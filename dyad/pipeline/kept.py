"""What the store keeps of what a study was made from, so that reading a result needs the store alone.

`studies/<name>/sources-<digest>.json`, named by what it holds and written once: the scenarios of the planned
runs with their roles, or the stimuli. `studies/<name>/read.json`, which is made anew with the table: what the
names of sidecars rest on. Transcripts that lie beside a suite's sounds are copied beside the recordings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from dyad.library import Library
from dyad.plan import Plan
from dyad.spec import Frozen, Role, RunSpec, Scenario, Seat, canonical_json, digest
from dyad.spec.suite import Stimulus
from dyad.store import Store, read_record, write_atomic

READ = "read.json"


class Sources(Frozen):
    """Of the planned runs: scenarios with their roles and seals, or stimuli."""

    scenarios: tuple[Scenario, ...] = ()
    roles: tuple[Role, ...] = ()
    seals: dict[str, str] = Field(default_factory=dict)
    stimuli: tuple[Stimulus, ...] = ()

    def added_to(self, library: Library) -> Library:
        """Return a library that also has what was played and is gone from it, or is at another version."""
        gone = [one for one in self.scenarios if not self._is_in(library, one)]
        names = {seat.role for one in gone for seat in one.seats.values()}
        return replace(
            library,
            scenarios={**library.scenarios, **{one.id: one for one in gone}},
            roles={**library.roles, **{role.id: role for role in self.roles if role.id in names}},
            seals={**library.seals, **{one.id: self.seals.get(one.id, "") for one in gone}},
        )

    def _is_in(self, library: Library, one: Scenario) -> bool:
        there = library.scenarios.get(one.id)
        sealed = library.seals.get(one.id, "") == self.seals.get(one.id, "")
        return there is not None and there.version == one.version and sealed


class Read(Frozen):
    """What was read beside the recordings when they were measured, by run.

    `asr` are the settings of the recogniser by their digest, and what names its weights. `words` are the
    copies of given transcripts by seat, `labels` the digests of given labels.
    """

    asr: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    words: dict[str, dict[Seat, str]] = Field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)


def keep(plan: Plan, store: Store) -> str:
    """Write the sources of a plan beside its study, where they are not there yet; return their digest."""
    made = sources_of(plan)
    content = (canonical_json(made) + "\n").encode()
    name = digest(made)
    path = _sources(store, plan.name, name)
    if not path.exists():
        write_atomic(path, content)
    return name


def sources_of(plan: Plan) -> Sources:
    """Return what the runs of a plan are made from."""
    if plan.config.suite is not None:
        return Sources(stimuli=plan.stimuli)
    names = sorted({run.scenario for run in plan.runs})
    scenarios = tuple(plan.library.scenarios[name] for name in names)
    roles = sorted({seat.role for one in scenarios for seat in one.seats.values()})
    seals = {name: plan.library.seals[name] for name in names if name in plan.library.seals}
    return Sources(scenarios=scenarios, roles=tuple(plan.library.roles[r] for r in roles), seals=seals)


def sources(store: Store, study: str, name: str) -> Sources:
    """Return the sources of a study that its record names; none of an old one."""
    path = _sources(store, study, name)
    return read_record(path, Sources) if name and path.is_file() else Sources()


def source_of(store: Store, spec: RunSpec) -> Sources:
    """Return the sources of any study in a store that has the scenario of a run as it was played."""
    for path in sorted((store.root / "studies").glob("*/sources-*.json")):
        found = read_record(path, Sources)
        if any(_played(found, one, spec) for one in found.scenarios):
            return found
    return Sources()


def copied(store: Store, run_id: str, files: Mapping[Seat, Path]) -> Iterator[tuple[Seat, str]]:
    """Copy transcripts beside a recording, each once, and yield the names of the copies by seat."""
    for seat, path in files.items():
        content = path.read_bytes()
        name = f"given/{hashlib.sha256(content).hexdigest()[:12]}-{path.name}"
        if not (copy := store.sidecar(run_id, name)).exists():
            write_atomic(copy, content)
        yield seat, name


def _played(found: Sources, one: Scenario, spec: RunSpec) -> bool:
    same = (one.id, one.version, found.seals.get(one.id, ""))
    return same == (spec.scenario, spec.scenario_version, spec.sealed)


def _sources(store: Store, study: str, name: str) -> Path:
    return store.study_dir(study) / f"sources-{name}.json"
