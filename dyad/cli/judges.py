"""Which judges a command names: `judge=a,b`, `panel=[a,b,c]`, and the settings of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from dyad import registry
from dyad.bridge.protocol import default_params
from dyad.errors import ConfigError
from dyad.judge.protocol import JudgeFamily, identity
from dyad.spec.study import PANEL, JudgeSettings

from .complaint import first_complaint
from .overrides import key_of, settings

OWN = ("name", "backend")


def register_judges() -> None:
    """Give Hydra each family's settings with their defaults, so that defaults live in code only."""
    from hydra.core.config_store import ConfigStore

    for name in registry.names("judges"):
        family = registry.load("judges", name)
        if not isinstance(family, JudgeFamily):
            raise ConfigError(f"plug-in '{name}' of dyad.judges is no JudgeFamily; correct or uninstall it")
        node = {"name": name, "backend": name, **default_params(family.params)}
        ConfigStore.instance().store(group="judge/base", name=name, node=node)


def about_judges(override: str) -> bool:
    """Return whether an override names judges or sets one."""
    return key_of(override).partition(".")[0].partition("@")[0] in ("judge", "judges", "panel")


def names_judges(override: str) -> bool:
    """Return whether an override says who judges, so that what was said before about it holds no more."""
    return key_of(override) in ("judge", "panel")


def spread(overrides: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return overrides in which `judge` names the first of several judges, and `judges.NAME` the others."""
    others = [override for override in overrides if key_of(override) != "judge"]
    if len(others) < len(overrides) - 1:
        raise ConfigError("judge is given twice; name all judges in one: judge=NAME,NAME")
    return [*others, f"judge={values[0]}", *(f"+judge@judges.{name}={name}" for name in values[1:])]


def members(plain: Mapping[str, Any], overrides: Sequence[str]) -> list[str]:
    """Return the overrides that compose the judges of `panel`; ConfigError for what would be ignored."""
    panel = plain.get("panel") or []
    if not isinstance(panel, list) or not all(isinstance(name, str) for name in panel):
        raise ConfigError(f"panel = {panel!r}: needs a list of judges; write panel=[NAME,NAME,NAME]")
    if len(panel) == 1 or len(set(panel)) < len(panel):
        raise ConfigError(f"panel = {panel}: needs at least two different judges")
    if panel and (unused := [o for o in overrides if key_of(o).partition(".")[0] == "judge"]):
        raise ConfigError(f"'{unused[0]}' is not used beside panel; set judges.NAME.KEY of a member")
    return [f"+judge@judges.{name}={name}" for name in panel]


def judges_of(plain: Mapping[str, Any]) -> list[JudgeSettings]:
    """Return the judges of a composed configuration: the panel, or the one that is shown and the others."""
    others = settings(plain.get("judges") or {}, "judges")
    named = {f"judges.{key}": value for key, value in others.items()}
    found = [_judge(value, where) for where, value in named.items()]
    if not plain.get("panel"):
        found.insert(0, _judge(plain.get("judge"), "judge"))
    names = [judge.name for judge in found]
    if doubled := [name for name in names if names.count(name) > 1 or name == PANEL]:
        raise ConfigError(f"judge '{doubled[0]}': the name is taken; give each judge a name of its own")
    return found


def _judge(value: Any, where: str) -> JudgeSettings:
    plain = settings(value, where, *OWN)
    family: JudgeFamily = registry.load("judges", str(plain["backend"]))
    try:
        params = family.params.model_validate({k: v for k, v in plain.items() if k not in OWN})
        known = {"params": params.model_dump(mode="json"), "identity": identity(family, params)}
        return JudgeSettings.model_validate({k: plain[k] for k in OWN} | known)
    except ValidationError as error:
        raise ConfigError(first_complaint(error, where, [*OWN, *family.params.model_fields])) from None
