"""Plan: turns composed studies into the list of runs they ask for, before anything is loaded or written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from dyad.bridge.protocol import Caps, Demand, caps_of, family_of
from dyad.bridge.wiring import each_pair, most_rows
from dyad.errors import ConfigError, Missing
from dyad.launch import processes
from dyad.library import INFO, Library, info_of, load_library, prompt, role_of, select
from dyad.missing import check_named
from dyad.simulate import alike, batches
from dyad.spec import (
    SEATS,
    TICK_S,
    AgentSpec,
    RunSpec,
    Scenario,
    Seat,
    SeatSpec,
    digest,
    other,
    ticks_at_least,
)
from dyad.spec.run import DYAD, LEAD_TICKS
from dyad.spec.study import LauncherSettings, StudyConfig, TaskChoice
from dyad.spec.suite import Stimulus
from dyad.store import Store
from dyad.suites import plan as suites

# What a study has one of: the stages after simulation, and how and where it is made.
REDONE = ("mode", "vad", "asr", "judges", "panel", "report")
SHARED = (*REDONE, "name", "store", "launcher", "budget", "suite")
# What a second of sound costs when the store holds no example yet: seconds of wall time of one lane,
ASSUMED_RTF = 0.3
ASSUMED_BYTES = 25_000  # and bytes on disk, as in the demo


@dataclass(frozen=True)
class Plan:
    """The runs of one study, without repetition, in a fixed order."""

    name: str
    studies: tuple[StudyConfig, ...]
    by_id: Mapping[str, RunSpec]  # an id is a hash of everything: it is taken once
    library: Library
    stimuli: tuple[Stimulus, ...] = ()  # of a suite
    nameless: frozenset[str] = frozenset()  # stand-ins for ids that need what is not on this machine
    lacks: tuple[str, ...] = ()  # what that is

    @property
    def runs(self) -> tuple[RunSpec, ...]:
        """The runs, in order."""
        return tuple(self.by_id.values())

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the runs, in order."""
        return tuple(self.by_id)

    @property
    def trials(self) -> dict[str, tuple[str, str]]:
        """The agent and the stimulus of each run of a suite; none of conversations."""
        runs = self.by_id if self.config.suite else {}
        return {i: (run.a.agent.name, run.scenario) for i, run in runs.items()}

    @property
    def config(self) -> StudyConfig:
        """The settings of every stage after simulation; a sweep shares them."""
        return self.studies[0]

    def todo(self, store: Store) -> list[RunSpec]:
        """Return the runs that the store does not hold."""
        return [run for i, run in self.by_id.items() if not store.has(i)]


@dataclass(frozen=True)
class Estimate:
    """What playing the rest of a plan takes."""

    runs: int  # that the store lacks
    again: int  # that were garbled and are recorded again
    stored: int
    audio_s: float
    wall_s: float
    gpu_s: float  # of wall time, summed over the processes that keep a GPU busy
    disk_bytes: int


def make_plan(studies: Sequence[StudyConfig], anywhere: bool = False) -> Plan:
    """Expand studies into runs; raise ConfigError for what no agent can play, Missing for what is lacking.

    `anywhere`: what is lacking is noted in the plan instead, which then cannot name all of its runs.
    """
    check_shared(studies)
    library, lacks = load_library(studies[0].scenarios.dirs), list[str]() if anywhere else None
    for study in studies:
        _check_pairing(study)
    with _noting(lacks):
        check_named(studies)
    stimuli, runs, nameless = _stimuli(studies[0]), dict[str, RunSpec](), set[str]()
    for study in studies:
        known = study
        with _noting(lacks):
            if lacks:
                check_named([study])
            known = _with_assets(study)
        own = {run.id: run for run in _expand(known, library, stimuli)}
        for i, run in own.items():
            runs.setdefault(i, run)
        nameless |= own.keys() if known is study else set()
    _check_names(runs.values())
    for agent, demand in demands(runs.values(), studies[0].launcher):
        with _noting(lacks):
            family_of(agent.adapter).check(agent, demand)
    left = frozenset(nameless), tuple(dict.fromkeys(lacks or ()))
    return Plan(_name(studies, runs, nameless), tuple(studies), runs, library, tuple(stimuli), *left)


