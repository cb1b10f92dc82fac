"""Checksums of large files, remembered per user so that 15 GB are read once and not before every plan."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from dyad.speech.engines import cache_dir, read_sha256
from dyad.store import write_atomic

SMALL = 1 << 20  # bytes; below it, reading a file is quicker than remembering it


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; one of the same size and age is not read again."""
    facts = path.stat()
    if facts.st_size < SMALL:
        return read_sha256(path)
    key, stamp = str(path.resolve()), [facts.st_size, facts.st_mtime_ns]
    known = _remembered().get(key)
    if isinstance(known, list) and known[:2] == stamp and len(known) == 3:
        return str(known[2])
    found = read_sha256(path)
    _remember(key, [*stamp, found])
    return found


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
        write_atomic(_book(), json.dumps(_remembered() | {key: facts}).encode())
