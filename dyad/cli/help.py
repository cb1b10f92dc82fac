"""The help of a verb: its own settings and those of the configuration, each with its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from dyad.cli import agents, annotate, check, compare, export, files, power, prepare, scenarios, suite, verbs
from dyad.cli.args import VERBS
from dyad.library import builtin_root

WIDTH, INDENT = 100, 24
OPTIONS = """options
  --cfg job         print the composed configuration and stop
  --config-dir DIR  a folder of your own configuration groups (agent/, pairing/, ...)
  -m, --multirun    accepted for habit; sweeps need no flag
  --yes             go on without asking: where a judge costs money, or playing takes long
  --json            machine-readable result on standard output
  --debug           tracebacks"""
USAGE = f"""usage: python -m dyad VERB [key=value ...] [options]

Two full-duplex speech models on one line, and how each behaves because of the other.

verbs (VERB --help lists its settings)
{{verbs}}

settings are Hydra overrides; commas and ranges sweep inside one plan:
  python -m dyad run pairing=bold_shy task=t2
  python -m dyad run pairing=bold_bold,bold_shy task=t1,t3 seed='range(0,3)'
  python -m dyad run study=demo

{OPTIONS}
exit codes: 0 done, 1 internal error, 2 usage or configuration, 3 some runs failed, 4 budget reached"""

PLAY = ("run", "plan", "simulate", "suite", "doctor")  # verbs that take all of the configuration
STORED = ("hear", "judge", "annotate", "measure", "table", "report", "export", "compare", "show")
DIRS = "scenarios.dirs"
NAMED = {"study": "the stored study", "store": "its folder"}
OWN: Mapping[str, Mapping[str, str]] = {
    "run": verbs.KEYS,
    "simulate": verbs.KEYS,
    "suite": suite.KEYS | verbs.KEYS,
    "prepare": prepare.KEYS,
    "plan": {key if key == "power" else f"power {key}": text for key, text in power.KEYS.items()},
    "judge": {f"check {key}": text for key, text in check.KEYS.items()},
    "annotate": annotate.KEYS,
    "table": files.KEYS,
    "export": export.KEYS,
    "compare": compare.KEYS,
    "agents": {f"install {key}": text for key, text in agents.SETTINGS.items()},
    "scenarios": scenarios.KEYS,
    "doctor": {"agent": "play this agent and check it, in place of a study"},
}


class Setting(NamedTuple):
    """A key of the configuration, its default as it is written, and its meaning."""

    key: str
    default: str
    about: str


def general() -> str:
    """Return the help of the command."""
    return USAGE.format(verbs="\n".join(f"  {name:10} {text}" for name, text in VERBS.items()))


def of_verb(verb: str) -> str:
    """Return the help of one verb."""
    parts = [f"usage: python -m dyad {verb} [key=value ...] [options]", f"{VERBS[verb]}"]
    own = [_line(f"{key}=", text) for key, text in OWN.get(verb, {}).items()]
    if verb in STORED:
        own = [_line(f"{key}=", text) for key, text in NAMED.items() if key not in OWN.get(verb, {})] + own
    if own:
        parts.append("\n".join(["settings of this verb", *own]))
    if shared := list(_shared(verb)):
        parts.append("\n".join(["settings of the configuration, with their defaults", *shared]))
    return "\n\n".join([*parts, OPTIONS])


def _shared(verb: str) -> Iterator[str]:
    of_suite = configured("suite/base") if verb == "suite" else ()
    for key, default, about in (*configured(), *of_suite):
        if about and _taken(verb, key):
            names = " | ".join(_options(key))
            yield _line(f"{key}={default}", "; ".join(filter(None, (about, names))))


def _taken(verb: str, key: str) -> bool:
    """Whether a verb takes a setting of the configuration."""
    if verb == "suite":
        return not suite.fixed(key)
    return verb in PLAY or (verb in STORED and verbs.redone(key)) or (verb, key) == ("scenarios", DIRS)


@cache
def configured(name: str = "config") -> tuple[Setting, ...]:
    """Return every key of a file of `conf` that holds a value, with what its comment says."""
    found, parents = [], dict[int, str]()
    for line in (builtin_root() / f"conf/{name}.yaml").read_text("utf-8").splitlines():
        if entry := re.fullmatch(r"( *)(- )?(\w+):(?: (.*?))??(?:\s+# (.*))?", line):
            indent, listed, name, value, about = entry.groups()
            depth = 0 if listed else len(indent)
            parents = {d: parent for d, parent in parents.items() if d < depth} | {depth: name}
            if value is not None:
                found.append(Setting(".".join(parents.values()), value, about or ""))
    return tuple(found)


def commented(text: str) -> str:
    """Return a configuration as YAML with the comments of config.yaml."""
    about = {setting.key: setting.about for setting in configured()}
    lines, parents = [], dict[int, str]()
    for line in text.splitlines():
        if entry := re.match(r"( *)([\w.-]+):(?= |$)", line):
            depth = len(entry[1])
            parents = {d: parent for d, parent in parents.items() if d < depth} | {depth: entry[2]}
            note = about.get(".".join(parents.values()))
            line += f" # {note}" if note else ""
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _options(key: str) -> list[str]:
    """Return the names that a group of the configuration has files for."""
    if key == "agent":  # which holds settings here, no name
        return []
    folder = Path(builtin_root() / "conf" / key)
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem not in ("base", "suite"))


def _line(head: str, text: str) -> str:
    """Return one line of help; long ones go on below the text."""
    first = f"  {head:{INDENT - 3}} "
    return fill(text, WIDTH, initial_indent=first, subsequent_indent=" " * INDENT, break_on_hyphens=False)
