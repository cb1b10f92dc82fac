"""The stages after simulation, wired to the store: each reads recordings and sidecars and only adds files.

A sidecar's name carries the settings that made it (`words/whisper-1a2b3c.jsonl`), so other settings add
another file and never touch this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dyad.errors import ConfigError
from dyad.hear.asr import asr_key, check_asr, transcribe
from dyad.hear.attach import attach, pieces_of_words
from dyad.hear.vad import segments as find_segments
from dyad.judge import JUDGE, judge_run, rubric, rubric_key
from dyad.judge.transcript import Line
from dyad.judge.transcript import lines as transcript_lines
from dyad.launch import launch
from dyad.library import Library
from dyad.measure.conversation import Conversation
from dyad.measure.rows import COLUMNS, run_rows
from dyad.measure.turns import seat_ticks
from dyad.plan import Plan
from dyad.spec import SEATS, Label, Manifest, Role, RunSpec, Scenario, Seat, Segment, Word, digest
from dyad.spec.study import AsrSettings, StudyConfig, VadSettings
from dyad.store import Store, read_jsonl, write_atomic

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Study:
    """A planned study: `ids` are its runs that lie in the store, `missing` those that do not."""

    name: str
    command: str
    config: StudyConfig
    store: Store
    ids: tuple[str, ...]
    library: Library
    missing: tuple[str, ...] = ()

    @cached_property
    def specs(self) -> dict[str, RunSpec]:
        """The specs of the stored runs; runs never change, so one reading serves all stages."""
        return {i: self.store.spec(i) for i in self.ids}

    @cached_property
    def manifests(self) -> dict[str, Manifest]:
        """How the stored runs were made."""
        return {i: self.store.manifest(i) for i in self.ids}

    @cached_property
    def segments_file(self) -> str:
        """The sidecar of the study's VAD."""
        return vad_name(self.config.vad)

    @cached_property
    def words_files(self) -> dict[str, str]:
        """The sidecar of the study's ASR for each run, whose scenario tells it which names to expect."""
        key = asr_key(self.config.asr.engine, self.config.asr.model_dir)
        return {
            i: asr_name(self.config.asr, key, self.hotwords(i), spec.lang) for i, spec in self.specs.items()
        }

    def hotwords(self, run_id: str) -> tuple[str, ...]:
        """The names that are likely to occur in a run."""
        return tuple(map(str, self.scenario(self.specs[run_id]).asr.get("hotwords", ())))

    def labels_file(self, run_id: str) -> str:
        """The sidecar of the study's judge, named after all that it reads."""
        spec = self.specs[run_id]
        rubric, heard = rubric_key(spec.archetype), [self.segments_file, self.words_files[run_id]]
        made_of = [self.config.judge.model_dump(), JUDGE, rubric, *heard, self.truths[spec.scenario]]
        return f"judgments/{rubric}--{self.config.judge.name}-{digest(made_of, 3)}.jsonl"

    @cached_property
    def truths(self) -> dict[str, str]:
        """A digest, by scenario, of what a judge knows and no run holds: the scenario and its roles."""
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

    @property
    def folder(self) -> Path:
        """Where the study's tables and report lie."""
        return self.store.study_dir(self.name)


@dataclass(frozen=True)
class Hearing:
    """One recording to be heard."""

    store: Store
    run_id: str
    vad: VadSettings
    asr: AsrSettings
    hotwords: tuple[str, ...]
    words_file: str
    lang: str


def of_plan(plan: Plan, store: Store, command: str) -> Study:
    """Return the study of a plan."""
    return of_ids(plan.name, command, plan.config, store, [run.id for run in plan.runs], plan.library)


def of_ids(
    name: str, command: str, config: StudyConfig, store: Store, planned: Sequence[str], library: Library
) -> Study:
    """Return the study of planned runs, some of which the store may not hold."""
    there = {i: store.has(i) for i in planned}
    ids, missing = (tuple(i for i, has in there.items() if has is wanted) for wanted in (True, False))
    return Study(name, command, config, store, ids, library, missing)


def check(config: StudyConfig) -> None:
    """Raise ConfigError, before anything is written, for what a later stage would lack."""
    check_asr(config.asr.engine, config.asr.model_dir, config.scenarios.lang)


# -- names of sidecars -----------------------------------------------------------------------------


def vad_name(vad: VadSettings) -> str:
    """Return the sidecar of a VAD's segments."""
    return f"segments/{vad.name}-{digest(vad, 3)}.jsonl"


def asr_name(asr: AsrSettings, key: Sequence[str], hotwords: Sequence[str] = (), lang: str = "en") -> str:
    """Return the sidecar of an ASR's words; its weights (in `key`) and what it was told are in the name."""
    told = [*hotwords] if lang == "en" else [f"lang={lang}", *hotwords]
    return f"words/{asr.name}-{digest([*key, *told], 3)}.jsonl"


# -- hear ------------------------------------------------------------------------------------------


def unheard(study: Study) -> list[str]:
    """Return the runs that lack segments or words of the study's settings."""
    return [
        i for i in study.ids if not all(study.store.sidecar(i, name).exists() for name in _heard(study, i))
    ]


def _heard(study: Study, run_id: str) -> list[str]:
    """Return the sidecars that hearing a run makes."""
    words = [] if study.config.asr.engine == "none" else [study.words_files[run_id]]
    return [study.segments_file, *words]


def hear(study: Study, ids: Sequence[str]) -> Iterator[str | None]:
    """Write the missing segments and words; yield an error, or None, as each run is done."""
    vad, asr = study.config.vad, study.config.asr
    tasks = [
        Hearing(study.store, i, vad, asr, study.hotwords(i), study.words_files[i], study.specs[i].lang)
        for i in ids
    ]
    for outcome in launch(tasks, hear_one, study.config.launcher.workers):
        yield outcome.error and f"{outcome.task.run_id}: {outcome.error}"


