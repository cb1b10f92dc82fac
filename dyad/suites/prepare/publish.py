"""An export appears whole under its name or not at all, and replaces nothing but an earlier export."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

from dyad.errors import ConfigError

REPORT, MANIFEST = "prepare.json", "manifest.json"  # what an export is known by


def check_out(out: Path, force: bool) -> None:
    """Raise ConfigError where an export may not go: only an earlier one is replaced, and with `force`."""
    if out.is_dir() and not any(out.iterdir()):
        return
    if out.is_dir() and (out / REPORT).is_file() and (out / MANIFEST).is_file():
        if not force:
            raise ConfigError(f"out: {out} holds an export; name a new folder, or replace it with force=true")
    elif out.exists() or out.is_symlink():
        raise ConfigError(f"out: {out} is there and no earlier export; name a new folder")


def publish(out: Path, force: bool, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary folder, which then gets the name `out` by a rename.

    Raises ConfigError as `check_out` does, and where the disk refuses; then an earlier export is still there.
    """
    check_out(out, force)
    target = out.resolve()
    new, old = (target.parent / f".tmp-{target.name}-{uuid.uuid4().hex[:8]}" for _ in "12")
    try:
        new.mkdir(parents=True)
        write(new)
        if target.exists():
            target.rename(old)
        new.rename(target)
    except OSError as error:
        raise ConfigError(f"out: {out} cannot be written ({error.strerror}); name another folder") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(old, ignore_errors=True)
