"""Composes studies with Hydra: one StudyConfig per point of the sweep, all in this process."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from dyad import registry
from dyad.bridge.protocol import default_params, family_of
from dyad.cli.complaint import first_complaint
from dyad.cli.faults import check_files, folders_in, not_found, unresolved
from dyad.cli.judges import about_judges, judges_of, members, register_judges, spread
from dyad.cli.overrides import (
    OWN,
    apply_to_seats,
    asked_as,
    asked_of,
    check_seated,
    escaped,
    key_of,
    quoted,
    settings,
    short_key,
    spelled,
)
from dyad.cli.pairings import instead, seated
from dyad.cli.studies import opened
from dyad.cli.sweeps import SCALARS, axes_of, check_once, points_of, points_of_scalars, saved_grid
from dyad.errors import ConfigError, near
from dyad.library import builtin_root
from dyad.spec import SEATS, AgentSpec
from dyad.spec.run import ChannelSpec, Direction
from dyad.spec.study import StudyConfig

M = TypeVar("M", bound=BaseModel)
_registered: dict[str, type[BaseModel]] = {}  # families that Hydra knows, with the parameters it knows


@dataclass(frozen=True)
class Composed:
    """The points of one command, and the plain configuration of the first for the record."""

    studies: tuple[StudyConfig, ...]
    plain: dict[str, Any]


def compose(overrides: Sequence[str], config_dirs: Sequence[Path] = ()) -> Composed:
    """Compose every point of a sweep; raise ConfigError (one line, near name) for anything wrong."""
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    search = ",".join(f"'file://{escaped(str(folder))}'" for folder in config_dirs)
    extra = [f"hydra.searchpath=[{search}]"] if search else []
    overrides = [quoted(override) for override in overrides]
    _register_agents()
    register_judges()
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(builtin_root() / "conf"), version_base="1.3"):
        axes = axes_of(overrides)
        if judges := axes.pop("judge", None):  # several judges label one study, no sweep
            overrides = spread(overrides, judges)
        fixed = [o for o in overrides if key_of(o) not in axes]
        known = [o for o in fixed if key_of(o) == "panel" or not about_judges(o)]  # settings wait for theirs
        first = _compose_one([*extra, *known, *(f"{k}={v[0]}" for k, v in axes.items())])
        for name, values in saved_grid(first):
            if name not in axes and name not in {key_of(o) for o in fixed}:
                axes[name] = values
        check_once(axes)
        fixed = [*members(first, overrides), *fixed]
        points, scalars = points_of(axes), points_of_scalars(axes)
        alone = points == [[]] and scalars == [{}] and fixed == known  # then it is composed already
        plains = [first] if alone else list(_compose_each([*extra, *fixed], points, scalars))
    check_seated(plains)
    return Composed(tuple(map(validate, plains)), plains[0])


def store_of(overrides: Sequence[str]) -> str:
    """Return the store that overrides name, else the default one, without composing a study."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    own = [quoted(override) for override in overrides if key_of(override) == "store"]
    if not own:
        return str(OmegaConf.load(builtin_root() / "conf" / "config.yaml").store)
    try:
        override = OverridesParser.create().parse_override(own[-1])
        value = None if override.is_sweep_override() else OmegaConf.create({"store": override.value()}).store
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(f"cannot read '{own[-1]}': {str(error).splitlines()[0]}") from None
    if value in (None, ""):
        raise ConfigError(f"'{own[-1]}' names no folder; give store=DIR")
    return str(value)


def validate(plain: Mapping[str, Any]) -> StudyConfig:
    """Turn a composed configuration into a StudyConfig with every agent parameter resolved."""
    content = {k: v for k, v in plain.items() if k not in ("agent", "grid", "judge")}
    content |= {"judges": judges_of(plain), "panel": bool(plain.get("panel"))}
    pairing = settings(content.get("pairing"), "pairing", "a", "b")
    asked = asked_of(plain)
    agents = {seat: _agent(pairing[seat], f"pairing.{seat}", asked) for seat in SEATS}
    content["pairing"] = {**pairing, **agents}
    content["channel"] = _channel(settings(content.get("channel"), "channel"))
    try:
        return StudyConfig.model_validate(content)
    except ValidationError as error:
        raise ConfigError(first_complaint(error)) from None


