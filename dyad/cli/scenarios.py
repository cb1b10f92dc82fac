"""The verb `scenarios`: list, show and check them, report their balance, and write what authors need."""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dyad import registry
from dyad.bridge.protocol import default_params, family_of
from dyad.cli.args import Args
from dyad.cli.compose import compose
from dyad.cli.output import wide_console
from dyad.cli.probe import KEYS as PROBE_KEYS
from dyad.cli.probe import scenarios_probe
from dyad.errors import ConfigError, near
from dyad.judge.questions import Question, questions_of
from dyad.library import (
    Filter,
    Finding,
    Library,
    balance_report,
    find,
    lint,
    load_library,
    prompts,
    rows,
    schemas,
    show,
)
from dyad.library.seal import COMMITMENT, write_sealed
from dyad.library.sealed import GENERATOR, canary, generate
from dyad.spec import SEATS, Prompt, Scenario, Seat
from dyad.store import write_atomic


def scenarios(args: Args) -> int:
    """Run `scenarios [VERB]`; without one, list them."""
    verb, *words = args.words or ("list",)
    if verb not in _VERBS:
        raise ConfigError(f"unknown verb 'scenarios {verb}'{near(verb, _VERBS)}")
    keys, handler = _VERBS[verb]
    own, rest = args.parted(keys)
    return handler(replace(rest, words=tuple(words)), own)


def _library(args: Args) -> Library:
    return load_library(compose(args.overrides, args.config_dirs).studies[0].scenarios.dirs)


def _no_words(args: Args, usage: str) -> None:
    if args.words:
        raise ConfigError(f"'{args.words[0]}' is too much here; usage: python -m dyad scenarios {usage}")


def _list(args: Args, own: dict[str, str]) -> int:
    _no_words(args, "[archetype=… split=… lang=… tag=… twin=…]")
    chosen = Filter(**{key: tuple(value.split(",")) for key, value in own.items()})
    found = rows(_library(args), chosen)
    return _print_rows(found, f"{len(found)} scenarios", args.json)


def _print_rows(found: list[dict[str, Any]], title: str, as_json: bool) -> int:
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
    elif found:
        from rich.table import Table

        table = Table(*found[0], title=title)
        for row in found:
            table.add_row(*map(str, row.values()))
        wide_console().print(table)
    else:
        print("no scenario passes all of these filters")
    return 0


def _check(args: Args, own: dict[str, str]) -> int:
    _no_words(args, "check [scenario_dirs=[DIR]]")
    library = _library(args)
    findings = lint(library)
    _print_findings(findings, args.json)
    if findings:
        raise ConfigError(f"{len(findings)} finding(s) in {len(library.scenarios)} scenarios; see above")
    if args.json:
        return 0
    twins = sum(bool(s.twin) for s in library.scenarios.values())
    files = len({source.path for source in library.sources.values()})
    print(
        f"{len(library.scenarios) - twins} scenarios, {twins} twins and the roles of {files} files are clean"
    )
    return 0


def _print_findings(findings: Sequence[Finding], as_json: bool) -> None:
    if as_json:
        print(json.dumps([asdict(f) | {"path": str(f.path)} for f in findings], ensure_ascii=False))
        return
    for finding in findings:
        print(finding)


def _show(args: Args, own: dict[str, str]) -> int:
    if len(args.words) != 1:
        raise ConfigError("name one scenario: python -m dyad scenarios show ID")
    library = _library(args)
    scenario = find(library, args.words[0])
    rendered = {} if scenario.free else _rendered(prompts(library, scenario), scenario.lang)
    questions = [_asked(q, scenario) for q in questions_of(scenario.archetype) if q.id in scenario.judge]
    if args.json:
        plain = {"id": scenario.id, "told": rendered, "truth": scenario.truth, "asked": questions}
        print(json.dumps(plain, ensure_ascii=False))
    else:
        print(show(library, scenario.id, rendered, questions))
    return 0


def _rendered(told: dict[Seat, Prompt], lang: str) -> dict[Seat, dict[str, str]]:
    """Render the prompts of both seats as each family of the language receives them; equal ones share one."""
    families = [family_of(name) for name in registry.names("agents")]
    prompted = [f for f in families if f.caps(default_params(f.params)).prompt != "none"]
    able = [f for f in prompted if not f.langs or lang in f.langs]
    found: dict[Seat, dict[str, str]] = {}
    for seat in SEATS:
        by_text: defaultdict[str, list[str]] = defaultdict(list)
        for family in able:
            by_text[family.render(told[seat])].append(family.name)
        found[seat] = {", ".join(names): text for text, names in by_text.items()}
    return found


