"""Writing the tables of a study as files: `table study=NAME format=… [out=DIR]`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dyad.cli.args import Args
from dyad.errors import ConfigError
from dyad.pipeline import Study
from dyad.tables import Row
from dyad.tables.export import FORMATS, Source, export, formats_of
from dyad.tables.sheets import LAYOUTS, OF_SUITES

KEYS = {
    "format": f"write files: {','.join(FORMATS)}",
    "out": "the folder for them; default: tables/ of the study",
}
NAMED = "as named"  # a suite's tables name their mode each


class Wish(NamedTuple):
    """The formats of files, and the folder for them; None: `tables/` of the study."""

    formats: tuple[str, ...]
    folder: Path | None


def files_wished(args: Args) -> tuple[Args, Wish | None]:
    """Return the arguments without `format` and `out`, and what these ask for, None without them.

    Raises ConfigError for another format, and for a folder that cannot be one.
    """
    own, rest = args.parted(KEYS)
    if "format" not in own:
        if "out" in own:
            raise ConfigError(f"out is where files go; say which: format={','.join(FORMATS)}")
        return rest, None
    return rest, Wish(formats_of(own["format"]), _folder(own["out"]) if "out" in own else None)


def _folder(text: str) -> Path:
    if not text:
        raise ConfigError("out names no folder; give out=DIR, or leave it out")
    folder = Path(text)
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"out: {folder} is a file; give a folder")
    return folder


def write_files(study: Study, rows: Sequence[Row], wish: Wish, as_json: bool) -> int:
    """Write one file per table and format, and print the folder."""
    folder = study.folder / "tables" if wish.folder is None else wish.folder
    mode = study.config.mode if study.suite is None else NAMED
    source = Source(study.name, mode, study.config.judge)
    written = export(rows, folder, wish.formats, source)
    if wish.folder is None:
        _drop_others(folder, written)
    if as_json:
        print(
            json.dumps({"study": study.name, "folder": str(folder), "files": [path.name for path in written]})
        )
    else:
        print(folder)
    return 0


def _drop_others(folder: Path, written: Sequence[Path]) -> None:
    """Remove tables of an earlier command that the study no longer has, of the formats asked for."""
    endings = {path.suffix for path in written}
    for path in set(folder.glob("*")) - set(written):
        if path.suffix in endings and path.stem in LAYOUTS | OF_SUITES:  # what else lies there is not ours
            path.unlink()
