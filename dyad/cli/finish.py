"""The end of every verb that works on a study: what stages did, labels, tables, the report, the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dyad import pipeline
from dyad.cli.args import Args
from dyad.cli.interrupt import Stop, finishing
from dyad.cli.progress import meter, say
from dyad.cli.suite_tables import SuiteTables, suite_tables
from dyad.cli.tables import Tables, tables
from dyad.errors import Interrupted, RunsFailed
from dyad.judge.protocol import Money
from dyad.pipeline.trust import Trust, trust
from dyad.report.write import write_report, write_suite_report
from dyad.tables import Row

if TYPE_CHECKING:
    import pandas as pd

STATUS = "suite_status"


def later_stages(args: Args, study: pipeline.Study, failed: list[str]) -> int:
    """Label, measure and report a heard study; returns the exit code as `finish` does."""
    study = study if args.verb == "report" else asked(study)
    failed = [*failed, *_judge(args, study)]
    frame = pipeline.measured(study) if args.verb == "report" else pipeline.measure(study)
    if study.suite is not None:
        return _suite(args, study, frame, failed)
    known, rows = trust(study, frame), pipeline.table_rows(study, frame)
    page = write_report(study, frame, known, rows)
    if not args.json:
        tables(Tables(study, rows, known), False)
        say(f"report    {page}")
    takes = study.takes.values()
    result = {
        "study": study.name,
        "runs": len(study.ids),
        "retaken": sum(len(found.garbled) > 1 for found in takes),
        "garbled": [found.id for found in takes if found.garbled[-1]],
        "rows": len(frame),
        "report": str(page),
    }
    return finish(args, study, failed, result)


def asked(study: pipeline.Study) -> pipeline.Study:
    """Return a study whose judges were asked which model answers for them, before what is stored counts."""
    return replace(study, config=pipeline.answering(study.folder, study.config, say))


def _suite(args: Args, study: pipeline.Study, frame: pd.DataFrame, failed: list[str]) -> int:
    rows = pipeline.table_rows(study, frame)
    known = trust(study, frame)
    page = write_suite_report(study, frame, rows, known)
    if not args.json:
        suite_tables(printed(study, rows, known), False)
        say(f"report    {page}")
    ended = {row["term"]: 0 for row in rows if row["table"] == STATUS}
    for row in rows:
        if row["table"] == STATUS:
            ended[row["term"]] += int(row["value"])
    result = {
        "study": study.name,
        "runs": len(study.ids),
        "trials": ended,
        "rows": len(frame),
        "report": str(page),
    }
    return finish(args, study, failed, result)


def printed(study: pipeline.Study, rows: Sequence[Row], known: Trust) -> SuiteTables:
    """Return what is printed of a suite's study."""
    config = study.config
    assert config.suite is not None
    names = study.name, config.suite.name, config.judge, config.asr.name
    return SuiteTables(*names, "silero", rows, known.warnings, pipeline.account(study).counts)


def hear(args: Args, study: pipeline.Study, todo: Sequence[str]) -> list[str]:
    """Hear the runs that lack it and return what failed, by id; raises Interrupted after Ctrl-C."""
    with finishing("hear", "the recordings that are being heard") as stop:
        failed = _stage(args, "hear", len(study.ids) - len(todo), todo, pipeline.hear(study, todo, stop))
    raise_if_stopped(stop, study)
    return failed


def raise_if_stopped(stop: Stop, study: pipeline.Study) -> None:
    """Raise Interrupted, with what became of the plan, where somebody has stopped a stage."""
    if stop():
        study.store.sweep()
        now = pipeline.of_ids(
            study.name, study.command, study.config, study.store, study.planned, study.library
        )
        line = pipeline.account(now).line
        raise Interrupted(f"interrupted: {line}; run the same command again to go on")


def _stage(args: Args, name: str, stored: int, todo: Sequence[str], work: Iterable[str | None]) -> list[str]:
    """Show one stage for the runs that lack it and return what failed, by id."""
    failed = []
    with meter(name, len(todo), stored, quiet=args.json) as shown:
        for error in work:
            shown.done(error is not None)
            failed += [error] if error else []
    return failed


def finish(args: Args, study: pipeline.Study, failed: Sequence[str], result: dict[str, Any]) -> int:
    """Print the result where JSON is asked for, with what became of every planned run.

    Raises RunsFailed when anything failed, or a run of the plan is not in the store.
    """
    found = pipeline.account(study)
    if args.json:
        lost = [one._asdict() for one in found.absent]
        print(json.dumps({**result, "account": found.counts, "absent": lost, "failed": failed}))
    lost_runs = tuple(f"{one.run_id}: " for one in found.absent)
    others = [error for error in failed if not error.startswith(lost_runs)]
    first = [*others, *(f"{one.run_id}: {one.reason}" for one in found.absent)]
    if first:
        what = [f"{len(others)} failure(s)"] * bool(others) + [found.lost] * bool(found.absent)
        raise RunsFailed(f"{'; '.join(what)}, the other runs are complete; first: {first[0]}")
    return 0


def _judge(args: Args, study: pipeline.Study) -> list[str]:
    """Let every judge of the study label what it lacks; what failed is named by its run."""
    failed, wanted = [], len(pipeline.judgeable(study))
    money = Money(study.config.budget.usd)
    for judge in study.config.judges:
        todo = pipeline.unjudged(study, judge)
        name = "judge" if len(study.config.judges) == 1 else f"judge {judge.name}"
        work = pipeline.judge(study, judge, todo, money=money, say=say)
        failed += _stage(args, name, wanted - len(todo), todo, work)
    return failed