def _agent(value: Any, where: str, asked: Mapping[str, Mapping[str, Any]]) -> AgentSpec:
    """Complete an agent's parameters; ConfigError names a key as it was set, `agent.NAME.KEY` included."""
    plain = settings(value, where, "adapter", "params")

    def checked(model: type[M], content: Mapping[str, Any], prefix: str) -> M:
        try:
            return model.model_validate(content)
        except ValidationError as error:
            loc = error.errors()[0]["loc"]
            prefix = asked_as(asked, plain, loc) or prefix
            raise ConfigError(first_complaint(error, prefix, _fields_beside(model, loc))) from None

    family, params = family_of(str(plain["adapter"])), settings(plain["params"], f"{where}.params")
    complete = checked(family.params, params, f"{where}.params").model_dump(mode="json")
    return checked(AgentSpec, {**plain, "params": complete}, where)


def _fields_beside(model: type[BaseModel], loc: Sequence[Any]) -> list[str]:
    """Return the names that could stand at the end of a path into a model; none inside of a list."""
    for part in loc[:-1]:
        field = model.model_fields.get(part)
        kind = field.annotation if field else None
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return []
        model = kind
    return sorted({*model.model_fields, *(OWN if len(loc) == 1 else ())})


def _channel(plain: Mapping[str, Any]) -> ChannelSpec:
    """Both directions share the settings unless `ab` or `ba` say otherwise."""
    shared = {k: v for k, v in plain.items() if k not in ("ab", "ba")}
    return ChannelSpec(**{side: _direction(shared, plain.get(side) or {}, side) for side in ("ab", "ba")})


def _direction(shared: Mapping[str, Any], own: Any, side: str) -> Direction:
    own = settings(own, f"channel.{side}")
    try:
        return Direction.model_validate({**shared, **own})
    except ValidationError as error:
        where = f"channel.{side}" if error.errors()[0]["loc"][0] in own else "channel"
        raise ConfigError(first_complaint(error, where, sorted(Direction.model_fields))) from None


def _register_agents() -> None:
    """Give Hydra each family's parameters with their defaults, so that defaults live in code only."""
    from hydra.core.config_store import ConfigStore

    for name in registry.names("agents"):
        family = family_of(name)
        if _registered.get(name) is family.params:  # a process may compose many times
            continue
        node = {"name": name, "adapter": name, "voice": "", "params": default_params(family.params)}
        ConfigStore.instance().store(group="agent/base", name=name, node=node)
        _registered[name] = family.params


