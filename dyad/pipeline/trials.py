"""The runs of a suite's study: what is heard, what judges are asked, their rows, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dyad.judge.case import Excerpt
from dyad.launch import launch
from dyad.measure.rows import COLUMNS, about, who
from dyad.spec import SEATS, TICK, Label
from dyad.spec.suite import Stimulus
from dyad.suites.listen import Listening
from dyad.suites.plan import recorded_file, scored_samples, seats_to_hear, start_tick
from dyad.suites.protocol import (
    ASR_FAILED,
    INVALID,
    NO_TRANSCRIPT,
    Compared,
    Mode,
    Sample,
    Scored,
    Status,
    Trial,
)
from dyad.suites.summary import status_rows, summary
from dyad.suites.trials import MODES, Scoring, score, trial
from dyad.tables.draws import Draws
from dyad.tables.rows import row as table_row

from .account import absent
from .study import Study

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]
UNHEARD = frozenset({NO_TRANSCRIPT, ASR_FAILED})
FAULTS: dict[str, Status] = {INVALID: "invalid", NO_TRANSCRIPT: "missing"}  # of files, before ": " and which
NO_ANSWER = "no recorded answer"


class Ending(NamedTuple):
    """What became of a planned trial, and why, where it was not scored."""

    agent: str
    stimulus: Stimulus
    status: Status
    reason: str = ""


def listening(study: Study, run_id: str) -> Listening:
    """Return what hearing one run takes, and what its trial is made of."""
    spec, settings = study.specs[run_id], study.config.suite
    assert settings is not None
    stimulus, given, model = study.stimulus(spec), study.given_words(spec), spec.a.agent
    answer = recorded_file(model, stimulus)
    seats = SEATS if answer else SEATS[1:]
    return Listening(
        study.store,
        run_id,
        stimulus,
        start_tick(settings) * TICK,
        scored_samples(settings, stimulus),
        answer,
        (model.params["channel"] or 0) if answer else 0,
        {seat: spec.seat(seat).agent.assets["voice"] for seat in seats},
        given,
        seats_to_hear(stimulus, given),
        study.config.asr,
        study.sidecars(spec).words,
        spec.lang,
    )


def excerpt(study: Study, run_id: str) -> Excerpt:
    """Return what judges are shown of one run."""
    assert study.suite is not None
    made = study.suite.excerpt(played_trial(study, run_id))
    return replace(made, lang=study.specs[run_id].lang)


def shown_trial(study: Study, run_id: str) -> Trial:
    """Return the trial of one heard run alone, as strict mode reads it."""
    return trial(listening(study, run_id), mode="strict", shown=True)


def played_trial(study: Study, run_id: str) -> Trial:
    """Return the trial of one heard run, with its twin where that was played: all that was recorded."""
    return trial(listening(study, run_id), _clean(study, run_id))


def trial_rows(
    study: Study, ids: Sequence[str], labels: Mapping[str, Mapping[str, Sequence[Label]]]
) -> list[Row]:
    """Return the tidy rows of heard runs, in both modes; `labels` are by run and judge.

    Twins without an overlap have no rows of their own. A run that cannot be scored lacks what others of its
    kind have, with its error as reason.
    """
    assert study.suite is not None
    tasks = [_scoring(study, run_id, labels[run_id]) for run_id in ids if not _is_clean(study, run_id)]
    outcomes = list(launch(tasks, score, study.config.launcher.workers))
    known = {outcome.task.run.stimulus.kind: outcome.result for outcome in outcomes if outcome.result}
    everything = [(mode, name) for mode in MODES for name in study.suite.measures]
    rows = list[Row]()
    for outcome in outcomes:
        run, lost = outcome.task.run, f"error: {outcome.error}"
        wanted = [(mode, one.measure) for _, mode, one in known.get(run.stimulus.kind, ())] or everything
        rows += _rows(study, run.run_id, outcome.result or _failed(wanted, lost))
    order = {run_id: number for number, run_id in enumerate(ids)}
    return sorted(rows, key=lambda row: order[row["run_id"]])


def suite_rows(study: Study, frame: pd.DataFrame) -> list[Row]:
    """Return the rows of a suite's tables, from the rows of its trials."""
    family, wish = study.suite, study.config.report
    assert family is not None
    plain: list[Row] = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
    ended, others = list(endings(study, plain)), list(endings(study, plain, "compat"))
    counts, otherwise = _counts(ended), _counts(others)
    draws, flags = Draws(wish.bootstrap, wish.permutations), _flags(study)

    def test(samples: Sequence[Sample], mode: Mode) -> Sequence[Compared]:
        return family.test(samples, mode, flags) if family.test else ()

    made = summary(
        frame,
        counts,
        family.measures,
        draws,
        test=test,
        averages=family.averages,
        population_sd=family.population_sd,
    )
    differing = {key: n for key, n in otherwise.items() if n != counts[key]}
    made += status_rows(frame, differing, "suite_status_compat")
    pairs = zip(ended, others, strict=True)
    return [*made, *(_unscored_row(one, other) for one, other in pairs if one.status != "scored")]