def _asked(question: Question, scenario: Scenario) -> str:
    """A question as it is put about one scenario: with the candidates in place of the open set."""
    candidates = [str(name) for name in scenario.truth.get("candidates", ())]
    labels = [x for label in question.labels for x in (candidates if label == "<candidate>" else [label])]
    return f"{question.id} (of each {question.unit}): {question.ask}\n  one of: {', '.join(labels)}"


def _report(args: Args, own: dict[str, str]) -> int:
    _no_words(args, "report [lang=…]")
    lines = balance_report(_library(args), own.get("lang", "en"))
    _print_rows([asdict(line) | {"ok": _mark(line.ok)} for line in lines], "balance", args.json)
    if uneven := [f"{line.archetype} {line.what}" for line in lines if line.ok is False]:
        raise ConfigError(f"not balanced: {'; '.join(uneven)}")
    return 0


def _mark(ok: bool | None) -> str:
    return "" if ok is None else "ok" if ok else "NO"


def _schema(args: Args, own: dict[str, str]) -> int:
    _no_words(args, "schema [out=DIR]")
    _no_configuration(args, _VERBS["schema"][0])
    with _written_to(Path(own.get("out", "schema"))) as folder:
        for name, schema in schemas().items():
            path = folder / f"{name}.schema.json"
            write_atomic(path, (json.dumps(schema, indent=1, ensure_ascii=False) + "\n").encode())
            print(path)
    return 0


def _no_configuration(args: Args, keys: Collection[str]) -> None:
    """Refuse what a verb that reads no configuration would ignore."""
    for override in args.overrides:
        key = override.partition("=")[0]
        raise ConfigError(f"unknown key '{key}'{near(key, keys)}")


@contextmanager
def _written_to(folder: Path) -> Iterator[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except OSError as error:
        raise ConfigError(f"out: '{folder}' cannot be written ({error.strerror}); name another") from None


def _seal(args: Args, own: dict[str, str]) -> int:
    usage = "seal archetype=… [n=200] [seed=…] [out=DIR]"
    _no_words(args, usage)
    _no_configuration(args, _VERBS["seal"][0])
    if "archetype" not in own or not own.get("n", "1").isdecimal():
        raise ConfigError(f"usage: python -m dyad scenarios {usage}")
    archetype, seed = own["archetype"], own.get("seed") or secrets.token_hex(16)
    made = generate(archetype, int(own.get("n", "200")), seed)
    with _written_to(Path(own.get("out", f"sealed/{archetype}"))) as folder:
        commitment = write_sealed(folder, GENERATOR, canary(seed), made)
        (folder / SEED).touch(mode=0o600)
        (folder / SEED).write_text(f"{seed}\n", "utf-8")
    findings = lint(load_library([folder], builtin=False))
    _print_findings(findings, as_json=False)
    if len(seed) < SAFE_SEED:
        print(f"seed '{seed}' can be guessed, and the whole set with it; for a study leave seed out")
    print(f"{len(made)} scenarios in {folder}: keep them and {folder / SEED} to yourself until they are used")
    print(f"commitment {commitment.root} in {folder / COMMITMENT}: publish it now")
    print(f"to play them: scenario_dirs=[{folder}] scenarios.split=sealed task={archetype}")
    if findings:
        raise ConfigError(f"{len(findings)} finding(s) in what was made; see above")
    return 0


SEED = "seed.txt"
SAFE_SEED = 20  # characters; ids and canary, which are published, follow from the seed
_Handler = Callable[[Args, dict[str, str]], int]
_LIST = {
    "archetype": "only these archetypes or tasks, e.g. t2,t4_1",
    "split": "only these splits",
    "lang": "only these languages",
    "tag": "only those with these tags",
    "twin": "only these twins of scenarios, e.g. authorised",
}
_SEAL = {
    "archetype": "of the scenarios that are made",
    "n": "how many; default 200",
    "seed": "from which they follow; default: drawn, and kept beside them",
    "out": "the folder for them; default sealed/ARCHETYPE",
}
_VERBS: dict[str, tuple[dict[str, str], _Handler]] = {
    "list": (_LIST, _list),
    "show": ({}, _show),
    "check": ({}, _check),
    "report": ({"lang": "of the scenarios that are counted; default en"}, _report),
    "schema": ({"out": "the folder for the schemas; default schema"}, _schema),
    "seal": (_SEAL, _seal),
    "probe": (PROBE_KEYS, scenarios_probe),
}
KEYS = {f"{verb} {key}": text for verb, (keys, _) in _VERBS.items() for key, text in keys.items()}
