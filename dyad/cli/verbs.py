"""The verbs that work on a study: plan it, play it, and redo any later stage on what is stored."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Container, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from dyad import pipeline
from dyad.cli import output
from dyad.cli.args import Args
from dyad.cli.compose import Composed, compose, store_of, validate
from dyad.cli.files import files_wished, write_files
from dyad.cli.finish import asked, finish, later_stages, printed, raise_if_stopped
from dyad.cli.finish import hear as hear_runs
from dyad.cli.interrupt import finishing
from dyad.cli.judges import about_judges, names_judges
from dyad.cli.overrides import key_of
from dyad.cli.paths import absolute, resolved
from dyad.cli.progress import Meter, meter, say
from dyad.cli.suite import spelled
from dyad.cli.suite_tables import suite_tables
from dyad.cli.tables import Tables, tables
from dyad.errors import BudgetReached, ConfigError, Missing
from dyad.judge.protocol import Money
from dyad.library import Library, load_library
from dyad.missing import check_played
from dyad.pipeline.judging import check_ready
from dyad.pipeline.kept import keep, sources
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
NOW = time.time  # what budget.wall_min is held against
CONFIG = "config.yaml"
KEYS = {"replace": "true: this plan takes the place of another one of the same name"}
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
    """Say what `run` would do and what it lacks on this machine, and do nothing."""
    composed, made, store = _planned(args, anywhere=True)
    if args.cfg:
        return output.config(composed)
    study = pipeline.of_plan(made, store, args.command)
    try:
        again = pipeline.retakes(made, study)
        judged = [*made.todo(store), *again]
    except Missing:  # nobody can tell which words there are: as if nothing were heard and judged yet
        study, again, judged = replace(study, first=()), [], [*made.runs]
    lacks = dict.fromkeys([*made.lacks, *_lacks(made.config, [*made.todo(store), *again])])
    expected, quotes = estimate(made, store, again), _quotes(study, judged)
    return output.plan(made, expected, quotes, study, list(lacks), args.json)


def _lacks(config: StudyConfig, todo: Sequence[RunSpec]) -> Iterator[str]:
    """Yield what playing and hearing lack on this machine."""
    for check in (partial(check_played, todo, config.launcher.device), partial(pipeline.check, config)):
        try:
            check()
        except Missing as error:
            yield from error.lines


def simulate(args: Args) -> int:
    """Play what is missing, and anew what was heard to be garbled, and stop there."""
    composed, made, store = _planned(args)
    if args.cfg:
        return output.config(composed)
    study = pipeline.of_plan(made, store, args.command)
    _begin(args, composed, made, study)
    failed = _simulate(args, made, study, pipeline.unplayed(made, study), _deadline(made))
    now = pipeline.of_plan(made, store, args.command)
    return finish(args, now, failed, {"study": made.name, "runs": len(made.runs)})


def hear(args: Args) -> int:
    """Write words and segments of a stored study."""
    if args.cfg:
        return output.config(_recorded(args)[1])
    study = stored(args)
    pipeline.check(study.config)
    study, failed = _hear(args, study)
    return finish(args, study, failed, {"study": study.name, "runs": len(study.ids)})


def update(args: Args) -> int:
    """Bring words, labels, rows and report of a stored study up to date with the given settings."""
    if args.cfg:
        return output.config(_recorded(args)[1])
    study = stored(args)
    if args.verb != "report":
        study = asked(study)
    if pipeline.unheard(study):
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


def _planned(args: Args, anywhere: bool = False) -> tuple[Composed, Plan, Store]:
    if args.words:
        raise ConfigError(f"'{args.words[0]}' is not an override; write key=value")
    composed = compose(spelled(args.overrides), args.config_dirs)
    made = make_plan(composed.studies, anywhere)
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
        overrides=(*spelled(args.overrides), *resolved(composed.plain)),
        config_dirs=tuple(map(str, args.config_dirs)),
        runs=plan.ids,
        sources=keep(plan, study.store),
        trials=plan.trials,
    )
    write_atomic(study.folder / "plan.json", (record.model_dump_json(indent=1) + "\n").encode())
    kept = replace(composed, plain=absolute(composed.plain))
    write_atomic(study.folder / CONFIG, output.yaml_of(kept).encode())


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
    return math.inf if budget is None else NOW() + 60 * budget


def _simulate(
    args: Args, plan: Plan, study: pipeline.Study, todo: Sequence[RunSpec], until: float
) -> list[str]:
    """Play runs; return what failed, by id; raise BudgetReached when some were not begun."""
    budget, ticks = plan.config.budget.wall_min, sum(run.ticks for run in todo)
    ended, failed = set[str](), []
    if (again := sum(run.take > 0 for run in todo)) and not args.json:
        say(f"simulate  record again {again} garbled")
    with (
        finishing("simulate", "the conversations that are being played") as stop,
        meter("simulate", len(todo), len(study.ids), ticks, args.json) as shown,
        _counted(study.store, todo, ended, shown),
        closing(
            play(study.store, todo, plan.config.launcher, shown.beat, until, NOW, stop=stop)
        ) as ended_runs,
    ):
        for played in ended_runs:
            ended.add(played.run_id)
            shown.done(played.error is not None)
            if played.error is not None:
                failed.append(f"{played.run_id}: {played.error}")
    raise_if_stopped(stop, study)
    if budget is not None and len(ended) < len(todo):
        raise BudgetReached(
            f"budget.wall_min={budget:g} reached: {len(ended)} of {len(todo)} runs played, {len(failed)} of "
            "them failed; run again to go on"
        )
    return failed


@contextmanager
def _counted(store: Store, todo: Sequence[RunSpec], ended: Container[str], shown: Meter) -> Iterator[None]:
    """Count what was published and not told of, where a second Ctrl-C stops a stage at once."""
    try:
        yield
    except KeyboardInterrupt:
        for run in todo:
            if run.id not in ended and store.has(run.id):
                shown.done()
        raise


def stored(args: Args) -> pipeline.Study:
    """Open a study by its name: its own recorded overrides first, then those of this command."""
    record, store, mine = _record_of(args)
    config = None if mine else _as_recorded(store, record)
    if config is None:
        composed = _recorded(args)[1]
        check_shared(composed.studies)
        config = composed.studies[0]
    kept = sources(store, record.name, record.sources)
    moved = not any(key_of(o) == "scenarios.dirs" for o in mine) and bool(kept.scenarios)
    library = kept.added_to(_library(config.scenarios.dirs, moved))
    study = pipeline.of_ids(record.name, record.command, config, store, record.runs, library)
    study = replace(study, kept=kept.stimuli)
    if config.suite is None:
        return study
    return replace(study, trials=record.trials or _trials(study, _recorded(args)[1].studies))


def _as_recorded(store: Store, record: StudyRecord) -> StudyConfig | None:
    """Return the settings that a study was made with, which need no file of the user; None if unreadable."""
    from omegaconf import OmegaConf

    path = store.study_dir(record.name) / CONFIG
    try:
        plain = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
        assert isinstance(plain, dict)
        config = validate({str(key): value for key, value in plain.items()})
    except (OSError, ValueError, AssertionError, ConfigError):
        return None
    return config.model_copy(update={"store": str(store.root)})


def _library(dirs: Sequence[str], moved: bool) -> Library:
    """Load scenarios; only the shipped ones where a user's have `moved` and the store has what was played."""
    try:
        return load_library(dirs)
    except ConfigError:
        if not moved:
            raise
        return load_library()