@contextmanager
def _noting(lacks: list[str] | None) -> Iterator[None]:
    """Note what is missing; without a list it is raised."""
    try:
        yield
    except Missing as error:
        if lacks is None:
            raise
        lacks += error.lines


def _expand(study: StudyConfig, library: Library, stimuli: Sequence[Stimulus]) -> list[RunSpec]:
    own = list(expand(study, library) if study.suite is None else suites.expand(study, stimuli))
    if stimuli and not own:
        raise ConfigError(_nothing_playable(study, stimuli))
    return own


def _stimuli(study: StudyConfig) -> list[Stimulus]:
    return [] if study.suite is None else suites.stimuli_of(study.suite, Path(study.store))


def _nothing_playable(study: StudyConfig, stimuli: Sequence[Stimulus]) -> str:
    first = stimuli[0]
    answer = suites.recorded_file(study.pairing.a, first)
    missing = "no recorded answer" if answer is None else f"no {answer.name}"
    why = f"{first.problem or missing} in {first.folder}; put it there, or name another folder"
    whose = study.pairing.a.name
    return f"agent '{whose}': none of {len(stimuli)} stimuli can be played; the first: {why}"


def expand(study: StudyConfig, library: Library) -> Iterable[RunSpec]:
    """Yield the runs of one study: scenario × role assignment × opener × repetition (DyaFDB §1.3).

    `design.openers` counts *roles*: with one of the two, each agent of a cross-pairing still opens equally
    often, because the role assignment is exchanged. A free conversation has no roles to exchange, so
    there only the seats that open remain: both with both openers, in self-play as between two agents.
    """
    chosen = study.scenarios
    scenarios = select(
        library,
        archetypes=study.task.archetypes,
        split=chosen.split,
        ids=chosen.ids,
        limit=chosen.limit,
        lang=chosen.lang,
        twin=chosen.twin,
    )
    selfplay = study.pairing.a.identity() == study.pairing.b.identity()
    first_only = selfplay or study.design.assignments == "first"
    assignments: tuple[Seat, ...] = ("a",) if first_only else SEATS
    factors = list(product(assignments, study.design.openers))
    for scenario in scenarios:
        seatings = _free(factors) if scenario.free else factors
        for (role_of_a, opener), repetition in product(seatings, range(study.design.repetitions)):
            yield _run(study, library, scenario, role_of_a, opener, repetition)


def _free(factors: Iterable[tuple[Seat, Seat]]) -> list[tuple[Seat, Seat]]:
    """Give seat a role a throughout, and keep of role assignment × opener only who opens."""
    openers: dict[Seat, None] = {"a" if role_of_a == opener else "b": None for role_of_a, opener in factors}
    return [("a", opener) for opener in openers]


def demands(runs: Iterable[RunSpec], launcher: LauncherSettings) -> list[tuple[AgentSpec, Demand]]:
    """Return each distinct agent of some runs, and what they ask of it in full batches of the launcher."""
    played: defaultdict[str, list[tuple[RunSpec, SeatSpec]]] = defaultdict(list)
    runs = list(runs)
    for run in runs:
        for seat in SEATS:
            played[digest(run.seat(seat).agent)].append((run, run.seat(seat)))
    rows = most_rows(each_pair(runs), launcher.lanes)
    each = [(seats[0][1].agent, seats) for seats in played.values()]
    return [(agent, _demand(rows[agent.key], seats, launcher.device)) for agent, seats in each]


def _demand(rows: int, seats: Sequence[tuple[RunSpec, SeatSpec]], device: str) -> Demand:
    prompts = tuple(dict.fromkeys(seat.rendered for _, seat in seats))
    langs = tuple(dict.fromkeys(run.lang for run, _ in seats))
    return Demand(rows, max(run.ticks for run, _ in seats), prompts, device, langs)


