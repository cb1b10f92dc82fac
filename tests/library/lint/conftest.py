"""Broken files on disk: copies of shipped ones, changed in one place, and what the lint finds in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dyad.library import builtin_root, lint, load_library

# A file (`t2/hall`, or `t2/hall/hilde` for a role), a field of it (`private.0.text`, "" for the whole record)
# and what stands there instead: a value, a function of the old value, or `...` for nothing at all.
Change = tuple[str, str, Any]
Found = tuple[str, str, str]  # rule, file, the line that the finding points at
Spoil = Callable[..., list[Found]]


def path_of(root: Path, name: str) -> Path:
    return root / ("roles" if name.count("/") == 2 else "scenarios") / f"{name}.yaml"


def copy(name: str, root: Path) -> None:
    """Copy a shipped scenario with its roles, unless it is there."""
    slug = "/".join(name.split("/")[:2])
    target = path_of(root, slug)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path_of(builtin_root(), slug), target)
        shutil.copytree(builtin_root() / "roles" / slug, root / "roles" / slug)


def changed(data: Any, field: str, value: Any) -> Any:
    """Return plain data with another value at a field path."""
    if not field:
        return value(data)
    first, _, rest = field.partition(".")
    key = int(first) if first.isdigit() else first
    if rest:
        data[key] = changed(data[key], rest, value)
    elif value is ...:
        del data[key]
    else:
        data[key] = value(data[key]) if callable(value) else value
    return data


def write_field(root: Path, name: str, field: str, value: Any) -> None:
    path = path_of(root, name)
    data = changed(yaml.safe_load(path.read_text("utf-8")), field, value)
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=10_000), "utf-8")


def found_in(root: Path) -> list[Found]:
    """Lint a folder without the shipped library."""
    found = []
    for finding in lint(load_library([root], builtin=False)):
        line = finding.path.read_text("utf-8").splitlines()[finding.line - 1]
        name = str(finding.path.relative_to(root).with_suffix("")).partition("/")[2]
        found.append((finding.rule, name, line.strip()))
    return found


@pytest.fixture
def write() -> Callable[[Path, str, str, Any], None]:
    """Change one field of a file in a folder: folder, file, field, value."""
    return write_field


@pytest.fixture
def spoil(tmp_path: Path) -> Spoil:
    """Copy the scenarios that changes (and `beside`) name, make the changes, return what the lint finds."""

    def run(*changes: Change, beside: tuple[str, ...] = ()) -> list[Found]:
        for name in (*beside, *(change[0] for change in changes)):
            copy(name, tmp_path)
        assert found_in(tmp_path) == [], "the copies themselves must be clean"
        for change in changes:
            write_field(tmp_path, *change)
        return found_in(tmp_path)

    return run


@pytest.fixture
def found_once(spoil: Spoil) -> Callable[..., None]:
    """Make the changes; the lint must find that one rule, once, in that file, at a line that starts so."""

    def check(changes: tuple[Change, ...], rule: str, file: str, line: str) -> None:
        found = spoil(*changes)
        assert [(finding[0], finding[1]) for finding in found] == [(rule, file)]
        assert found[0][2].startswith(line)

    return check