def _compose_each(
    overrides: Sequence[str], points: Sequence[Sequence[str]], scalars: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Compose the points of a sweep, with each of some scalars; Hydra takes 0.1 s for one point.

    A task sets nothing but `task`, so that each is composed once, with the first point, and all else with the
    first task; unless files of the user or other overrides may know better.
    """
    merged = cache(lambda point: _merge([*overrides, *point]))
    apart = _tasks_stand_alone(overrides, points[0])
    first = {key_of(override): override for override in points[0]}
    for point in points:
        own = {key_of(override): override for override in point}
        made = merged(tuple({**own, **({"task": first["task"]} if apart else {})}.values()))
        if apart:
            made = {**made, "task": merged(tuple({**first, "task": own["task"]}.values()))["task"]}
        yield from _resolve_each(made, scalars, [*overrides, *point])


def _resolve_each(
    raw: Mapping[str, Any], scalars: Sequence[Mapping[str, Any]], overrides: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Resolve a configuration with each of some scalars in it; once, where no ${...} can tell them."""
    if any(re.search(rf"\$\{{[^}}]*\b{name}\b", str(raw)) for name in SCALARS):
        yield from (_resolve({**raw, **scalar}, overrides) for scalar in scalars)
        return
    once = _resolve(raw, overrides)
    yield from ({**once, **scalar} for scalar in scalars)


def _tasks_stand_alone(overrides: Sequence[str], point: Sequence[str]) -> bool:
    """Whether tasks are swept, and neither files of the user nor another axis can reach into `task`."""
    axes = [key_of(override) for override in point]
    reached = {part for axis in axes if axis != "task" for part in re.split("[.@:/]", axis)}
    return "task" in axes and not _search(overrides) and not reached & {"task", "study", "_global_"}


def _compose_one(overrides: Sequence[str]) -> dict[str, Any]:
    return _resolve(_merge(overrides), overrides)


def _merge(overrides: Sequence[str]) -> dict[str, Any]:
    """Return what Hydra makes of overrides, with every ${...} and ??? still in it."""
    from hydra import compose as hydra_compose
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    given = [spelled(override) for override in overrides]
    try:
        raw = OmegaConf.to_container(hydra_compose("config", overrides=_seated(given)))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(_explain(error, given)) from None
    except (YAMLError, UnicodeDecodeError):  # what Hydra makes of files that it cannot read
        check_files(folders_in(given))
        raise
    assert isinstance(raw, dict)
    return {str(k): v for k, v in raw.items()}


def _resolve(raw: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return a configuration with its values in place, and those of `agent.NAME` in the seats."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    own = deepcopy(dict(raw))  # points of a sweep share nodes
    try:
        apply_to_seats(own)  # before ${...} is resolved, which may name what is set here
        plain = OmegaConf.to_container(OmegaConf.create(own), resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise ConfigError(_explain(error, overrides, own)) from None
    assert isinstance(plain, dict)
    _check_keys(plain)
    return {str(k): v for k, v in plain.items()}


def _seated(overrides: Sequence[str]) -> list[str]:
    search, folders = _search(overrides), folders_in(overrides)
    return [opened(seated(override, search), folders, search) for override in overrides]


def _search(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that find a user's files."""
    return [override for override in overrides if key_of(override).startswith("hydra.")]


def _explain(error: Exception, overrides: Sequence[str], config: Mapping[str, Any] | None = None) -> str:
    """Say Hydra's complaint in one line with the near name; `config` is what was composed, if anything."""
    text = str(error)
    if found := re.search(r"Could not find '([^']+)'", text):
        group, _, value = found[1].rpartition("/")
        options = [name for name in re.findall(r"^\t(?!provider=)(\S+)$", text, re.M) if name != "base"]
        if group == "pairing":
            return f"no pairing '{value}'{instead(value, options, _search(overrides))}"
        if group == "agent" and value in registry.names("agents"):
            return f"no agent '{value}', which is a family; write base/{value} for its defaults"
        return f"no {group} '{value}'{near(value, options)}"
    folders = folders_in(overrides)
    if not text:  # as of ${ without an end
        check_files(folders)
        return "a ${...} cannot be read; close it, as ${KEY}"
    if said := not_found(text, folders):
        return said
    if said := unresolved(text, overrides, folders, _keys(config)):
        return said
    if found := re.search(r"Could not override '([^']+)'", text):
        others = [o for o in overrides if key_of(o) != found[1]]
        return f"unknown key '{found[1]}'{near(found[1], _known_keys(others))}"
    if found := re.search(r"Missing mandatory value: .*\n\s*full_key: (\S+)", text):
        key = short_key(found[1], config or {})
        return f"{key} has no default; set {key}=VALUE"
    return text.splitlines()[0]


def _known_keys(overrides: Sequence[str]) -> list[str]:
    """Return every key of the configuration that the other overrides make; none if they are wrong too."""
    from hydra import compose as hydra_compose
    from hydra.errors import HydraException
    from omegaconf import OmegaConf

    try:
        return _keys(OmegaConf.to_container(hydra_compose("config", overrides=_seated(overrides))))
    except HydraException:
        return []


def _keys(node: Any, prefix: str = "") -> list[str]:
    if not isinstance(node, Mapping):
        return []
    return [key for k, v in node.items() for key in (f"{prefix}{k}", *_keys(v, f"{prefix}{k}."))]


def _check_keys(node: Mapping[Any, Any]) -> None:
    """Refuse names that YAML has read as truth values."""
    for key, value in node.items():
        if isinstance(key, bool):
            raise ConfigError(
                f"'{key}' is a key: YAML takes yes, no, on and off for it; put the name in quotes"
            )
        if isinstance(value, Mapping):
            _check_keys(value)
