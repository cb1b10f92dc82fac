"""The verbs that work on a study: plan it, play it, and redo any later stage on what is stored."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from dyad import pipeline
from dyad.cli import output
from dyad.cli.args import Args
from dyad.cli.compose import Composed, compose, store_of
from dyad.cli.files import files_wished, write_files
from dyad.cli.finish import finish, later_stages, printed, stage
from dyad.cli.judges import about_judges, names_judges
from dyad.cli.overrides import key_of
from dyad.cli.progress import meter, say
from dyad.cli.suite import spelled
from dyad.cli.suite_tables import suite_tables
from dyad.cli.tables import Tables, tables
from dyad.errors import BudgetReached, ConfigError
from dyad.judge.protocol import Money
from dyad.library import load_library
from dyad.missing import check_played
from dyad.pipeline.judging import check_ready
from dyad.pipeline.quoting import Quote, quote
from dyad.pipeline.trust import trust
from dyad.plan import Plan, check_shared, estimate, make_plan
from dyad.room import check_room
from dyad.simulate import simulate as play
from dyad.spec import RunSpec
from dyad.spec.study import StudyConfig
from dyad.store import Store, StudyRecord, read_study, write_atomic

# Where the data lie, and how a suite's are scored
REDO_PATHS = ("scenarios.dirs", "suite.data", "suite.references", "suite.transcripts", "suite.flags")
REDO = ("mode", "vad", "asr", "judge", "judges", "panel", "report", "budget", "store", "launcher")


def run(args: Args) -> int:
    """Play what is missing and bring every later stage up to date."""
    composed, plan, store = _planned(args)
    if args.cfg:
        return output.config(composed)
    pipeline.check(plan.config)
    study = pipeline.of_plan(plan, store, args.command)
    agree(args, plan.config, _quotes(study, pipeline.unplayed(plan, study)))
    _begin(args, composed, plan, study)
    return later_stages(args, *_record(args, plan, store))


def plan(args: Args) -> int:
    """Say what `run` would do, and do nothing."""
    composed, made, store = _planned(args)
    if args.cfg:
        return output.config(composed)
    pipeline.check(made.config)
    study = pipeline.of_plan(made, store, args.command)
    quotes = _quotes(study, pipeline.unplayed(made, study))
    expected = estimate(made, store, pipeline.retakes(made, study))
    return output.plan(made, expected, quotes, study, args.json)


def simulate(args: Args) -> int:
    """Play what is missing, and anew what was heard to be garbled, and stop there."""
    composed, made, store = _planned(args)
    if args.cfg:
        return output.config(composed)
    study = pipeline.of_plan(made, store, args.command)
    _begin(args, composed, made, study)
    failed = _simulate(args, made, study, pipeline.unplayed(made, study), _deadline(made))
    return finish(args, failed, {"study": made.name, "runs": len(made.runs)})


def hear(args: Args) -> int:
    """Write words and segments of a stored study."""
    if args.cfg:
        return output.config(_recorded(args)[1])
    study = stored(args)
    pipeline.check(study.config)
    study, failed = _hear(args, study)
    return finish(args, failed, {"study": study.name, "runs": len(study.ids)})


def update(args: Args) -> int:
    """Bring words, labels, rows and report of a stored study up to date with the given settings."""
    if args.cfg:
        return output.config(_recorded(args)[1])
    study = stored(args)
    pipeline.check(study.config)
    agree(args, study.config, _quotes(study))
    return later_stages(args, *_hear(args, study))


def table(args: Args) -> int:
    """Print the tables of a stored study, or write them as files in the formats that are asked for."""
    args, wish = files_wished(args)
    study = stored(args)
    frame = pipeline.read_table(study)
    rows = pipeline.table_rows(study, frame)
    if wish is not None:
        return write_files(study, rows, wish, args.json)
    if study.suite is not None:
        return suite_tables(printed(study, rows, trust(study, frame)), args.json)
    return tables(Tables(study, rows, trust(study, frame)), args.json)


def _quotes(study: pipeline.Study, planned: Sequence[RunSpec] = ()) -> list[Quote]:
    return [quote(study, judge, planned) for judge in study.config.judges]


def agree(args: Args, config: StudyConfig, quotes: Sequence[Quote]) -> None:
    """Say what judging will cost and ask, before anything is spent; ConfigError where nobody can answer."""
    asking = [found for found in quotes if found.estimate.calls]
    for judge in config.judges:
        if judge.name in {found.judge for found in asking}:
            check_ready(judge, Money(config.budget.usd))
    costly = [found for found in asking if found.estimate.usd != 0]
    if not costly:
        return
    for found in costly:
        say(f"judge     {output.quoted(found)}")
    if args.yes:
        return
    if not sys.stdin.isatty():
        raise ConfigError("judging costs money: add --yes to go on, and budget.usd=X to cap it")
    if input("go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ConfigError("nothing was sent; narrow the study, choose another judge or set budget.usd=X")


def _planned(args: Args) -> tuple[Composed, Plan, Store]:
    if args.words:
        raise ConfigError(f"'{args.words[0]}' is not an override; write key=value")
    composed = compose(spelled(args.overrides), args.config_dirs)
    made = make_plan(composed.studies)
    return composed, made, Store(Path(made.config.store))


def _begin(args: Args, composed: Composed, plan: Plan, study: pipeline.Study) -> None:
    """Record the plan before the first run, so that every later stage can be redone by the study's name."""
    todo = pipeline.unplayed(plan, study)
    check_played(todo, plan.config.launcher.device)
    check_room(todo, plan.config.launcher)
    study.store.prepare()
    record = StudyRecord(
        name=plan.name,
        command=args.command,
        overrides=spelled(args.overrides),
        config_dirs=tuple(map(str, args.config_dirs)),
        runs=plan.ids,
    )
    write_atomic(study.folder / "plan.json", (record.model_dump_json(indent=1) + "\n").encode())
    write_atomic(study.folder / "config.yaml", output.yaml_of(composed).encode())


