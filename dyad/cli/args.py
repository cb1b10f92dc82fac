"""Splits a command line into verb, flags and Hydra overrides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
FLAGS = (
    "--help", "-h", "--version", "--json", "--debug", "--yes", "-m", "--multirun", "--cfg", "--config-dir",
)  # fmt: skip


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
        import shlex

        return shlex.join(["python", "-m", "dyad", *self.raw])


def parse(argv: Sequence[str]) -> Args:
    """Parse arguments; raise ConfigError (with the near name) for an unknown verb or flag."""
    rest, words, overrides, dirs = list(argv), list[str](), list[str](), list[Path]()
    flags = set[str]()
    while rest:
        item = rest.pop(0)
        name, _, value = item.partition("=")
        if item.startswith("-") and name in FLAGS:
            flags.add(name)
            if name in ("--cfg", "--config-dir"):
                value = value or (rest.pop(0) if rest else "")
                _take_value(name, value, dirs)
        elif item.startswith("-"):
            raise ConfigError(f"unknown option '{item}'{near(item, FLAGS)}")
        elif "=" in item or item.startswith(("~", "+")):
            overrides.append(item)
        else:
            words.append(item)
    verb = words.pop(0) if words else ("" if flags & {"--help", "-h", "--version"} or not argv else "run")
    if verb and verb not in VERBS:
        raise ConfigError(f"unknown verb '{verb}'{near(verb, VERBS)}")
    return Args(
        verb,
        tuple(words),
        tuple(overrides),
        tuple(dirs),
        cfg="--cfg" in flags,
        json="--json" in flags,
        debug="--debug" in flags,
        yes="--yes" in flags,
        help=bool(flags & {"--help", "-h"}) or not argv,
        version="--version" in flags,
        raw=tuple(argv),
    )


def _take_value(name: str, value: str, dirs: list[Path]) -> None:
    if name == "--cfg" and value not in ("job", "all"):
        raise ConfigError(f"--cfg takes 'job', not '{value}'")
    if name == "--config-dir":
        if not Path(value).is_dir():
            raise ConfigError(f"--config-dir: no folder '{value}'")
        dirs.append(Path(value).resolve())
