"""Which files a library is read from, and their records by id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from dyad.errors import ConfigError
from dyad.spec.scenario import Role, Scenario

from .lines import Lines
from .source import Source, read_yaml, validate

R = TypeVar("R", Role, Scenario)
_ID = re.compile(r"[a-z0-9][a-z0-9_.-]*")  # ids become parts of file names


def builtin_root(package: Path | None = None) -> Path:
    """Return the folder that holds the shipped `scenarios/` and `roles/`.

    An installed wheel carries them inside the package, in `data/`; in a source checkout they stand beside it.
    """
    package = package or Path(str(files("dyad")))
    for root in (package / "data", package.parent):
        if (root / "scenarios").is_dir() and (root / "roles").is_dir():
            return root
    raise ConfigError(f"{package}: no scenarios/ and roles/ in data/ or beside it; reinstall dyad")


def user_root(root: Path) -> Path:
    """Return a user's folder; raise ConfigError unless it holds `scenarios/`."""
    if not (root / "scenarios").is_dir():
        raise ConfigError(f"scenario_dirs: {root} has no folder scenarios/; name a folder that holds one")
    return root


def collect(roots: Sequence[Path], folder: str, model: type[R], sources: dict[str, Source]) -> dict[str, R]:
    """Read the records of one kind from every root, by id, and note each one's source in `sources`."""
    found: dict[str, R] = {}
    for root in roots:
        for path in _yaml_files(root / folder):
            source = read_yaml(path)
            record = validate(source, model)
            claim(record.id, source, sources)
            found[record.id] = record
    return found


def claim(id: str, source: Source, sources: dict[str, Source]) -> None:
    """Note where an id is from; raise ConfigError where it is taken, or no part of a file name."""
    if not _ID.fullmatch(id):
        raise source.error(("id",), f"'{id}' may hold only a-z, 0-9, '_', '-' and '.'")
    if id in sources:
        raise source.error(("id",), f"'{id}' is taken by {sources[id].path}; choose another id")
    sources[id] = source


def fixed_lines(roots: Sequence[Path]) -> dict[str, Lines]:
    """Read `roles/_lines.yaml`, language by language; a user's folder may add languages, not change them."""
    found: dict[str, Lines] = {}
    for path in dict.fromkeys(root / "roles" / "_lines.yaml" for root in roots):
        if path.is_file():
            source = read_yaml(path)
            found = {lang: validate(source, Lines, (lang,)) for lang in source.data} | found
    return found


def published_runs(roots: Sequence[Path]) -> frozenset[str]:
    """Read `scenarios/_published.txt` where it is: hashes only, one per line."""
    paths = (root / "scenarios" / "_published.txt" for root in dict.fromkeys(roots))
    return frozenset(hash for path in paths if path.is_file() for hash in path.read_text("utf-8").split())


def _yaml_files(folder: Path) -> Iterator[Path]:
    inside = folder.resolve()
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".yaml", ".yml") or path.name.startswith("_"):
            continue  # `_lines.yaml` holds fixed lines, not a record
        if path.is_symlink() and not path.resolve().is_relative_to(inside):  # rglob enters no linked folder
            raise ConfigError(f"{path}: links to a file outside {folder}; put a copy there")
        yield path
