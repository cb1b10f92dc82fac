"""A study in the store: its runs, its settings, and the names of the files that each stage adds.

A sidecar's name carries the settings that made it (`words/whisper-1a2b3c.jsonl`), so other settings add
another file and never touch this one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from dyad.errors import ConfigError
from dyad.health import SILENCE
from dyad.hear.asr import asr_key, check_asr
from dyad.judge import rubric_key
from dyad.judge.humans import Shown
from dyad.library import Library
from dyad.plan import Plan
from dyad.spec import SEATS, Manifest, Role, RunSpec, Scenario, Seat, digest
from dyad.spec.study import AsrSettings, JudgeSettings, StudyConfig, VadSettings
from dyad.spec.suite import Stimulus
from dyad.store import Store, read_record
from dyad.suites.listen import held_speech
from dyad.suites.plan import (
    family,
    given_words,
    recorded_file,
    scored_samples,
    seats_to_hear,
    stimuli_of,
)
from dyad.suites.protocol import SuiteFamily

from .kept import READ, Read, copied
from .serving import recalled
from .takes import Names, Takes, takes_of


@dataclass(frozen=True)
class Study:
    """A planned study: `first` are its runs that lie in the store, by their first take; others are `missing`.

    `ids` are the takes that count, as the store was when they were asked for: take it `anew` after hearing.
    """

    name: str
    command: str
    config: StudyConfig
    store: Store
    first: tuple[str, ...]
    library: Library
    missing: tuple[str, ...] = ()
    known: tuple[Stimulus, ...] = ()  # of a suite, where its plan has read them
    kept: tuple[Stimulus, ...] = ()  # as the store has them, where its data have moved
    trials: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # of a suite: agent, stimulus by run

    @property
    def planned(self) -> tuple[str, ...]:
        """The runs of the plan, those first that are stored."""
        return *self.first, *self.missing

    def anew(self) -> Study:
        """Return the study as the store is now."""
        return replace(self)

    @cached_property
    def takes(self) -> dict[str, Takes]:
        """What was recorded of each stored run, by the take that counts."""
        # what a model says to a stimulus is scored as it is
        most = self.config.asr.watch if self.suite is None else 0
        specs = {i: self.store.spec(i) for i in self.first}
        found = (takes_of(self.store, i, spec, self.sidecars(spec), most) for i, spec in specs.items())
        return {takes.id: takes for takes in found}

    @property
    def ids(self) -> tuple[str, ...]:
        """The stored runs, by the take that counts."""
        return tuple(self.takes)

    @cached_property
    def specs(self) -> dict[str, RunSpec]:
        """The specs of the stored runs; runs never change, so one reading serves all stages."""
        return {i: takes.spec for i, takes in self.takes.items()}

    @cached_property
    def manifests(self) -> dict[str, Manifest]:
        """How the stored runs were made."""
        return {i: self.store.manifest(i) for i in self.ids}

    def fit(self, run_id: str) -> bool:
        """Whether a run passes the health gate. In a suite only the model's side counts; it may be silent."""
        health = self.manifests[run_id].health
        if self.suite is None:
            return health.ok
        return all(problem.endswith("seat b") or problem.startswith(SILENCE) for problem in health.problems)

    @cached_property
    def segments_file(self) -> str:
        """The sidecar of the study's VAD."""
        return vad_name(self.config.vad)

    @cached_property
    def words_files(self) -> dict[str, str]:
        """The sidecar of the study's ASR for each run, whose scenario tells it which names to expect."""
        return {i: self._words_file(spec) for i, spec in self.specs.items()}

    @cached_property
    def suite(self) -> SuiteFamily | None:
        """The code behind the suite that was played, None for conversations."""
        return None if self.config.suite is None else family(self.config.suite)

    @cached_property
    def stimuli(self) -> dict[str, Stimulus]:
        """The stimuli of a suite by id, as the store has kept them where they are gone from its data.

        Raises ConfigError where neither has any.
        """
        try:
            there = self.known or self.data_there()
        except ConfigError:
            if not self.kept:
                raise
            there = ()
        return {s.id: s for s in (*self.kept, *there)}

    def data_there(self) -> tuple[Stimulus, ...]:
        """Return the stimuli that lie in the data of a suite; raises ConfigError where they are gone."""
        settings = self.config.suite
        return () if settings is None else tuple(stimuli_of(settings, self.store.root))

    @cached_property
    def read(self) -> Read:
        """What was read beside the recordings when they were last measured."""
        path = self.folder / READ
        return read_record(path, Read) if self.name and path.is_file() else Read()

    def stimulus(self, spec: RunSpec) -> Stimulus:
        """Return the stimulus of a run; raises ConfigError when the suite's data have it no more."""
        if spec.scenario not in self.stimuli:
            raise ConfigError(
                f"stimulus '{spec.scenario}' is not in the data of suite '{spec.suite}'; restore it"
            )
        return self.stimuli[spec.scenario]

    def given_words(self, spec: RunSpec) -> dict[Seat, Path]:
        """The transcripts that lie beside the sounds of a suite's run, or the store's copies, by seat."""
        assert self.config.suite is not None
        if not self._is_gone(spec):
            return given_words(spec.a.agent, self.config.suite, self.stimulus(spec))
        return {seat: self.store.sidecar(spec.id, name) for seat, name in self.read.words[spec.id].items()}

    def _is_gone(self, spec: RunSpec) -> bool:
        """Whether a stimulus has moved away since its run was measured."""
        return spec.id in self.read.words and not self.stimulus(spec).path.is_file()

    @cached_property
    def by_stimulus(self) -> dict[tuple[object, ...], str]:
        """The runs of a suite by stimulus and by all that its twin without the overlap shares."""
        return {(spec.scenario, *_shared(spec)): run_id for run_id, spec in self.specs.items()}

    def twin(self, spec: RunSpec) -> str | None:
        """The run of the same model on the same stimulus without the overlap, if it was played."""
        return self.by_stimulus.get((self.stimulus(spec).clean_id, *_shared(spec)))

    def sidecars(self, spec: RunSpec) -> Names:
        """The sidecars that hearing a run makes."""
        if self.suite is not None:
            assert self.config.suite is not None
            lacks_words = self.config.asr.engine != "none" and self._unwritten(spec)
            length = scored_samples(self.config.suite, self.stimulus(spec))
            speech = held_speech(self.store, spec.id, length)
            return Names(speech, self._words_file(spec) if lacks_words else "")
        return Names(self.segments_file, "" if self.config.asr.engine == "none" else self._words_file(spec))

    def hotwords(self, spec: RunSpec) -> tuple[str, ...]:
        """The names that are likely to occur in a run; a suite tells none."""
        if self.suite is not None:
            return ()
        return tuple(map(str, self.scenario(spec).asr.get("hotwords", ())))

    def _words_file(self, spec: RunSpec) -> str:
        told = self.hotwords(spec) if self.suite is None else self._unwritten(spec)
        return asr_name(self.config.asr, self._asr_key, told, spec.lang)

    def _unwritten(self, spec: RunSpec) -> list[Seat]:
        """The seats of a suite's run whose words an ASR has to find; others are silent to it."""
        return sorted(seats_to_hear(self.stimulus(spec), self.given_words(spec)))

    @cached_property
    def _asr_key(self) -> list[str]:
        asr = self.config.asr
        try:
            return asr_key(asr.engine, asr.model_dir, asr.params)
        except ConfigError:  # its weights are gone; what it heard is there
            if (known := self.read.asr.get(digest(asr))) is None:
                raise
            return list(known)

    def labels_file(self, run_id: str, judge: JudgeSettings) -> str:
        """The sidecar of a judge, named after all that it reads and all that it is."""
        made_of = [judge.key, self.read_by_judges(run_id)]
        rubric = self._rubric_key(self.specs[run_id])
        return f"judgments/{rubric}--{judge.name}-{digest(made_of, 3)}.jsonl"

    def read_by_judges(self, run_id: str) -> str:
        """A digest of everything that any judge of a run reads: words, questions, scenario and roles."""
        spec = self.specs[run_id]
        heard = [self.segments_file, self.words_files[run_id]] if self.suite is None else self._read_of(spec)
        return digest([self._rubric_key(spec), *heard, self.truths[spec.scenario]], 3)

    def _read_of(self, spec: RunSpec) -> list[object]:
        """Name all words of a trial of a suite and its twin: those that were heard, those beside sounds."""
        twin = self.twin(spec)
        both = [spec] if twin is None else [spec, self.specs[twin]]
        given = [{seat: _held(file) for seat, file in self.given_words(one).items()} for one in both]
        labels = self._given_labels(spec)
        return [twin, given, *labels, *(name for one in both for name in self.sidecars(one))]

    def _given_labels(self, spec: RunSpec) -> list[str]:
        """Digests of the labels that lie beside a recorded answer."""
        assert self.suite is not None
        if self._is_gone(spec):
            return list(self.read.labels[spec.id])
        answer = recorded_file(spec.a.agent, self.stimulus(spec))
        return [_held(file) for file in self.suite.given(answer)]

    def _rubric_key(self, spec: RunSpec) -> str:
        name = spec.archetype if self.suite is None else self.suite.rubric
        return rubric_key(name) if name else "none"  # a suite that asks nothing

    @cached_property
    def truths(self) -> dict[str, str]:
        """A digest, by scenario, of what a judge knows and no run holds: the scenario and its roles."""
        if self.suite is not None:
            return {spec.scenario: _known(self.stimulus(spec)) for spec in self.specs.values()}
        scenarios = {spec.scenario: self.scenario(spec) for spec in self.specs.values()}
        known = {name: (scenario, *self.roles(scenario).values()) for name, scenario in scenarios.items()}
        return {name: digest([x.model_dump(mode="json") for x in records]) for name, records in known.items()}

    def roles(self, scenario: Scenario) -> dict[Seat, Role]:
        """Return the roles of both seats of a scenario, by role letter; none of a free conversation."""
        return {s: self.library.roles[scenario.seats[s].role] for s in SEATS if s in scenario.seats}

    def scenario(self, spec: RunSpec) -> Scenario:
        """Return the scenario of a run; raise ConfigError when the library now holds another version."""
        found = self.library.scenarios.get(spec.scenario)
        if found is None:
            raise ConfigError(f"scenario '{spec.scenario}' is not in the library; add scenarios.dirs=[DIR]")
        if found.version != spec.scenario_version:
            raise ConfigError(
                f"scenario '{spec.scenario}' is at version {found.version}, the run used "
                f"{spec.scenario_version}; play it again or restore that version"
            )
        if self.library.seals.get(spec.scenario, "") != spec.sealed:
            raise ConfigError(
                f"scenario '{spec.scenario}' is not the sealed one that the run was played on; "
                "name the folder of that set: scenario_dirs=[DIR]"
            )
        return found

    def keep_read(self) -> Read:
        """Return what is read beside the recordings, with copies in the store of what lies elsewhere."""
        asr = {digest(self.config.asr): tuple(self._asr_key)}
        if self.suite is None:
            return Read(asr=asr)
        words = {i: dict(copied(self.store, i, self.given_words(s))) for i, s in self.specs.items()}
        labels = {i: tuple(self._given_labels(s)) for i, s in self.specs.items()}
        return Read(asr=asr, words=words, labels=labels)

    def shown(self, run_id: str) -> Shown:
        """What a person who labels a run is shown, and where the answers lie."""
        rubric = self._rubric_key(self.specs[run_id])
        return Shown(self.store, run_id, rubric, self.read_by_judges(run_id))

    @property
    def folder(self) -> Path:
        """Where the study's tables and report lie."""
        return self.store.study_dir(self.name)


