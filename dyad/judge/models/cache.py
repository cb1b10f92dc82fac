"""Every reply that was paid for, kept once: append-only lines, found again by the hash of what was asked.

Only one process may hold a cache; the kernel lets go of the lock when that process dies, however it does.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dyad.errors import ConfigError, DyadError, naming
from dyad.spec import canonical_json

from .types import Reply

SYNC_S = 1.0  # between two waits for the disk


class Cache:
    """An index of offsets into one file of replies: what is in it takes no memory."""

    def __init__(self, file: BinaryIO) -> None:
        """Index an open file. A line that a crash cut off is left out; `broken` counts such lines."""
        self._file = file
        self._end = 0
        self._synced_s = time.monotonic()
        self._at: dict[str, tuple[int, int]] = {}  # where its line begins, and how long it is
        self.models: dict[tuple[str, str], set[str]] = {}  # requested id, as served → ids that answered
        self.controls = 0  # how many controls were answered
        self.unchecked = False  # whether replies are there whose control is not
        self.broken = 0
        self.rejected: set[str] = set()  # sessions and batches whose control followed what it read
        file.seek(0)
        line = b"\n"
        for line in file:
            if reply := _parsed(line):
                self._note(reply, self._end, len(line))
            else:
                self.broken += 1
            self._end += len(line)
        self._whole = line.endswith(b"\n")

    def get(self, key: str) -> Reply | None:
        """Return what was answered to a request, None if it was not."""
        place = self._at.get(key)
        if place is None:
            return None
        at, length = place
        return _parsed(os.pread(self._file.fileno(), length, at))

    def __contains__(self, key: str) -> bool:
        """Whether a request was answered."""
        return key in self._at

    def __iter__(self) -> Iterator[str]:
        """The keys of all requests that were answered."""
        return iter(self._at)

    def __len__(self) -> int:
        """How many requests were answered."""
        return len(self._at)

    def append(self, reply: Reply) -> None:
        """Keep a reply, safe from the end of this process when this returns.

        Raises DyadError for a second reply to the same request.
        """
        if reply.key in self._at:
            raise DyadError(f"{self._file.name} holds a reply to request {reply.key[:12]}; it was kept")
        line = canonical_json(reply).encode(errors="replace") + b"\n"  # JSON can name halves of characters
        with naming(self._file.name):
            if not self._whole:  # what a killed process left
                self._end += self._file.write(b"\n")
                self._whole = True
            self._file.write(line)
            self._file.flush()
        if time.monotonic() - self._synced_s > SYNC_S:  # against the end of the machine
            self.sync()
        self._note(reply, self._end, len(line))
        self._end += len(line)

    def sync(self) -> None:
        """Wait until the disk holds everything."""
        os.fsync(self._file.fileno())
        self._synced_s = time.monotonic()

    def is_rejected(self, reply: Reply) -> bool:
        """Whether the control that was asked together with a reply followed its transcript."""
        return bool({reply.session, reply.batch} & self.rejected)

    def _note(self, reply: Reply, at: int, length: int) -> None:
        self._at[reply.key] = at, length
        if reply.model:  # nobody signs the refusal of a prompt that is too long
            self.models.setdefault((reply.requested, reply.served), set()).add(reply.model)
        if reply.obeyed is not None:
            self.controls, self.unchecked = self.controls + 1, False
        elif reply.session == str(self.controls):
            self.unchecked = True
        if reply.obeyed:
            self.rejected |= {name for name in (reply.session, reply.batch) if name}


def answered(path: Path) -> set[str]:
    """Return the keys of all replies in a file, without holding it; none where there is no file."""
    if not path.is_file():
        return set()
    with path.open("rb") as file:
        return set(Cache(file))


@contextmanager
def opened(path: Path) -> Iterator[Cache]:
    """Open a cache for this process alone; ConfigError where another one holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another process is judging into {path}; wait for it, or stop it") from None
        cache = Cache(file)
        try:
            yield cache
        finally:
            cache.sync()


def _parsed(line: bytes) -> Reply | None:
    try:
        return Reply.model_validate_json(line)
    except ValueError:
        return None
