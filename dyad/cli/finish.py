"""The end of every verb that works on a study: what stages did, labels, tables, the report, the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dyad import pipeline
from dyad.cli.args import Args
from dyad.cli.progress import meter, say
from dyad.cli.suite_tables import SuiteTables, suite_tables
from dyad.cli.tables import Tables, tables
from dyad.errors import RunsFailed
from dyad.judge.protocol import Money
from dyad.pipeline.trust import Trust, trust
from dyad.report.write import write_report, write_suite_report
from dyad.tables import Row

if TYPE_CHECKING:
    import pandas as pd

STATUS = "suite_status"
Work = Callable[[Sequence[str]], Iterator[str | None]]


def later_stages(args: Args, study: pipeline.Study, failed: list[str]) -> int:
    """Label, measure and report a heard study; returns the exit code as `finish` does."""
    study = asked(study)
    failed = [*failed, *_judge(args, study)]
    frame = pipeline.measure(study)
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
    return finish(args, failed, result)


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
    return finish(args, failed, result)


def printed(study: pipeline.Study, rows: Sequence[Row], known: Trust) -> SuiteTables:
    """Return what is printed of a suite's study."""
    config = study.config
    assert config.suite is not None
    names = study.name, config.suite.name, config.judge, config.asr.name
    return SuiteTables(*names, "silero", rows, known.warnings)


def stage(args: Args, name: str, stored: int, todo: Sequence[str], work: Work) -> list[str]:
    """Do one stage for the runs that lack it and return what failed, by id."""
    failed = []
    with meter(name, len(todo), stored, quiet=args.json) as shown:
        for error in work(todo):
            shown.done(error is not None)
            failed += [error] if error else []
    return failed


def finish(args: Args, failed: list[str], result: dict[str, Any]) -> int:
    """Print the result where JSON is asked for; raises RunsFailed when anything failed."""
    if args.json:
        print(json.dumps({**result, "failed": failed}))
    if failed:
        raise RunsFailed(f"{len(failed)} failure(s), the other runs are complete; first: {failed[0]}")
    return 0


def _judge(args: Args, study: pipeline.Study) -> list[str]:
    """Let every judge of the study label what it lacks; what failed is named by its run."""
    failed, wanted = [], len(pipeline.judgeable(study))
    money = Money(study.config.budget.usd)
    for judge in study.config.judges:
        todo = pipeline.unjudged(study, judge)
        work = partial(pipeline.judge, study, judge, money=money, say=say)
        name = "judge" if len(study.config.judges) == 1 else f"judge {judge.name}"
        failed += stage(args, name, wanted - len(todo), todo, work)
    return failed