def hear_one(task: Hearing) -> None:
    """Write the sidecars of one recording."""
    pcm = task.store.pcm(task.run_id)
    task.store.add_sidecar(task.run_id, vad_name(task.vad), find_segments(pcm, task.vad))
    if task.asr.engine != "none":
        words = transcribe(pcm, task.asr.engine, task.hotwords, task.asr.model_dir, task.lang)
        task.store.add_sidecar(task.run_id, task.words_file, words)


# -- judge -----------------------------------------------------------------------------------------


def judgeable(study: Study) -> list[str]:
    """Return the healthy, heard runs that give a judge something to judge."""
    return [
        run_id
        for run_id in heard_ids(study)
        if study.manifests[run_id].health.ok and rubric(study.specs[run_id].archetype).questions
    ]


def unjudged(study: Study) -> list[str]:
    """Return the runs to judge that lack the study's judge."""
    return [i for i in judgeable(study) if not study.store.sidecar(i, study.labels_file(i)).exists()]


def judge(study: Study, ids: Sequence[str]) -> Iterator[str | None]:
    """Label runs; yield an error, or None, as each is done.

    Raises ConfigError when a run's scenario is gone or changed: then no label could be right.
    """
    for run_id in ids:
        try:
            study.store.add_sidecar(run_id, study.labels_file(run_id), _labels(study, run_id))
        except ConfigError:
            raise
        except Exception as error:  # one broken run must not keep the others from their labels
            yield f"{run_id}: judge: {type(error).__name__}: {error}"
        else:
            yield None


def _labels(study: Study, run_id: str) -> list[Label]:
    spec = study.specs[run_id]
    scenario = study.scenario(spec)
    ticks = study.manifests[run_id].ticks
    return judge_run(spec, scenario, study.roles(scenario), transcript(study, run_id), ticks)


def labels_of(study: Study, run_id: str) -> list[Label]:
    """Return the stored labels of the study's judge; none for a run that was not judged."""
    path = study.store.sidecar(run_id, study.labels_file(run_id))
    return read_jsonl(path, Label) if path.exists() else []


# -- measure ---------------------------------------------------------------------------------------


def heard_ids(study: Study) -> list[str]:
    """Return the runs whose segments and words are there: labels of half of them would stay wrong."""
    lacking = set(unheard(study))
    return [i for i in study.ids if i not in lacking]


def transcript(study: Study, run_id: str) -> list[Line]:
    """Return the lines of one run: each voice-activity segment with its own text and what was heard."""
    segments, words = _segments(study, run_id), _words(study, run_id)
    spans = {seat: seat_ticks(segments, seat) for seat in SEATS}
    texts = _by_seat(segments, attach(study.store.pieces(run_id), segments).texts)
    heard = None if words is None else _by_seat(segments, attach(pieces_of_words(words), segments).texts)
    spec, ticks = study.specs[run_id], study.manifests[run_id].ticks
    return transcript_lines(spec.opener, spans, texts, ticks, heard)


def conversation(study: Study, run_id: str) -> Conversation:
    """Assemble what measures read of one run."""
    spec, segments = study.specs[run_id], _segments(study, run_id)
    spans = {seat: seat_ticks(segments, seat) for seat in SEATS}
    ticks = study.manifests[run_id].ticks
    healthy = study.manifests[run_id].health.ok
    return Conversation(spec, study.scenario(spec), ticks, spans, transcript(study, run_id), healthy)


def measure(study: Study) -> pd.DataFrame:
    """Compute the tidy rows of all heard runs, write them to `table.parquet`, and return them.

    The file names the settings behind it (`attrs`), so that it is never read as a table of others.
    """
    import pandas as pd

    rows = []
    for run_id in heard_ids(study):
        judgments = {study.config.judge.name: labels_of(study, run_id)}
        rows += run_rows(conversation(study, run_id), judgments, study.name, modes=(study.config.mode,))
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"value": float})
    frame.attrs["settings"] = _settings(study)
    write_atomic(study.folder / "table.parquet", _parquet(frame))
    return frame


def read_table(study: Study) -> pd.DataFrame:
    """Read the rows that `measure` wrote; raise ConfigError when there are none of the study's settings."""
    import pandas as pd

    path = study.folder / "table.parquet"
    try:
        frame = pd.read_parquet(path)
    except (OSError, ValueError):  # not there, or no Parquet
        frame = None
    if frame is None or frame.attrs.get("settings") != _settings(study):
        what = "missing or broken" if frame is None else "made with other settings or of other runs"
        raise ConfigError(
            f"{path} is {what}; run: python -m dyad measure study={study.name} with these options"
        )
    return frame


def _settings(study: Study) -> list[str]:
    """Return everything that decides the rows: which runs were heard, and what their labels rest on."""
    labels = {run_id: study.labels_file(run_id) for run_id in heard_ids(study)}
    return [study.config.mode, study.config.judge.name, digest(labels)]


def _parquet(frame: pd.DataFrame) -> bytes:
    import io

    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _segments(study: Study, run_id: str) -> list[Segment]:
    """Return the stored segments; none for a run that could not be heard."""
    path = study.store.sidecar(run_id, study.segments_file)
    return read_jsonl(path, Segment) if path.exists() else []


def _words(study: Study, run_id: str) -> list[Word] | None:
    path = study.store.sidecar(run_id, study.words_files[run_id])
    return read_jsonl(path, Word) if path.exists() else None


def _by_seat(segments: Sequence[Segment], texts: Sequence[str]) -> dict[Seat, list[str]]:
    return {seat: [text for s, text in zip(segments, texts, strict=True) if s.seat == seat] for seat in SEATS}
