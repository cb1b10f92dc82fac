"""Full-Duplex-Bench as suites: v1.0, v1.5, and a small set of our own in the form of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dyad.judge.case import Excerpt
from dyad.measure.catalogue import Measure
from dyad.spec import Label
from dyad.spec.suite import Kind, Stimulus, SuiteSettings
from dyad.suites import mini
from dyad.suites.protocol import Mode, Scored, SuiteFamily, Trial
from dyad.suites.words import words_of
from dyad.text import joined

from . import behaviour, measures
from .acoustics import trimmed_mean
from .backchannel import backchannel_scores
from .export import export_trials
from .flags import FLAGS
from .given import given_files, given_labels
from .layout import read_v1, read_v15
from .significance import compare
from .turns import interruption_scores, pause_scores, turn_taking_scores

Stimuli = Callable[[SuiteSettings, Path], Sequence[Stimulus]]
RUBRIC = "fdb"
MEASURES: Mapping[str, Measure] = {**measures.MEASURES, **behaviour.MEASURES}
JUDGED = frozenset({"rating"}) | behaviour.JUDGED
AVERAGES = {name: trimmed_mean for name in behaviour.MEASURES if name.endswith(("_pre", "_post", "_clean"))}
POPULATION_SD = frozenset(("backchannel", name) for name in ("tor", "bc_freq", "jsd"))
OFF = frozenset({"stale_acoustics"})  # it would put what another model said beside this one's name
ASKED: frozenset[Kind] = frozenset({"interruption", "overlap"})


def score(trial: Trial, labels: Sequence[Label], mode: Mode, flags: Mapping[str, bool]) -> list[Scored]:
    """Return the numbers of a trial by the rules of its kind."""
    kind = trial.stimulus.kind
    if kind == "pause":
        return pause_scores(trial, mode, flags)
    if kind == "backchannel":
        return backchannel_scores(trial, mode, flags)
    if kind == "turn_taking":
        return turn_taking_scores(trial, mode, flags)
    if kind == "interruption":
        return interruption_scores(trial, labels, mode, flags, crop=trial.model.whole)
    return behaviour.overlap_scores(trial, labels, mode, flags)


def excerpt(trial: Trial) -> Excerpt:
    """Return what a judge reads: the reply to an interruption, or four transcripts around an overlap."""
    overlap = trial.stimulus.kind == "overlap"
    shown = behaviour.excerpt(trial) or Excerpt(RUBRIC, {}) if overlap else _reply(trial)
    return replace(shown, given=given_labels(trial))


def _reply(trial: Trial) -> Excerpt:
    """The user's two turns, and what the model said once the second had ended, as far as it is speech."""
    end = trial.stimulus.span[1] if trial.stimulus.span else 0.0
    said = [word for word in words_of(trial.model, gate=True) if (word.start + word.end) / 2 >= end]
    told = {name: trial.stimulus.texts.get(name, "") for name in ("context", "interruption")}
    return Excerpt(RUBRIC, {**told, "reply": joined([word.text for word in said])})


def _v1(settings: SuiteSettings, made: Path) -> Sequence[Stimulus]:
    return read_v1(Path(settings.data), Path(settings.references) if settings.references else None)


def _v15(settings: SuiteSettings, made: Path) -> Sequence[Stimulus]:
    return read_v15(Path(settings.data))


def _mini(settings: SuiteSettings, made: Path) -> Sequence[Stimulus]:
    folder = mini.folder_of(made)
    return [*read_v1(folder), *read_v15(folder)]


def _family(name: str, about: str, stimuli: Stimuli) -> SuiteFamily:
    return SuiteFamily(
        name=name,
        about=about,
        stimuli=stimuli,
        score=score,
        excerpt=excerpt,
        measures=MEASURES,
        better=measures.BETTER,
        judged=JUDGED,
        flags=FLAGS,
        off=OFF,
        given=given_files,
        asked=ASKED,
        rubric=RUBRIC,
        averages=AVERAGES,
        population_sd=POPULATION_SD,
        test=compare,
        export=export_trials,
    )


V1 = _family("fdb_v1", "Full-Duplex-Bench v1.0: pauses, backchannels, turns, interruptions", _v1)
V15 = _family("fdb_v15", "Full-Duplex-Bench v1.5: behaviour under four kinds of overlap", _v15)
MINI = _family("fdb_mini", "ten synthetic stimuli for each task of v1.0 and v1.5", _mini)