def estimate(plan: Plan, store: Store, again: Sequence[RunSpec] = ()) -> Estimate:
    """Estimate what is left to play: what the store lacks, and what is recorded `again`."""
    there = {i: store.has(i) for i in plan.ids}
    missing, stored = ([i for i in plan.ids if there[i] is has] for has in (False, True))
    todo = [*(plan.by_id[i] for i in missing), *again]
    audio_s = sum(run.ticks for run in todo) * TICK_S
    launcher = plan.config.launcher
    on_gpu_s = sum(run.ticks for run in todo if _on_gpu(run, launcher)) * TICK_S
    workers = processes(launcher.workers, len(batches(alike(todo), launcher)))
    rtf, bytes_per_s = _seen(store, stored)
    return Estimate(
        runs=len(missing),
        again=len(again),
        stored=len(stored),
        audio_s=audio_s,
        wall_s=audio_s * rtf / workers,
        gpu_s=on_gpu_s * rtf,
        disk_bytes=round(audio_s * bytes_per_s),
    )


def _on_gpu(run: RunSpec, launcher: LauncherSettings) -> bool:
    """Whether a run keeps a GPU busy: an agent's own device goes before the launcher's."""
    agents = (run.seat(seat).agent for seat in SEATS)
    devices = (agent.params["device"] or launcher.device for agent in agents if "device" in agent.params)
    return any(device.startswith("cuda") for device in devices)


def _run(
    study: StudyConfig, library: Library, scenario: Scenario, role_of_a: Seat, opener: Seat, repetition: int
) -> RunSpec:
    roles: dict[Seat, Seat] = {"a": role_of_a, "b": other(role_of_a)}
    window_s = study.window_s if study.tell_window else None
    pairing = study.pairing
    return RunSpec(
        pairing=pairing.name,
        archetype=scenario.archetype,
        scenario=scenario.id,
        scenario_version=scenario.version,
        sealed=library.seals.get(scenario.id, ""),
        lang=scenario.lang,
        anchor=scenario.anchor,
        symmetric=scenario.symmetric,
        opener="a" if roles["a"] == opener else "b",
        repetition=repetition,
        seed=study.seed,
        ticks=ticks_at_least(study.window_s),
        channel=study.channel,
        a=_seat(pairing.a, library, scenario, roles["a"], opener, window_s),
        b=_seat(pairing.b, library, scenario, roles["b"], opener, window_s),
    )


def _seat(
    agent: AgentSpec, library: Library, scenario: Scenario, role: Seat, opener: Seat, window_s: float | None
) -> SeatSpec:
    told = prompt(library, scenario, role, role == opener, window_s)
    rendered = family_of(agent.adapter).render(told)
    if scenario.free:
        return SeatSpec(agent=agent, role=role, prompt=told, rendered=rendered)
    held = role_of(library, scenario, role)
    return SeatSpec(agent=agent, role=role, role_id=held.id, kind=held.kind, prompt=told, rendered=rendered)


def _check_names(runs: Iterable[RunSpec]) -> None:
    """Tables are keyed by the names of agents, so a name must stand for one setting."""
    known: dict[str, str] = {}
    for run, seat in product(runs, SEATS):
        agent, partner = run.seat(seat).agent, run.seat(other(seat)).agent
        if run.suite != DYAD and agent.adapter in suites.PLAYERS:  # of another sound in each run
            continue
        if known.setdefault(agent.name, digest(agent.identity())) != digest(agent.identity()):
            seats_differ = agent.name == partner.name and agent.identity() != partner.identity()
            own = f"pairing.{seat}.name={agent.name}_{seat}"
            swept = f"agent.{agent.name}.name={agent.name}_${{pairing.{seat}.params.KEY}}"
            example = own if seats_differ else swept
            raise ConfigError(
                f"agent '{agent.name}' has several settings in one study; name each, e.g. '{example}'"
            )


def _with_assets(study: StudyConfig) -> StudyConfig:
    """Name the weights that the agents would load; raises ConfigError where they are missing.

    What plays a suite's sounds is named with each of them.
    """
    pairing = study.pairing
    suite = study.suite is not None
    agents = {"a": _named(pairing.a, suite), "b": _named(pairing.b, suite)}
    return study.model_copy(update={"pairing": pairing.model_copy(update=agents)})


def _named(agent: AgentSpec, suite: bool = False) -> AgentSpec:
    family = family_of(agent.adapter)
    if suite and agent.adapter in suites.PLAYERS:
        return agent.model_copy(update={"local": family.local})
    assets = family.assets(agent.params, agent.voice)
    return agent.model_copy(update={"assets": assets, "local": family.local})


