"""Overrides in the words of users: short names of keys, and `agent.NAME.KEY=VALUE` for an agent's seats."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from dyad.bridge.protocol import family_of
from dyad.errors import ConfigError, near
from dyad.spec import SEATS

ALIASES = {"window": "window_s", "scenario_dirs": "scenarios.dirs"}
SIDES = ("channel.ab.", "channel.ba.")
OWN = ("name", "voice")  # fields of the agent itself; a family's parameter of the same name goes first

Plain = Mapping[str, Any]


def key_of(override: str) -> str:
    """Return the key that an override sets, as the configuration calls it."""
    key = override.partition("=")[0].lstrip("+~")
    return ALIASES.get(key, key)


def quoted(override: str) -> str:
    """Return an override with quotes around what Hydra cannot read without, such as paths with accents."""
    key, sign, value = override.partition("=")
    if not sign or _reads(override) or re.search(r"[${}\"]|^\[?'", value):
        return override
    listed = value.startswith("[") and value.endswith("]")
    if value.startswith("[") != listed:
        return override
    parts = [part.strip() for part in (value[1:-1] if listed else value).split(",")]
    told = ",".join(part if _reads(f"{key}={part}") else f"'{escaped(part)}'" for part in parts)
    return f"{key}={f'[{told}]' if listed else told}"


def escaped(text: str) -> str:
    """Return what stands between single quotes for a text."""
    return text.replace("'", "\\'")


def _reads(override: str) -> bool:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        OverridesParser.create().parse_override(override)
    except HydraException:
        return False
    return True


def spelled(override: str) -> str:
    """Return an override as Hydra takes it: no short names, and no `+` for what may hold any key."""
    written, equals, value = override.partition("=")
    mark = written[: len(written) - len(written.lstrip("+~"))]
    if (key_of(written).startswith("agent.") and mark != "~") or (
        key_of(written).startswith(SIDES) and not mark
    ):
        mark = "++"
    return f"{mark}{key_of(written)}{equals}{value}"


def short_key(key: str, config: Plain) -> str:
    """Return the key of a seat's parameter as `agent.NAME.KEY`, and any other as it is."""
    found = re.fullmatch(r"pairing\.([ab])\.params\.(.+)", key)
    name = found and config["pairing"][found[1]].get("name")
    return f"agent.{name}.{found[2]}" if found and name else key


def settings(value: Any, where: str, *keys: str) -> Plain:
    """Return the settings under a key; raise ConfigError for a plain value there, or without `keys`."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} = {value!r}: holds settings; write {where}.KEY=VALUE")
    if missing := [key for key in keys if key not in value]:
        raise ConfigError(f"'{where}.{missing[0]}' is missing; set {where}.{missing[0]}=VALUE")
    return value


def apply_to_seats(config: Plain) -> None:
    """Write what `agent.NAME` holds into the seats, in place: first by adapter, then by the closer name."""
    asked = asked_of(config)
    for agent in _seated(config):
        fields = family_of(str(agent["adapter"])).params.model_fields
        for name in dict.fromkeys((agent["adapter"], agent["name"])):
            for key, value in asked.get(name, {}).items():
                node = agent if key in OWN and key not in fields else agent["params"]
                node[key] = _merged(node.get(key), value)


def asked_of(config: Plain) -> dict[str, Plain]:
    """Return the settings per NAME of `agent.NAME`; raises ConfigError where they are none."""
    asked = settings(config.get("agent") or {}, "agent")
    return {str(name): settings(value, f"agent.{name}") for name, value in asked.items()}


def check_seated(points: Sequence[Plain]) -> None:
    """Raise ConfigError for an `agent.NAME` whose agent sits nowhere in all points of a sweep."""
    agents = [agent for point in points for agent in _seated(point)]
    known = dict.fromkeys(str(agent[key]) for key in ("name", "adapter") for agent in agents)
    for name, own in [item for point in points for item in asked_of(point).items()]:
        if agents and not any(_means(name, own, agent) for agent in agents):
            there = ", ".join(dict.fromkeys(str(agent["name"]) for agent in agents))
            raise ConfigError(
                f"'agent.{name}': no '{name}' in the pairing, there sit {there}{near(name, known)}"
            )


def asked_as(asked: Mapping[str, Plain], agent: Plain, loc: Sequence[Any]) -> str | None:
    """Return `agent.NAME` where a field of a seat's agent (its path `loc`) was set that way, else None."""
    meant = [name for name, own in asked.items() if _means(name, own, agent)]
    return next((f"agent.{name}" for name in meant if _holds(asked[name], loc)), None)


def _seated(config: Plain) -> list[MutableMapping[str, Any]]:
    """Return the agents of the seats; what is malformed is left to whoever validates."""
    pairing = config.get("pairing")
    agents = [pairing.get(seat) for seat in SEATS] if isinstance(pairing, Mapping) else []
    whole = [a for a in agents if isinstance(a, MutableMapping) and {"name", "adapter", "params"} <= a.keys()]
    return [agent for agent in whole if isinstance(agent["params"], MutableMapping)]


def _means(name: str, own: Plain, agent: Plain) -> bool:
    """Whether `agent.NAME` is about an agent, which it may itself have given another name."""
    return name in (agent["adapter"], agent["name"]) or own.get("name") == agent["name"]


def _holds(node: Any, loc: Sequence[Any]) -> bool:
    """Whether settings name the parameter at a path, or give a parent of it as a whole."""
    if not loc or not isinstance(node, Mapping):
        return True
    return loc[0] in node and _holds(node[loc[0]], loc[1:])


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    return new
