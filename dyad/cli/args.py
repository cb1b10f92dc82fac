"""Splits a command line into verb, flags and Hydra overrides."""

from __future__ import annotations

import shlex
from argparse import ArgumentError, ArgumentParser
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dyad.errors import ConfigError, near

VERBS = {
    "run": "plan, simulate, hear, judge, measure and report one study",
    "suite": "play or score a fixed-stimulus suite: suite=fdb_mini agent=NAME [data=FOLDER]",
    "prepare": "stimuli from recordings of people: prepare fdb_french corpus=DIR out=DIR format=FORM",
    "plan": "dry run: what would be played, and how long; plan power=0.1: what a difference needs",
    "simulate": "play the missing conversations only",
    "hear": "words and segments of a stored study: study=NAME [asr=… vad=…]",
    "judge": "labels of a stored study: study=NAME [judge=…]; judge check judge=… measures judges",
    "annotate": "label a stored study by hand, on a local page: study=NAME by=INITIALS [n=60]",
    "measure": "tidy rows of a stored study: study=NAME [mode=…]",
    "table": "tables of a stored study: study=NAME [format=parquet,csv,latex,markdown out=DIR]",
    "report": "write report.html of a stored study: study=NAME",
    "export": "answers of a stored suite as FDB folders: study=NAME to=DIR [agent=… rep=0 crop=true]",
    "compare": "differences of two stored studies, paired by scenario: compare STUDY_A STUDY_B [store_b=DIR]",
    "show": "one conversation as text: show RUN_ID [store=DIR]",
    "agents": "list agents, what they can do and what is here; agents install NAME [python=… force=true]",
    "scenarios": "list scenarios; scenarios check | show ID | report | schema | seal | probe",
    "doctor": "check this installation and a study; doctor agent=NAME plays one agent and checks it",
}

FLAGS = ("--help", "--version", "--json", "--debug", "--yes", "--multirun")  # none takes a value


@dataclass(frozen=True)
class Args:
    """A parsed command line. `words` are positional arguments, `overrides` are Hydra's."""

    verb: str
    words: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    config_dirs: tuple[Path, ...] = ()
    cfg: bool = False
    json: bool = False
    debug: bool = False
    yes: bool = False
    help: bool = False
    version: bool = False
    raw: tuple[str, ...] = field(default=(), compare=False)

    @property
    def command(self) -> str:
        """The command as a user would type it."""
        return shlex.join(["python", "-m", "dyad", *self.raw])

    def parted(self, keys: Collection[str]) -> tuple[dict[str, str], Args]:
        """Return a verb's own settings by key, which are no configuration, and the arguments without them."""
        pairs = [(*override.partition("=")[::2], override) for override in self.overrides]
        own = [(key, value) for key, value, _ in pairs if key in keys]
        if twice := [key for key, _ in own if [k for k, _ in own].count(key) > 1]:
            raise ConfigError(f"{twice[0]} is given twice; give one value of each")
        return dict(own), replace(self, overrides=tuple(o for key, _, o in pairs if key not in keys))


def _parser() -> ArgumentParser:
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for name in FLAGS:
        short = {"--help": ["-h"], "--multirun": ["-m"]}.get(name, [])
        parser.add_argument(*short, name, action="store_true")
    parser.add_argument("--cfg", choices=["job", "all"])
    parser.add_argument("--config-dir", action="append", default=[])
    return parser


def parse(argv: Sequence[str]) -> Args:
    """Parse arguments; raise ConfigError (with the near name) for an unknown verb or flag."""
    parser = _parser()
    try:
        found, rest = parser.parse_known_args(argv)
    except ArgumentError as error:
        raise ConfigError(_refused(error)) from None
    if unknown := [item for item in rest if item.startswith("-")]:
        raise ConfigError(
            f"unknown option '{unknown[0]}'{near(unknown[0], [*FLAGS, '--cfg', '--config-dir'])}"
        )
    if gone := [folder for folder in found.config_dir if not folder or not Path(folder).is_dir()]:
        raise ConfigError(f"--config-dir: no folder '{gone[0]}'")
    overrides = tuple(item for item in rest if "=" in item or item.startswith(("~", "+")))
    verb, *words = [item for item in rest if item not in overrides] or [""]
    if verb and verb not in VERBS:
        raise ConfigError(f"unknown verb '{verb}'{near(verb, VERBS)}")
    return Args(
        verb,
        tuple(words),
        overrides,
        tuple(Path(folder).resolve() for folder in found.config_dir),
        cfg=found.cfg is not None,
        json=found.json,
        debug=found.debug,
        yes=found.yes,
        help=found.help,
        version=found.version,
        raw=tuple(argv),
    )


def _refused(error: ArgumentError) -> str:
    """Say what argparse refuses: a value where none is taken, or none where one is."""
    name = (error.argument_name or "").rpartition("/")[2]
    if "explicit argument" in error.message:
        return f"{name} takes no value; write {name} alone, or leave it out"
    return f"{name}: {error.message}; write {name} {'job' if name == '--cfg' else 'DIR'}"
