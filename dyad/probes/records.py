"""What is stored: one JSON line per scenario and measure, in one file per model, beside the scenarios."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dyad.errors import ConfigError
from dyad.library import Library, role_of
from dyad.spec import SEATS, Frozen, Scenario, digest
from dyad.store import jsonl, read_jsonl

FOLDER = "_probes"  # in scenarios/: names that start with "_" are no scenarios
METHOD = 1  # raised by hand when the same content would be asked, framed or scored otherwise
UNSEEN = frozenset({"provenance", "split", "tags", "twins"})  # of a scenario: neither told nor scored


class Record(Frozen):
    """The value of one measure of one scenario by one model.

    `n` counts draws, `unclear` the labels that named nothing or several. `value` and `ok` are None where
    nothing was clear: missing, which is not "no". `digest` covers the content of the scenario and its roles.
    """

    scenario: str
    version: int
    measure: str
    value: float | None
    n: int
    unclear: int
    target: str
    ok: bool | None
    model: str
    backend: str
    settings: str = ""
    date: str
    digest: str

    @property
    def key(self) -> tuple[object, ...]:
        """What makes a measurement one that need not be made again."""
        return self.scenario, self.measure, self.digest, self.backend, self.model, self.settings, self.n


def content_digest(library: Library, scenario: Scenario) -> str:
    """Return sixteen hexadecimal digits over what of a scenario and its roles is told or scored."""
    roles = [role_of(library, scenario, seat).model_dump(mode="json") for seat in SEATS]
    return digest([METHOD, scenario.model_dump(mode="json", exclude=set(UNSEEN)), *roles])


def folder_of(library: Library, scenario: Scenario) -> Path:
    """Return the folder for records beside a scenario: `_probes` in the `scenarios` that holds its file."""
    path = library.path(scenario.id)
    return next(parent for parent in path.parents if parent.name == "scenarios") / FOLDER


def file_in(folder: Path, model: str) -> Path:
    """Return the file of a model's records: its name, as far as every file system takes it."""
    slug = re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.")[:80]
    return folder / f"{slug or 'model'}.jsonl"


def read(path: Path) -> list[Record]:
    """Return the records of a file, none where there is no file; raises DyadError for a broken line."""
    return read_jsonl(path, Record) if path.is_file() else []


def append(path: Path, record: Record) -> None:
    """Add one line to a file and see it onto the disk; raises ConfigError where that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(jsonl([record]))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be written ({error.strerror}); name a folder with out=DIR"
        ) from None
