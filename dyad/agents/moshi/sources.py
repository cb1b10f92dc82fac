"""Where a model's files lie, and what they hold: a hub, a folder, or nothing but a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from dyad.agents.moshi import hub
from dyad.agents.moshi.architecture import (
    FULL,
    RANDOM_ARCHITECTURES,
    Architecture,
    architecture_of,
    read_json,
)
from dyad.agents.moshi.checkpoints import Checkpoint, checkpoint_of
from dyad.agents.moshi.params import HUB, AnyParams
from dyad.agents.moshi.voice_files import OFFICIAL, find_voice, voice_assets
from dyad.errors import ConfigError, near
from dyad.spec.base import digest
from dyad.sums import sha256_of

ENGINE = 1  # raised by hand when the same weights and seed would speak otherwise
RANDOM_REVISION = 1  # raised by hand when the same seed would draw other random weights
PACKAGES = ("torch", "moshi", "safetensors", "sentencepiece", "einops", "huggingface_hub")
INSTALL = 'pip install ".[moshi]"'
CONFIG = "config.json"


@dataclass(frozen=True)
class Source:
    """The files of one model: part (`model`, `mimi`, `tokenizer`, `voices`) → path, and its architecture.

    `mimi_config` is None for the released codec. `voices` is the folder to look for voices in.
    `label` names the place for a manifest.
    """

    label: str
    files: Mapping[str, Path]
    architecture: Architecture = FULL
    mimi_config: Path | None = None
    voices: Path | None = None


def need_packages() -> None:
    """Raise ConfigError with the command that installs the engine's packages when one is missing."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ConfigError(f"the Moshi models need {', '.join(missing)}; run: {INSTALL}")


def assets(params: AnyParams, voice: str) -> dict[str, str]:
    """Name what `load` would use by its content, without loading or downloading it: no path, no place.

    Raises ConfigError, in one line, for whatever is missing.
    """
    need_packages()
    return {"engine": str(ENGINE)} | _weights(params) | _voice(params, voice)


def source_of(params: AnyParams) -> Source | None:
    """Return where a model's files lie, fetched if need be; None for random weights. Raises ConfigError."""
    if params.random_size:
        return None
    return folder_source(params) if params.folder else _hub_source(params)


def local_source(params: AnyParams) -> Source | None:
    """Return where a model's files lie if all are on this machine; None otherwise."""
    if params.random_size or params.folder:
        return source_of(params)
    names = checkpoint_of(params).files.values()
    there = all(hub.cached(checkpoint_of(params), name, params.revision) for name in names)
    return _hub_source(params) if there else None


def shape_of(params: AnyParams) -> Architecture:
    """Return the architecture of a model without loading it; raises ConfigError for a bad config.json."""
    if params.random_size:
        return RANDOM_ARCHITECTURES[params.random_size]
    return folder_source(params).architecture if params.folder else FULL


def folder_source(params: AnyParams) -> Source:
    """Return the files of a local folder; raises ConfigError naming the first that is missing."""
    checkpoint, folder = checkpoint_of(params), Path(params.folder).expanduser()
    if not folder.is_dir():
        raise ConfigError(f"weights folder {folder} does not exist; {_needs(checkpoint)}")
    config = _config(checkpoint, folder)
    files = {part: folder / name for part, name in _names(checkpoint, config, folder / CONFIG).items()}
    for part, path in files.items():
        if part != "voices" and not path.is_file():
            raise ConfigError(f"weights folder {folder} has no {path.name}; {_needs(checkpoint)}")
    there = {part: path for part, path in files.items() if path.is_file()}
    shape = architecture_of(folder / CONFIG, config) if config else FULL
    codec = there.pop("mimi_config", None)
    return Source("folder", there, shape, codec, folder if checkpoint.voices else None)


def _hub_source(params: AnyParams) -> Source:
    checkpoint = checkpoint_of(params)
    model = hub.download(checkpoint, checkpoint.files["model"], params.revision)
    commit = hub.commit_of(model)  # all files come from that of the weights
    files = {part: hub.download(checkpoint, name, commit) for part, name in checkpoint.files.items()}
    return Source(f"{checkpoint.repo}@{commit}", files, voices=model.parent if checkpoint.voices else None)


