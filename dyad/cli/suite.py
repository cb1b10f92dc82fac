"""The words of a suite on the command line: `suite=fdb_v1 agent=moshi data=FOLDER`."""

from __future__ import annotations

from collections.abc import Sequence

from dyad import registry
from dyad.cli.args import Args
from dyad.cli.overrides import key_of
from dyad.errors import ConfigError

SHORT = {"agent": "agent@pairing.a", "data": "suite.data"}
FLAGS = "suite.flags"  # holds only what is asked for, to which Hydra adds with `++`


def check_named(args: Args) -> None:
    """Raise ConfigError when no suite is named."""
    if not _named(args.overrides):
        known = ", ".join(registry.names("suites"))
        raise ConfigError(f"name a suite: python -m dyad suite suite=NAME agent=NAME; there are {known}")


def spelled(overrides: Sequence[str], of: Sequence[str] = ()) -> tuple[str, ...]:
    """Return overrides as Hydra knows them where they, or those `of` the study, name a suite."""
    return tuple(map(_spelled, overrides)) if _named([*overrides, *of]) else tuple(overrides)


def _named(overrides: Sequence[str]) -> bool:
    return any(key_of(override) == "suite" for override in overrides)


def _spelled(override: str) -> str:
    key, sign, value = override.partition("=")
    if key == FLAGS or key.startswith(f"{FLAGS}."):
        return f"++{override}"
    return f"{SHORT[key]}{sign}{value}" if key in SHORT else override
