"""Checksums of large files, remembered per user so that 15 GB are read once and not before every plan."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from dyad.speech.engines import cache_dir

SMALL = 1 << 20  # bytes; below it, reading a file is quicker than remembering it


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; one of the same size and age is not read again."""
    facts = path.stat()
    if facts.st_size < SMALL:
        return _read(path)
    key, stamp = str(path.resolve()), [facts.st_size, facts.st_mtime_ns]
    known = _remembered().get(key)
    if isinstance(known, list) and known[:2] == stamp and len(known) == 3:
        return str(known[2])
    found = _read(path)
    _remember(key, [*stamp, found])
    return found


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _book() -> Path:
    return cache_dir() / "sums.json"


def _remembered() -> dict[str, Any]:
    try:
        content = json.loads(_book().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _remember(key: str, facts: list[Any]) -> None:
    """Replace the book in one step. A lost or unwritable book costs time only, so that is no error."""
    with contextlib.suppress(OSError):
        _book().parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=_book().parent, prefix="sums-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(_remembered() | {key: facts}, file)
        try:
            Path(name).replace(_book())
        finally:
            Path(name).unlink(missing_ok=True)