def of_plan(plan: Plan, store: Store, command: str) -> Study:
    """Return the study of a plan."""
    study = of_ids(plan.name, command, plan.config, store, plan.ids, plan.library)
    return replace(study, known=plan.stimuli, trials=plan.trials)


def of_ids(
    name: str, command: str, config: StudyConfig, store: Store, planned: Sequence[str], library: Library
) -> Study:
    """Return the study of planned runs, some of which the store may not hold."""
    if name:
        judges = recalled(store.study_dir(name), config.judges)
        config = config.model_copy(update={"judges": judges})
    there = {i: store.has(i) for i in planned}
    first, missing = (tuple(i for i, has in there.items() if has is wanted) for wanted in (True, False))
    return Study(name, command, config, store, first, library, missing)


def of_recording(run_id: str, config: StudyConfig, store: Store, library: Library) -> Study:
    """Return the study of one recording, whichever take of its run counts."""
    alone = config.model_copy(update={"asr": config.asr.model_copy(update={"retakes": 0})})
    return of_ids("", "", alone, store, [run_id], library)


def unplayed(plan: Plan, study: Study) -> list[RunSpec]:
    """Return what is still to be recorded: runs of a plan that the store lacks, then retakes."""
    return [*plan.todo(study.store), *retakes(plan, study)]