def _record(args: Args, plan: Plan, store: Store) -> tuple[pipeline.Study, list[str]]:
    """Play and hear what is missing, then again what is garbled; return the study anew, and what failed.

    No recording is tried twice by one command.
    """
    until, failed, tried = _deadline(plan), list[str](), set[str]()
    study = pipeline.of_plan(plan, store, args.command)
    todo = pipeline.unplayed(plan, study)
    while True:
        failed += _simulate(args, plan, study, todo, until)
        if todo:
            study = pipeline.of_plan(plan, store, args.command)
        study, unheard = _hear(args, study)
        failed += unheard
        tried |= {run.id for run in todo}
        todo = [run for run in pipeline.retakes(plan, study) if run.id not in tried]
        if not todo:
            return study, list(dict.fromkeys(failed))


def _deadline(plan: Plan) -> float:
    """Return when to begin no more conversations, in seconds since 1970."""
    budget = plan.config.budget.wall_min
    return math.inf if budget is None else time.time() + 60 * budget


def _simulate(
    args: Args, plan: Plan, study: pipeline.Study, todo: Sequence[RunSpec], until: float
) -> list[str]:
    """Play runs; return what failed, by id; raise BudgetReached when some were not begun."""
    budget, ticks = plan.config.budget.wall_min, sum(run.ticks for run in todo)
    ended, failed = 0, []
    if (again := sum(run.take > 0 for run in todo)) and not args.json:
        say(f"simulate  record again {again} garbled")
    with meter("simulate", len(todo), len(study.ids), ticks, args.json) as shown:
        for played in play(study.store, todo, plan.config.launcher, shown.beat, until):
            ended += 1
            shown.done(played.error is not None)
            if played.error is not None:
                failed.append(f"{played.run_id}: {played.error}")
    if budget is not None and ended < len(todo):
        raise BudgetReached(
            f"budget.wall_min={budget:g} reached: {ended} of {len(todo)} runs played, {len(failed)} of them "
            "failed; run again to go on"
        )
    return failed


def stored(args: Args) -> pipeline.Study:
    """Open a study by its name: its own recorded overrides first, then those of this command."""
    record, composed, store = _recorded(args)
    check_shared(composed.studies)
    config = composed.studies[0]
    library = load_library(config.scenarios.dirs)
    return pipeline.of_ids(record.name, record.command, config, store, record.runs, library)


def _recorded(args: Args) -> tuple[StudyRecord, Composed, Store]:
    mine: Sequence[str] = [o for o in args.overrides if not o.startswith("study=")]
    names = [o.partition("=")[2] for o in args.overrides if o.startswith("study=")]
    if len(names) != 1 or args.words:
        raise ConfigError(f"name one stored study: python -m dyad {args.verb} study=NAME [store=DIR]")
    store = Store(Path(store_of(mine)))
    record = read_study(store, names[0])
    mine = spelled(mine, record.overrides)
    _check_redone(mine)
    before = record.overrides
    if any(map(names_judges, mine)):
        before = tuple(override for override in before if not about_judges(override))
    dirs = [*map(Path, record.config_dirs), *args.config_dirs]
    return record, compose([*before, *mine], dirs), store


def _check_redone(overrides: Sequence[str]) -> None:
    """Refuse an override that would change nothing, because the recordings are made."""
    for override in overrides:
        key = key_of(override)
        if not key.startswith(REDO_PATHS) and key.partition(".")[0].partition("@")[0] not in REDO:
            raise ConfigError(
                f"'{key}' cannot be changed in a stored study; give {', '.join(REDO)}, or run another study"
            )


def _hear(args: Args, study: pipeline.Study) -> tuple[pipeline.Study, list[str]]:
    """Hear the runs, and the next take of those that are garbled where the store holds one.

    Returns the study by the takes that count then, and what failed.
    """
    failed: list[str] = []
    while True:
        todo = pipeline.unheard(study, today=True)
        failed += stage(args, "hear", len(study.ids) - len(todo), todo, partial(pipeline.hear, study))
        before, study = study.ids, study.anew() if todo else study
        if study.ids == before:
            return study, failed
