"""Judge: the labels of each judge, written beside the recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dyad import registry
from dyad.errors import ConfigError
from dyad.judge import rubric
from dyad.judge.case import Subject
from dyad.judge.humans import human_labels
from dyad.judge.known import controls, known_answers
from dyad.judge.models.doubt import NOT_ITS_OWN, unusable
from dyad.judge.models.purse import Purse
from dyad.judge.models.service import key_in
from dyad.judge.models.types import ModelSettings
from dyad.judge.panel import majority
from dyad.judge.protocol import Desk, Judge, JudgeFamily, ModelChanged, Money, Task
from dyad.judge.questions import SUITES
from dyad.spec import ARCHETYPES, Label, RunSpec, digest
from dyad.spec.study import PANEL, JudgeSettings
from dyad.store import Store, read_jsonl

from .conversations import case
from .hearing import heard_ids
from .serving import note_served
from .study import Study
from .trials import excerpt

Say = Callable[[str], None]


def judgeable(study: Study) -> list[str]:
    """Return the heard runs that give a judge something to judge: healthy ones, not dropped as garbled."""
    usable = [i for i in heard_ids(study) if study.fit(i) and not study.takes[i].dropped]
    return [run_id for run_id in usable if asked_about(study, study.specs[run_id])]


def asked_about(study: Study, spec: RunSpec) -> bool:
    """Whether there are questions about a run; one without the overlap is shown beside its twin."""
    if study.suite is None:
        return bool(rubric(spec.archetype).questions)
    return spec.archetype in study.suite.asked and not study.stimulus(spec).clean


def unjudged(study: Study, judge: JudgeSettings) -> list[str]:
    """Return the runs to judge that lack a judge."""
    return [i for i in judgeable(study) if not study.store.sidecar(i, study.labels_file(i, judge)).exists()]


def family_of(judge: JudgeSettings) -> JudgeFamily:
    """Return the family of a judge; raises ConfigError when its plug-in is gone."""
    family: JudgeFamily = registry.load("judges", judge.backend)
    return family


def model_settings(judge: JudgeSettings) -> ModelSettings | None:
    """Return the settings of a judge that asks a language model, None of any other.

    Raises ConfigError for a plug-in whose settings say nothing of a model.
    """
    family = family_of(judge)
    if not family.model:
        return None
    found = family.params.model_validate(judge.params)
    if not isinstance(found, ModelSettings):
        raise ConfigError(
            f"judge family '{judge.backend}': says that it asks a model, so its `params` must extend "
            "dyad.judge.models.types.ModelSettings"
        )
    return found


def check_ready(judge: JudgeSettings, money: Money) -> None:
    """Raise ConfigError, before anything is played, where a key is missing, or the price for a ceiling."""
    settings = model_settings(judge)
    if settings is None:
        return
    Purse(settings, money)
    if settings.key_env:
        key_in(settings.key_env)


def records_folder(store: Store) -> Path:
    """Return where the records of judges lie: every reply that was paid for."""
    return store.root / ".cache" / "judge"


def checks_folder(store: Store) -> Path:
    """Return where it is kept how far each judge can be trusted."""
    return records_folder(store) / "checks"


def checked_as(judge: JudgeSettings) -> str:
    """Return the name under which a check is stored: another setting or another rubric needs another one."""
    rubrics = [rubric(name).hash for name in (*ARCHETYPES, *SUITES)]
    return f"{judge.name}-{digest([judge.key, rubrics], 3)}"


def opened(study: Study, judge: JudgeSettings, money: Money, say: Say = lambda text: None) -> Judge:
    """Return a judge at work, with its records in the store; `say` gets what it has to tell."""
    family = family_of(judge)
    tests = controls(known_answers(study.library)) if family.model else ()
    desk = Desk(judge.name, records_folder(study.store), money, tests, say, judge.served)
    made: Judge = family.open(family.params.model_validate(judge.params), desk)
    return made


def judge(
    study: Study,
    settings: JudgeSettings,
    ids: Sequence[str],
    money: Money | None = None,
    say: Say = lambda text: None,
) -> Iterator[str | None]:
    """Label runs; yield an error, or None, as each is done.

    Raises ConfigError when a run's scenario is gone or changed: then no label could be right; BudgetReached
    at the ceiling of `money`, the study's own where none is given.
    """
    if not ids:  # then the records of the judge, which another process may hold, stay closed
        return
    broken, ended = list[str](), set[str]()
    money = money or Money(study.config.budget.usd)
    try:
        for judged in opened(study, settings, money, say)(_tasks(study, ids, broken)):
            if judged.labels is None:
                yield f"{judged.key}: judge: {judged.error}"
            else:
                study.store.add_sidecar(judged.key, study.labels_file(judged.key, settings), judged.labels)
                ended |= {label.status for label in judged.labels}
                yield None
    except ModelChanged as changed:
        note_served(study.folder, settings, changed.now)
        raise
    yield from broken
    if family_of(settings).model and "ok" not in ended and (said := ended - NOT_ITS_OWN):
        yield unusable(settings.name, said)


def _tasks(study: Study, ids: Sequence[str], broken: list[str]) -> Iterator[Task]:
    for run_id in ids:
        try:
            yield Task(run_id, subject(study, run_id))
        except ConfigError:
            raise
        except Exception as error:  # one broken run must not keep the others from their labels
            broken.append(f"{run_id}: judge: {type(error).__name__}: {error}")


def subject(study: Study, run_id: str) -> Subject:
    """Return what judges of a run read."""
    return case(study, run_id) if study.suite is None else excerpt(study, run_id)


def labels_of(study: Study, run_id: str, judge: JudgeSettings) -> list[Label]:
    """Return the stored labels of a judge; none for a run that it did not judge."""
    path = study.store.sidecar(run_id, study.labels_file(run_id, judge))
    return read_jsonl(path, Label) if path.exists() else []


def judgments(study: Study, run_id: str) -> dict[str, list[Label]]:
    """Return all labels of a run: of each judge of the study, of the panel, and of people."""
    found = {judge.name: labels_of(study, run_id, judge) for judge in study.config.judges}
    if study.config.panel:
        found[PANEL] = list(majority(found))
    return found | human_labels(study.shown(run_id))


def shown_labels(study: Study, run_id: str) -> list[Label]:
    """Return the labels that the tables rest on."""
    return judgments(study, run_id)[study.config.judge]
