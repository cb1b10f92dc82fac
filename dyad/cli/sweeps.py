"""Sweeps: the keys of a command that have several values, and the points that these make."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from dyad.cli.overrides import key_of, settings
from dyad.errors import ConfigError
from dyad.library import builtin_root

SCALARS = ("seed",)  # swept without merging files anew: no file is chosen by them
NO_HYDRA = {  # what to use in place of settings of Hydra's own application
    "launcher": "use launcher=NAME, launcher.workers=N",
    "sweeper": "sweeps need none: KEY=A,B",
    "dir": "use store=DIR",
    "logging": "use --debug",
    "verbose": "use --debug",
    "job.name": "use name=NAME",
}


def axes_of(overrides: Sequence[str]) -> dict[str, list[str]]:
    """Return the swept keys with their values, by Hydra's own grammar (choices and ranges)."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import ValueType
    from hydra.errors import HydraException

    axes: dict[str, list[str]] = {}
    for text in overrides:
        try:
            override = OverridesParser.create().parse_override(text)
        except HydraException as error:
            raise ConfigError(f"cannot read '{text}': {error}; write KEY=VALUE, or KEY='\"VALUE\"'") from None
        _check_override(text, override)
        if override.is_sweep_override():
            if override.value_type is ValueType.GLOB_CHOICE_SWEEP:
                raise ConfigError(f"'{text}': glob sweeps are not supported; list the values")
            axes[key_of(text)] = [str(v) for v in override.sweep_string_iterator()]
            if not axes[key_of(text)]:
                raise ConfigError(f"'{text}' sweeps over nothing; give at least one value")
    return axes


def _is_group(key: str) -> bool:
    """Whether a key chooses a file of the configuration."""
    return (builtin_root() / "conf" / key.partition("@")[0]).is_dir()


def _check_override(text: str, override: Any) -> None:
    """Refuse what Hydra answers with an error of Python: no key, or no name where a group needs one."""
    key = key_of(text)
    if not key:
        raise ConfigError(f"'{text}' has no key; write KEY=VALUE")
    if re.match("hydra[./]", key) and key != "hydra.searchpath":
        instead = next((cure for part, cure in NO_HYDRA.items() if part in key), "leave it out")
        raise ConfigError(f"'{text}' has no effect here; {instead}")
    if key == "agent":
        raise ConfigError(
            f"'{text}': write agent@pairing.a=NAME to seat an agent, agent.NAME.KEY=VALUE to set one"
        )
    if override.is_delete() or not _is_group(key):
        return
    value = override.value()
    names = value.list if isinstance(getattr(value, "list", None), list) else [value]
    kinds = (str, list) if key == "pairing" else str  # a list of two agents is a pairing, too
    if not all(isinstance(name, kinds) for name in names):
        raise ConfigError(f"'{text}': {key} is a group; write {key}=NAME")


def saved_grid(plain: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    grid = settings(plain.get("grid") or {}, "grid")
    if single := [k for k, values in grid.items() if not (isinstance(values, list) and values)]:
        raise ConfigError(f"grid.{single[0]} must be a list of values")
    if odd := [
        k for k, values in grid.items() if _is_group(str(k)) and any(isinstance(v, bool) for v in values)
    ]:
        raise ConfigError(
            f"grid.{odd[0]}: YAML takes yes, no, on and off for truth values; put names in quotes"
        )
    return [(key_of(str(k)), [str(v) for v in values]) for k, values in grid.items()]


def check_once(axes: Mapping[str, Sequence[str]]) -> None:
    """Refuse a value that is given twice: its runs would be played once."""
    for name, values in axes.items():
        if twice := [value for value in values if values.count(value) > 1]:
            raise ConfigError(f"'{name}' is swept over {twice[0]} twice; give each value once")


def points_of(axes: Mapping[str, Sequence[str]]) -> list[list[str]]:
    names = [name for name in axes if name not in SCALARS]
    return [
        [f"{n}={v}" for n, v in zip(names, values, strict=True)]
        for values in itertools.product(*(axes[n] for n in names))
    ]


def points_of_scalars(axes: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    names = [name for name in axes if name in SCALARS]
    return [
        {n: _number(v) for n, v in zip(names, values, strict=True)}
        for values in itertools.product(*(axes[n] for n in names))
    ]


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?\d+", text) else text
