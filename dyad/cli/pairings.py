"""Pairings without a file: `pairing=[NAME,NAME]` seats two agents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from dyad import registry
from dyad.cli.overrides import key_of
from dyad.errors import ConfigError, near


def seated(override: str, search: Sequence[str] = ()) -> str:
    """Return `pairing=[A,B]` as a choice that Hydra knows from then on, and any other override as it is.

    To Hydra it is a file with the seats A and B and the name `A_B`: all that works with a file works with it.
    `search` are the overrides that find a user's files. Raises ConfigError for a list that does not name two
    agents.
    """
    from hydra.core.config_store import ConfigStore
    from hydra.core.override_parser.overrides_parser import OverridesParser

    if key_of(override) != "pairing":
        return override
    names = OverridesParser.create().parse_override(override).value()
    if not isinstance(names, list):
        return override
    if len(names) != 2 or not all(isinstance(n, str) and re.fullmatch(r"[\w .+-]+", n) for n in names):
        raise ConfigError(f"'{override}': give the names of two agents, pairing=[NAME,NAME], or pairing=NAME")
    a, b = names
    name = f"[{a},{b}]"  # no file is called so
    seats = [{"/agent@a": _option(a, search)}, {"/agent@b": _option(b, search)}, "_self_"]
    node = {"defaults": seats, "name": f"{a}_{b}"}
    ConfigStore.instance().store(group="pairing", name=name, node=node)
    return f"{override.partition('=')[0]}='{name}'"


def _option(name: str, search: Sequence[str]) -> str:
    """Return what Hydra calls an agent: its file, or a family with its defaults that has no file."""
    from hydra.core.global_hydra import GlobalHydra

    if name not in registry.names("agents"):
        return name
    loader = GlobalHydra.instance().config_loader()
    configured = loader.get_group_options("agent", config_name="config", overrides=list(search))
    return name if name in configured else f"base/{name}"


def instead(name: str, known: Collection[str], search: Sequence[str]) -> str:
    """Say what to write for a pairing that is not known; `search` are the overrides that find a user's files.

    The labels of a name are read as those of the files: an agent's own name, or the half of a self-play.
    """
    for a, b in _labels(name):
        agents = [_agent_of(label, known, search) for label in (a, b)]
        offers = [f"there is '{b}_{a}'"] if f"{b}_{a}" in known else []
        if None not in agents:
            offers.append(f"write pairing=[{agents[0]},{agents[1]}]")
        if offers:
            return f"; {', or '.join(offers)}"
    return f" (pairing=[NAME,NAME] seats any two agents){near(name, known)}"


def _labels(name: str) -> Iterator[tuple[str, str]]:
    """Yield what the labels of the seats could be: a name parted at one `_`, or the whole for self-play."""
    for cut in re.finditer("(?<=.)_(?=.)", name):
        yield name[: cut.start()], name[cut.end() :]
    yield name, name


def _agent_of(label: str, known: Collection[str], search: Sequence[str]) -> str | None:
    """Return the configured agent that a label stands for, None if there is none."""
    from hydra import compose
    from hydra.errors import HydraException

    own = f"{label}_{label}"
    seat = f"pairing={own}" if own in known else f"agent@pairing.a={label}"
    try:
        made = compose("config", overrides=[*search, seat], return_hydra_config=True)
    except HydraException:
        return None
    agent = made.hydra.runtime.choices.get("agent@pairing.a")
    return None if agent is None else str(agent)
