"""The runs of a suite's study: what is heard, what judges are asked, their rows, and what became of each."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dyad.judge.case import Excerpt
from dyad.launch import launch
from dyad.measure.rows import COLUMNS, about, who
from dyad.spec import TICK, Label, Seat
from dyad.suites.listen import Listening
from dyad.suites.plan import recorded_file, scored_samples, seats_to_hear, start_tick
from dyad.suites.protocol import Mode, Sample, Scored, Sound, Status, SuiteFamily
from dyad.suites.summary import summary
from dyad.suites.trials import ASR_FAILED, MODES, NO_TRANSCRIPT, Scoring, score, trial
from dyad.tables.draws import Draws

from .study import Study

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]
UNHEARD = frozenset({NO_TRANSCRIPT, ASR_FAILED})


def listening(study: Study, run_id: str) -> Listening:
    """Return what hearing one run takes, and what its trial is made of."""
    spec, settings = study.specs[run_id], study.config.suite
    assert settings is not None
    stimulus, given = study.stimulus(spec), study.given_words(spec)
    return Listening(
        study.store,
        run_id,
        stimulus,
        start_tick(settings) * TICK,
        scored_samples(settings, stimulus),
        recorded_file(spec.a.agent, stimulus),
        given,
        seats_to_hear(stimulus, given),
        study.config.asr,
        study.sidecars(spec).words,
        spec.lang,
    )


def excerpt(study: Study, run_id: str) -> Excerpt:
    """Return what judges are shown of one run."""
    assert study.suite is not None
    return study.suite.excerpt(trial(listening(study, run_id), _clean(study, run_id)))


def shown_trial(study: Study, run_id: str) -> dict[Seat, Sound]:
    """Return both sides of one run, as strict mode reads them."""
    made = trial(listening(study, run_id), mode="strict")
    return {"a": made.model, "b": made.user}


def trial_rows(
    study: Study, ids: Sequence[str], labels: Mapping[str, Mapping[str, Sequence[Label]]]
) -> list[Row]:
    """Return the tidy rows of heard runs, in both modes; `labels` are by run and judge.

    Twins without an overlap have no rows of their own. A run that cannot be scored has its error as reason.
    """
    assert study.suite is not None
    tasks = [_scoring(study, run_id, labels[run_id]) for run_id in ids if not _is_clean(study, run_id)]
    rows = list[Row]()
    for outcome in launch(tasks, score, study.config.launcher.workers):
        run = outcome.task.run.run_id
        rows += _rows(study, run, outcome.result or _failed(study.suite, outcome.error or "unknown"))
    order = {run_id: number for number, run_id in enumerate(ids)}
    return sorted(rows, key=lambda row: order[row["run_id"]])


def suite_rows(study: Study, frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a suite's tables, from the rows of its trials."""
    family, wish = study.suite, study.config.report
    assert family is not None
    plain: list[Row] = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
    counts = {key: dict(count) for key, count in statuses(study, plain).items()}
    draws, flags = Draws(wish.bootstrap, wish.permutations), _flags(study)

    def test(samples: Sequence[Sample], mode: Mode) -> Sequence[Any]:
        return family.test(samples, mode, flags) if family.test else ()

    return summary(frame, counts, family.measures, draws, test=test, averages=family.averages)


def transcripts(study: Study) -> dict[str, str]:
    """Return a digest of every transcript that lies beside a sound, by its path: rows rest on them."""
    given = {file for spec in study.specs.values() for file in study.given_words(spec).values()}
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(given)}


def statuses(study: Study, rows: Sequence[Row]) -> dict[tuple[str, str], Counter[Status]]:
    """Count what became of each planned trial, by agent and task: the four counts add up to the plan.

    `missing`: there is no stimulus, no recording or no transcript. `error`: it could not be played or scored.
    `invalid`: the recording is at fault.
    """
    assert study.config.suite is not None
    became = _statuses_of_rows(rows)
    planned = [(*_named(run_id), run_id) for run_id in (*study.first, *study.missing)]
    counts = dict[tuple[str, str], Counter[Status]]()
    for agent in dict.fromkeys(agent for agent, _, _ in planned):
        for stimulus in study.stimuli.values():
            if stimulus.clean:
                continue
            runs = [run_id for who, scenario, run_id in planned if (who, scenario) == (agent, stimulus.id)]
            count = counts.setdefault((agent, stimulus.task), Counter())
            count.update(became.get(run_id) or _unscored(study, run_id) for run_id in runs)
            if not runs:
                count["missing"] += study.config.suite.repetitions
    return counts


def _statuses_of_rows(rows: Sequence[Row]) -> dict[str, Status]:
    reasons = dict[str, set[str]]()
    for row in rows:
        if row["mode"] == "strict":
            reasons.setdefault(row["run_id"], set()).add(row["reason"])
    return {run_id: _status(found) for run_id, found in reasons.items()}


def _status(reasons: set[str]) -> Status:
    if "recording" in reasons:
        return "invalid"
    if any(reason.startswith("error") for reason in reasons):
        return "error"
    return "missing" if reasons & UNHEARD else "scored"


def _unscored(study: Study, run_id: str) -> Status:
    return "error" if study.store.failures(run_id) else "missing"


def _named(run_id: str) -> tuple[str, str]:
    """Return agent and stimulus from the name of a run; a suite's pairing is named after its agent."""
    agent, scenario, _ = run_id.split("__")
    return agent, scenario


def _scoring(study: Study, run_id: str, labels: Mapping[str, Sequence[Label]]) -> Scoring:
    assert study.config.suite is not None
    runs = listening(study, run_id), _clean(study, run_id)
    return Scoring(study.config.suite.family, *runs, labels, _flags(study))


def _flags(study: Study) -> dict[str, bool]:
    """Every fault of the authors' scripts, and whether compat reproduces it."""
    assert study.config.suite is not None
    assert study.suite is not None
    return dict.fromkeys(study.suite.flags, True) | study.config.suite.flags


def _clean(study: Study, run_id: str) -> Listening | None:
    twin = study.twin(study.specs[run_id])
    return None if twin is None else listening(study, twin)


def _is_clean(study: Study, run_id: str) -> bool:
    return study.stimulus(study.specs[run_id]).clean


def _failed(family: SuiteFamily, error: str) -> list[tuple[str, Mode, Scored]]:
    lost = [Scored(name, None, 0.0, reason=f"error: {error}") for name in family.measures]
    return [("", mode, one) for mode in MODES for one in lost]


def _rows(study: Study, run_id: str, scores: Sequence[tuple[str, Mode, Scored]]) -> Iterator[Row]:
    assert study.suite is not None
    spec, at_fault = study.specs[run_id], not study.fit(run_id)
    run = about(spec, study.name) | who(spec, "a")
    for judge, mode, one in scores:
        measure = study.suite.measures[one.measure]
        value = None if at_fault else one.value
        row = run | {
            "judge": judge,
            "mode": mode,
            "measure": one.measure,
            "value": value,
            "n": 0.0 if value is None else float(one.n),
            "unit": measure.unit,
            "better": measure.better,
            "observed": one.observed,
            "reason": "" if value is not None else "recording" if at_fault else one.reason or "undefined",
        }
        yield {column: row[column] for column in COLUMNS}