def _pinned(params: AnyParams) -> str:
    """Return the revision to ask for: the commit of the weights, where these are in the cache already."""
    checkpoint = checkpoint_of(params)
    path = hub.cached(checkpoint, checkpoint.files["model"], params.revision)
    return hub.commit_of(path) if path else params.revision


def _config(checkpoint: Checkpoint, folder: Path) -> dict[str, Any]:
    """Return a folder's config.json; nothing where there is none or where it says nothing of the weights."""
    path = folder / CONFIG
    return read_json(path) if checkpoint.kyutai_config and path.is_file() else {}


def _names(checkpoint: Checkpoint, config: Mapping[str, Any], where: Path) -> dict[str, str]:
    """Return part → file name. Names of a config.json must stay inside its folder."""
    keys = {"model": "moshi_name", "mimi": "mimi_name", "tokenizer": "tokenizer_name"}
    names = {part: config.get(keys.get(part, part)) or name for part, name in checkpoint.files.items()}
    if config.get("mimi_config_name"):
        names["mimi_config"] = config["mimi_config_name"]
    for part, name in names.items():
        if not isinstance(name, str) or _escapes(name):
            raise ConfigError(f"{where}: the {part} {name!r} is not a name inside the folder; correct it")
    return names


def _escapes(name: str) -> bool:
    return any(
        path.is_absolute() or path.drive or ".." in path.parts
        for path in (PurePosixPath(name), PureWindowsPath(name))
    )


def _needs(checkpoint: Checkpoint) -> str:
    needed = [name for part, name in checkpoint.files.items() if part != "voices"]
    return f"it must hold {', '.join(needed)} of {checkpoint.page}"


def _weights(params: AnyParams) -> dict[str, str]:
    if params.random_size:
        return {"weights": f"{params.weights}/{params.random_seed}", "generator": str(RANDOM_REVISION)}
    return _folder_sums(params) if params.folder else _hub_sums(params)


def _folder_sums(params: AnyParams) -> dict[str, str]:
    source = folder_source(params)
    sums = {part: sha256_of(path) for part, path in source.files.items() if part != "voices"}
    if source.mimi_config:
        sums["mimi_config"] = sha256_of(source.mimi_config)
    # what the official architecture is need not be said: a hub has no config.json that is read
    return sums if source.architecture == FULL else sums | {"architecture": digest(source.architecture)}


def _hub_sums(params: AnyParams) -> dict[str, str]:
    names = checkpoint_of(params).files
    return {part: _hub_sum(params, name) for part, name in names.items() if part != "voices"}


def _hub_sum(params: AnyParams, name: str) -> str:
    checkpoint, revision = checkpoint_of(params), _pinned(params)
    path = hub.cached(checkpoint, name, revision)
    return hub.sum_of(path) if path else hub.remote_sum(checkpoint, name, revision)


def _voice(params: AnyParams, voice: str) -> dict[str, str]:
    """Name what a voice holds. One out of the official archive is named by the archive and its own name."""
    checkpoint = checkpoint_of(params)
    if not voice or not checkpoint.voices:
        return {}
    if params.weights == HUB:
        return _hub_voice(params, checkpoint, voice)
    folder = folder_source(params).voices if params.folder else None
    file = find_voice(voice, folder)
    return {"voices": sha256_of(file.path)} if file and file.member else voice_assets(voice, folder)


def _hub_voice(params: AnyParams, checkpoint: Checkpoint, voice: str) -> dict[str, str]:
    if voice.removesuffix(".pt") in OFFICIAL:
        return {"voices": _hub_sum(params, checkpoint.voices)}
    if PurePosixPath(voice).name == voice and not PurePosixPath(voice).suffix:
        raise ConfigError(f"{checkpoint.repo} has no voice '{voice}'{near(voice, OFFICIAL)}")
    return voice_assets(voice, None)
