"""What an engine of words is: it hears channels, and tells their words with times.

An engine's module exports `Ears`; plug-ins register theirs under the entry point `dyad.asr`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from dyad import registry
from dyad.errors import ConfigError, near
from dyad.host.home import Home
from dyad.spec.base import Frozen
from dyad.speech.types import Floats
from dyad.speech.words import Chunk

RATE = 16_000  # of what engines hear


class NoParams(Frozen):
    """The parameters of an engine that has none."""


@dataclass(frozen=True)
class Setting:
    """What an engine is set to. `params` are of its family's type, `hotwords` names that are likely to occur.

    `model_dir` is a folder with a model in place of the engine's own.
    """

    params: Any = field(default_factory=NoParams)
    model_dir: str = ""
    lang: str = "en"
    hotwords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ears:
    """An engine.

    `hear` takes channels, float32 [N] in [−1, 1] at 16 kHz, and returns the words of each in order, which do
    not depend on its other channels; `dyad.hear.clip` brings them inside the recording. `check` raises
    ConfigError for whatever is missing or not known. `key` names what could change words; `method` is raised
    by hand when the same key would give other ones. Where a model lies is in neither. `home` is the
    environment of an engine that runs in one of its own.
    """

    name: str
    about: str
    hear: Callable[[Sequence[Floats], Setting], list[list[Chunk]]]
    check: Callable[[Setting], None] = field(default=lambda setting: None)
    key: Callable[[Setting], list[str]] = field(default=lambda setting: [])
    params: type[Frozen] = NoParams
    method: int = 1
    home: Home | None = None


def ears_of(name: str) -> Ears:
    """Return the engine of a name; raises ConfigError with the near name when there is none."""
    if name not in (known := registry.names("asr")):
        raise ConfigError(f"unknown ASR '{name}'{near(name, known)}")
    found = registry.load("asr", name)
    if not isinstance(found, Ears):
        raise ConfigError(
            f"the plug-in behind asr '{name}' is no dyad.hear.ears.Ears; correct or uninstall it"
        )
    return found


def setting_of(
    ears: Ears,
    params: Mapping[str, Any] | None = None,
    model_dir: str = "",
    lang: str = "en",
    hotwords: Sequence[str] = (),
) -> Setting:
    """Return what an engine is set to; raises ConfigError for parameters that it does not take."""
    try:
        valid = ears.params.model_validate(dict(params or {}))
    except ValidationError as error:
        raise ConfigError(_complaint(ears, error)) from None
    return Setting(valid, model_dir, lang, tuple(hotwords))


def _complaint(ears: Ears, error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(["asr.params", *map(str, first["loc"])])
    if first["type"] == "extra_forbidden":
        return f"asr '{ears.name}' has no {where}{near(str(first['loc'][-1]), ears.params.model_fields)}"
    return f"{where} = {first['input']!r}: {first['msg']} (asr '{ears.name}')"