def check_shared(studies: Sequence[StudyConfig]) -> None:
    """Refuse a sweep over what all runs of a study share: only the first value would be used."""
    for key in SHARED:
        if any(getattr(study, key) != getattr(studies[0], key) for study in studies):
            raise ConfigError(
                f"'{key}' cannot be swept, a study has one; run once, then redo the later stages with "
                f"`python -m dyad measure study=NAME {key}=...`"
                if key in REDONE
                else f"'{key}' cannot be swept, a study has one; give one value"
            )
    if studies[0].suite is not None and any(study.channel != studies[0].channel for study in studies):
        raise ConfigError("'channel' cannot be swept in a suite, whose tables have one; run once for each")
    if len({study.scenarios.dirs for study in studies}) > 1:
        raise ConfigError("'scenarios.dirs' cannot be swept; list all folders in one value")


def _check_pairing(study: StudyConfig) -> None:
    """Refuse, before anything is loaded, what an agent cannot do."""
    if study.suite is None:
        for archetype in study.task.archetypes:
            info_of(archetype)
    for agent in (study.pairing.a, study.pairing.b):
        caps = caps_of(agent)
        if study.suite is None:
            _check_task(agent, caps, study.task)
        if agent.voice and caps.voice == "none":
            raise ConfigError(f"agent '{agent.name}' takes no voice; leave '{agent.voice}' out")
        if caps.max_batch < 2 and study.pairing.a.key == study.pairing.b.key:
            raise ConfigError(f"agent '{agent.name}' serves one row only, so it cannot play with itself")
        if study.suite is None and study.window_s > caps.max_seconds:
            raise ConfigError(_too_long(agent, caps))


def _too_long(agent: AgentSpec, caps: Caps) -> str:
    """Say what to set for a shorter window, or, where no window is short enough, that none would do."""
    if caps.max_seconds > LEAD_TICKS * TICK_S:
        return f"agent '{agent.name}' ends after {caps.max_seconds:g} s; set window_s to at most that"
    return (
        f"agent '{agent.name}' can talk for {max(0.0, caps.max_seconds):g} s with its settings; "
        "see its parameters that limit the length"
    )


def _check_task(agent: AgentSpec, caps: Caps, task: TaskChoice) -> None:
    """Refuse roles for an agent that takes no prompt, and none for an agent that acts on a role's fields."""
    limits = {"none": ("takes no role prompt", True), "sheet": ("acts on a role sheet", False)}
    if caps.prompt not in limits or "instrument" in caps.flags:
        return
    why, free = limits[caps.prompt]
    if any(info_of(archetype).free is not free for archetype in task.archetypes):
        able = ",".join(dict.fromkeys(info.task for info in INFO.values() if info.free is free))
        raise ConfigError(
            f"agent '{agent.name}' {why}, so it cannot play task '{task.name}'; it can play task={able}"
        )


def _name(studies: Sequence[StudyConfig], runs: dict[str, RunSpec], nameless: Collection[str]) -> str:
    """Return the name of a study; "" where it follows from ids that nobody knows yet."""
    if studies[0].name or nameless:
        return studies[0].name or ""
    pairings = "+".join(dict.fromkeys(s.pairing.name for s in studies))
    tasks = "+".join(dict.fromkeys(s.suite.name if s.suite else s.task.name for s in studies))
    return f"{pairings[:60]}-{tasks[:40]}-{digest(sorted(runs), 3)}"


def _seen(store: Store, stored: Sequence[str]) -> tuple[float, float]:
    """Return wall seconds of one lane and bytes on disk, per second of sound, of up to 20 stored runs."""
    made = {i: store.manifest(i) for i in stored[:20]}
    audio_s = sum(m.ticks for m in made.values()) * TICK_S
    if not audio_s:
        return ASSUMED_RTF, ASSUMED_BYTES
    files = (file for i in made for file in store.run_dir(i).rglob("*") if file.is_file())
    took_s = sum(m.wall_s / m.lanes for m in made.values())
    return took_s / audio_s, sum(file.stat().st_size for file in files) / audio_s
