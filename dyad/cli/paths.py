"""Paths of a command as a study's record keeps them: what is relative means the folder of that command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

READ_LATER = ("scenarios", "suite", "asr")  # the sections whose paths later stages follow
NAMES = ("dirs", "data", "references", "model_dir", "weights")


def absolute(node: Any, name: str = "") -> Any:
    """Return settings in which every path that later stages follow is absolute."""
    if isinstance(node, Mapping):
        return {key: absolute(value, key if name or key in READ_LATER else "") for key, value in node.items()}
    return _absolute(node) if name in NAMES else node


def resolved(plain: Mapping[str, Any]) -> tuple[str, ...]:
    """Return overrides that make the relative paths of a composed configuration absolute."""
    changed = _changed(plain, absolute(plain))
    return tuple(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in changed)


def _changed(old: Any, new: Any, where: str = "") -> Iterator[tuple[str, str | Sequence[str]]]:
    if isinstance(old, Mapping):
        for key, value in old.items():
            yield from _changed(value, new[key], f"{where}.{key}" if where else str(key))
    elif old != new:
        yield where, new


def _absolute(value: Any) -> Any:
    """A path, or each of several, where something lies there: weights may be a name as well."""
    if isinstance(value, str):
        return str(Path(value).resolve()) if value and Path(value).exists() else value
    return [_absolute(one) for one in value] if isinstance(value, Sequence) else value