def retakes(plan: Plan, study: Study) -> list[RunSpec]:
    """Return the next take of each run that is garbled and may be recorded again."""
    return [
        plan.by_id[takes.first].at_take(takes.spec.take + 1)  # the plan's: it knows where files lie today
        for takes in study.takes.values()
        if takes.again
    ]


def _held(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _known(stimulus: Stimulus) -> str:
    """A digest of what a judge is shown of a stimulus, and of when it happens: not of where its files lie."""
    return digest(stimulus.model_dump(mode="json", exclude={"folder", "damaged"}))


def _shared(spec: RunSpec) -> tuple[object, ...]:
    return spec.a.agent.name, spec.repetition, spec.seed, spec.channel.phrase


def check(config: StudyConfig) -> None:
    """Raise ConfigError, before anything is written, for what a later stage would lack."""
    lang = config.scenarios.lang if config.suite is None else config.suite.lang
    check_asr(config.asr.engine, config.asr.model_dir, lang, config.asr.params)


# -- names of sidecars -----------------------------------------------------------------------------


def vad_name(vad: VadSettings) -> str:
    """Return the sidecar of a VAD's segments."""
    return f"segments/{vad.name}-{digest(vad, 3)}.jsonl"


def asr_name(asr: AsrSettings, key: Sequence[str], hotwords: Sequence[str] = (), lang: str = "en") -> str:
    """Return the sidecar of an ASR's words; its weights (in `key`) and what it was told are in the name."""
    told = [*hotwords] if lang == "en" else [f"lang={lang}", *hotwords]
    return f"words/{asr.name}-{digest([*key, *told], 3)}.jsonl"
