"""One trial of a suite as the verb `show` prints it; times count from the first sample that is heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dyad.errors import ConfigError
from dyad.pipeline import Study
from dyad.pipeline.trials import shown_trial
from dyad.report.suite.data import cut_off, lines_of, sides
from dyad.spec import RunSpec
from dyad.spec.run import DYAD
from dyad.spec.study import StudyConfig
from dyad.spec.suite import Stimulus
from dyad.tables import Row


def check_kind(spec: RunSpec, config: StudyConfig) -> None:
    """Raise ConfigError where a trial is shown without the settings of its suite, or the other way round."""
    named = config.suite.name if config.suite else DYAD
    if spec.suite == named:
        return
    if spec.suite != DYAD:
        raise ConfigError(
            f"'{spec.id}' is a trial of suite '{spec.suite}'; name its study, which knows the stimulus: "
            "python -m dyad show RUN_ID study=NAME"
        )
    raise ConfigError(f"'{spec.id}' is a conversation, no trial of suite '{named}'; name another study")


def with_twin(study: Study, run_id: str) -> Study:
    """Return a study of one of its trials, and of the twin that judges read beside it.

    Raises ConfigError for a trial of another study.
    """
    if run_id not in study.specs:
        raise ConfigError(f"'{run_id}' is not in study '{study.name}'; name the study that played it")
    twin = study.twin(study.specs[run_id])
    return replace(study, first=tuple(filter(None, (run_id, twin))))


def trial_lines(study: Study, run_id: str) -> list[Row]:
    """Return what both sides of a trial say, one line per inter-pausal unit."""
    return lines_of(sides(shown_trial(study, run_id)), 0.0)


def trial_text(study: Study, run_id: str, lines: Sequence[Row]) -> Iterator[str]:
    """Yield the stimulus and what was said, in words."""
    spec = study.specs[run_id]
    stimulus = study.stimulus(spec)
    yield f"{run_id}\n{study.store.run_dir(run_id)}\n\n{_about(stimulus)}"
    yield from (f"{name}: {text}" for name, text in stimulus.texts.items())
    yield from cut_off(shown_trial(study, run_id))
    yield f"A = seat a: {spec.a.agent.name}\nB = seat b: the stimulus\n"
    for line in lines:
        yield f"{line['id']:4}{line['start']:7.2f} – {line['end']:5.2f} s  {line['text']}"
    yield "" if lines else "(no words)\n"


def _about(stimulus: Stimulus) -> str:
    start, end = stimulus.span or (None, None)
    when = "" if start is None else f", at {start:.2f} s" if start == end else f", {start:.2f} – {end:.2f} s"
    return f"{stimulus.path}: {stimulus.duration_s:.2f} s; {stimulus.kind}{when}"
