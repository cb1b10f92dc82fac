"""The verb `suite`: `run` with the words of a suite, `suite=fdb_v1 agent=moshi data=FOLDER`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dyad import registry
from dyad.cli import verbs
from dyad.cli.args import Args
from dyad.cli.overrides import key_of
from dyad.errors import ConfigError

SHORT = {"agent": "agent@pairing.a", "data": "suite.data"}


def suite(args: Args) -> int:
    """Play stimuli to an agent, or take its recorded answers, and bring every later stage up to date."""
    return verbs.run(replace(args, overrides=spelled(args.overrides)))


def spelled(overrides: Sequence[str]) -> tuple[str, ...]:
    """Return overrides as Hydra knows them. Raises ConfigError when no suite is named."""
    if not any(key_of(override) == "suite" for override in overrides):
        known = ", ".join(registry.names("suites"))
        raise ConfigError(f"name a suite: python -m dyad suite suite=NAME agent=NAME; there are {known}")
    return tuple(map(_spelled, overrides))


def _spelled(override: str) -> str:
    key, sign, value = override.partition("=")
    return f"{SHORT[key]}{sign}{value}" if key in SHORT else override
