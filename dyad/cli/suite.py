"""The words of a suite on the command line: `suite=fdb_v1 agent=moshi data=FOLDER`."""

from __future__ import annotations

from collections.abc import Sequence

from dyad import registry
from dyad.cli.args import Args
from dyad.cli.overrides import key_of
from dyad.errors import ConfigError

SHORT = {"agent": "agent@pairing.a", "data": "suite.data"}
KEYS = {"agent": "the agent, or several: NAME,NAME", "data": "the folder of the stimuli"}
FLAGS = "suite.flags"  # holds only what is asked for, to which Hydra adds with `++`
OF_TALKS = ("task", "window_s", "tell_window", "design", "scenarios")  # what stimuli leave no room for
FIXED = {"mode": "it is scored in both modes", "vad": "Silero hears it"}


def check_named(args: Args) -> None:
    """Raise ConfigError when no suite is named."""
    if not _named(args.overrides):
        known = ", ".join(registry.names("suites"))
        raise ConfigError(f"name a suite: python -m dyad suite suite=NAME agent=NAME; there are {known}")


def spelled(overrides: Sequence[str], of: Sequence[str] = ()) -> tuple[str, ...]:
    """Return overrides as Hydra knows them where they, or those `of` the study, name a suite.

    Raises ConfigError for an agent or data that are given twice, and for what changes nothing in a suite.
    """
    if not _named([*overrides, *of]):
        return tuple(overrides)
    _check(overrides)
    return tuple(map(_spelled, overrides))


def _named(overrides: Sequence[str]) -> bool:
    return any(key_of(override) == "suite" for override in overrides)


def _check(overrides: Sequence[str]) -> None:
    keys = [key_of(override) for override in overrides]
    if twice := [key for key in SHORT if keys.count(key) > 1]:
        raise ConfigError(f"'{twice[0]}' is given twice; give it once (agent=A,B compares two)")
    for key in keys:
        if why := fixed(key):
            raise ConfigError(f"'{key}' changes nothing in a suite; {why}, leave it out")


def fixed(key: str) -> str:
    """Return why a setting changes nothing in a suite; "" for one that does."""
    group = key.partition(".")[0]
    if group in OF_TALKS and key != "scenarios.dirs":
        return "its stimuli say what is played"
    return FIXED.get(group, "")


def _spelled(override: str) -> str:
    key, sign, value = override.partition("=")
    if key == FLAGS or key.startswith(f"{FLAGS}."):
        return f"++{override}"
    return f"{SHORT[key]}{sign}{value}" if key in SHORT else override