def _unscored_row(one: Ending, in_compat: Ending) -> Row:
    of = {"condition": one.stimulus.task, "archetype": one.stimulus.kind, "agent": one.agent}
    note = f"{one.reason} (in strict alone)" if in_compat.status == "scored" else one.reason
    return table_row("suite_unscored", **of, partner=one.stimulus.id, term=one.status, note=note)


def _counts(ended: Iterable[Ending]) -> dict[tuple[str, str], dict[Status, int]]:
    return {key: dict(count) for key, count in counted(ended).items()}


def statuses(study: Study, rows: Sequence[Row]) -> dict[tuple[str, str], Counter[Status]]:
    """Count what became of each planned trial, by agent and task: the four counts add up to the plan."""
    return counted(endings(study, rows))


def counted(ended: Iterable[Ending]) -> dict[tuple[str, str], Counter[Status]]:
    """Count endings by agent and task."""
    counts = dict[tuple[str, str], Counter[Status]]()
    for one in ended:
        counts.setdefault((one.agent, one.stimulus.task), Counter())[one.status] += 1
    return counts


def endings(study: Study, rows: Sequence[Row], mode: Mode = "strict") -> Iterator[Ending]:
    """Yield what became of each planned trial in a mode, with the reason of what was not scored.

    `missing`: there is no stimulus, no recording or no transcript. `error`: it could not be played or scored.
    `invalid`: the recording is at fault, or a file contradicts itself. No value of these is in any mean.
    """
    became = _ends_of_rows(study, [row for row in rows if row["mode"] == mode])
    planned = dict[str, dict[str, list[str]]]()  # agent → stimulus → runs
    for run_id in study.planned:
        agent, scenario = study.trials[run_id]
        planned.setdefault(agent, {}).setdefault(scenario, []).append(run_id)
    for agent, by_stimulus in planned.items():
        each = max(map(len, by_stimulus.values()))  # repetitions, and points of a sweep
        for stimulus in (one for one in study.stimuli.values() if not one.clean):
            runs = by_stimulus.get(stimulus.id, [])
            for run_id in runs:
                status, reason = became.get(run_id) or _not_recorded(study, run_id)
                yield Ending(agent, stimulus, status, reason.replace(f"{stimulus.folder}/", ""))
            for _ in range(0 if runs else each):
                ended: Status = "invalid" if stimulus.damaged else "missing"
                yield Ending(agent, stimulus, ended, stimulus.problem or NO_ANSWER)


def _ends_of_rows(study: Study, rows: Sequence[Row]) -> dict[str, tuple[Status, str]]:
    reasons, known = dict[str, set[str]](), set[str]()
    for row in rows:
        reasons.setdefault(row["run_id"], set()).add(row["reason"])
        if not row["reason"] and row["n"] > 0:
            known.add(row["run_id"])
    return {run_id: _end(study, run_id, found, run_id in known) for run_id, found in reasons.items()}


def _end(study: Study, run_id: str, reasons: set[str], known: bool) -> tuple[Status, str]:
    """Return what became of a run, from the reasons of what it lacks, and whether any value is `known`."""
    if "recording" in reasons:
        return "invalid", "; ".join(study.manifests[run_id].health.problems)
    if errors := sorted(reason for reason in reasons if reason.startswith("error")):
        return "error", errors[0]
    for reason in sorted(reasons):
        began, _, fault = reason.partition(": ")
        if fault and began in FAULTS:
            return FAULTS[began], fault
    return ("missing", min(reasons & UNHEARD)) if reasons & UNHEARD and not known else ("scored", "")


def _not_recorded(study: Study, run_id: str) -> tuple[Status, str]:
    found = absent(study, run_id)
    return "error" if found.status == "failed" else "missing", found.reason


def _scoring(study: Study, run_id: str, labels: Mapping[str, Sequence[Label]]) -> Scoring:
    assert study.config.suite is not None
    runs = listening(study, run_id), _clean(study, run_id)
    return Scoring(study.config.suite.family, *runs, labels, _flags(study))


def _flags(study: Study) -> dict[str, bool]:
    """Every fault of the authors' scripts, and whether compat reproduces it."""
    assert study.config.suite is not None
    assert study.suite is not None
    usual = {name: name not in study.suite.off for name in study.suite.flags}
    return usual | study.config.suite.flags


def _clean(study: Study, run_id: str) -> Listening | None:
    twin = study.twin(study.specs[run_id])
    return None if twin is None else listening(study, twin)


def _is_clean(study: Study, run_id: str) -> bool:
    return study.stimulus(study.specs[run_id]).clean


def _failed(wanted: Iterable[tuple[Mode, str]], reason: str) -> list[tuple[str, Mode, Scored]]:
    return [("", mode, Scored(name, None, 0.0, reason=reason)) for mode, name in dict.fromkeys(wanted)]


def _rows(study: Study, run_id: str, scores: Sequence[tuple[str, Mode, Scored]]) -> Iterator[Row]:
    assert study.suite is not None
    spec, at_fault = study.specs[run_id], not study.fit(run_id)
    run = about(spec, study.name) | who(spec, "a")
    for judge, mode, one in scores:
        measure = study.suite.measure_of(spec.archetype, one.measure)
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