def _trials(study: pipeline.Study, points: Sequence[StudyConfig]) -> dict[str, tuple[str, str]]:
    """Return what the plan of an early store did not keep: the agent and the stimulus of each run."""
    named = {
        f"{point.pairing.name}__{stimulus}__": (point.pairing.a.name, stimulus)
        for point in points
        for stimulus in study.stimuli
    }
    return {i: of for i in study.planned for name, of in named.items() if i.startswith(name)}


def _recorded(args: Args) -> tuple[StudyRecord, Composed, Store]:
    record, store, mine = _record_of(args)
    before = record.overrides
    if any(map(names_judges, mine)):
        before = tuple(override for override in before if not about_judges(override))
    dirs = [*map(Path, record.config_dirs), *args.config_dirs]
    place = [o for o in args.overrides if key_of(o) == "store"]
    return record, compose([*before, *place, *mine], dirs), store


def _record_of(args: Args) -> tuple[StudyRecord, Store, Sequence[str]]:
    """Return the record of the study that a command names, its store, and what the command sets anew."""
    mine: Sequence[str] = [o for o in args.overrides if not o.startswith("study=")]
    names = [o.partition("=")[2] for o in args.overrides if o.startswith("study=")]
    if len(names) != 1 or args.words:
        raise ConfigError(f"name one stored study: python -m dyad {args.verb} study=NAME [store=DIR]")
    store = Store(Path(store_of(mine)))
    record = read_study(store, names[0])
    mine = spelled(mine, record.overrides)
    _check_redone(mine)
    return record, store, [o for o in mine if key_of(o) != "store"]


def redone(key: str) -> bool:
    """Whether a setting may be changed in a stored study: the recordings do not depend on it."""
    return key.startswith(REDO_PATHS) or key.partition(".")[0].partition("@")[0] in REDO


def _check_redone(overrides: Sequence[str]) -> None:
    """Refuse an override that would change nothing, because the recordings are made."""
    for override in overrides:
        key = key_of(override)
        if not redone(key):
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
        failed += hear_runs(args, study, todo)
        before, study = study.ids, study.anew() if todo else study
        if study.ids == before:
            return study, failed
