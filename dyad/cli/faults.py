"""What is wrong with a configuration that Hydra cannot compose: the file and its line, or the override."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dyad.errors import ConfigError, near
from dyad.library.source import read_yaml


def folders_in(overrides: Sequence[str]) -> list[Path]:
    """Return the user's folders that a `hydra.searchpath` among overrides names."""
    search = (override for override in overrides if override.startswith("hydra.searchpath="))
    return [Path(folder) for text in search for folder in re.findall(r"file://((?:\\'|[^'])*)'", text)]


def check_files(folders: Sequence[Path]) -> None:
    """Raise ConfigError, with its line, for the first file of the user that nobody can read."""
    from omegaconf.errors import GrammarParseError
    from omegaconf.grammar_parser import parse

    for path in _files(folders):
        if path.stat().st_size:
            read_yaml(path, anchors=True)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            try:
                parse(line.partition(" #")[0] or "-")  # nothing is no grammar either
            except GrammarParseError:
                raise ConfigError(f"{path}:{number}: cannot read ${{...}}; close it, as ${{KEY}}") from None


def unresolved(
    text: str, overrides: Sequence[str], folders: Sequence[Path], known: Sequence[str]
) -> str | None:
    """Say which `${...}` cannot be resolved, and where it stands; None for another complaint of OmegaConf."""
    found = re.search(
        r"Interpolation key '(?P<key>[^']+)'|interpolation type (?P<type>\S+)|variable '(?P<variable>[^']+)'"
        r"|(?P<circle>Recursive interpolation)",
        text,
    )
    if not found:
        return None
    full_key = re.search(r"full_key: (\S+)", text)
    last = full_key[1].rpartition(".")[2] if full_key else ""
    name = found["key"] or found["type"] or found["variable"] or last
    where = next(_places(name, overrides, folders), full_key[1] if full_key else "the configuration")
    if found["circle"]:
        return f"{where}: ${{...}} leads back to itself; name another key"
    if found["key"]:
        return f"{where}: ${{{name}}} is no key of the configuration{near(name, known)}"
    what = "environment variable" if found["variable"] else "function of ${...}"
    return f"{where}: there is no {what} '{name}'; set it, or write the value"


def not_found(text: str, folders: Sequence[Path]) -> str | None:
    """Say which line of `defaults` names a file that is not there; None for another complaint of Hydra."""
    found = re.search(r"In '([^']+)': Could not (?:load|find) '([^']+)'", text)
    if not found:
        return None
    file = f"{re.sub(r'[][]', '', found[1])}.yaml"  # a study of the user's stands in brackets to Hydra
    names = [path for folder in folders if (path := folder / file).is_file()]
    where = next(_lines(found[2].rpartition("/")[2], names), found[1])
    return f"{where}: there is no '{found[2]}'; correct the name, or add that file"


def _places(name: str, overrides: Sequence[str], folders: Sequence[Path]) -> Iterator[str]:
    yield from (f"'{o}'" for o in overrides if "${" in o and name in o)
    yield from _lines(name, list(_files(folders)), mark="${")


def _lines(name: str, files: Sequence[Path], mark: str = "") -> Iterator[str]:
    for path in files:
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if name in line and mark in line:
                yield f"{path}:{number}"


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(folder.rglob("*.yaml"))
