"""Which requests were handed in together and what became of them: a journal that outlives any crash.

Each line is on the disk before what it announces is done. A line that a crash cut off is passed over.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal
from uuid import uuid4

from pydantic import AwareDatetime

from dyad.errors import ConfigError, naming
from dyad.spec import Frozen

from ..protocol import Desk
from .types import Request

KEPT = timedelta(days=29)  # for which the service keeps results
# `intent`: about to be handed in. `submitted`: taken, under an id. `absent`: never taken. `foreign`: a batch
# of somebody else. `done`: all results were read, and for `keys` there was none. `lost`: the service has no
# results any more.
What = Literal["intent", "submitted", "absent", "foreign", "done", "lost"]


class Line(Frozen):
    """One line of a journal."""

    what: What
    nonce: str = ""
    id: str = ""
    keys: tuple[str, ...] = ()
    utc: AwareDatetime


@dataclass
class Batch:
    """Requests that were handed in together. `id` is the service's, empty as long as nothing is known.

    `read`: all that was asked for of its results.
    """

    nonce: str
    keys: frozenset[str]
    utc: datetime
    id: str = ""
    read: bool = False


class Journal:
    """Batches by the requests in them. Only one process may hold a journal."""

    def __init__(self, path: Path) -> None:
        """Open a journal; ConfigError where another process holds it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kernel lets go of it at any death
        except BlockingIOError:
            self._file.close()
            raise ConfigError(f"another process works with {path}; wait for it, or stop it") from None
        self.known: set[str] = set()  # ids of batches, ours or not
        self._batches: dict[str, Batch] = {}
        self._holder: dict[str, str] = {}  # key → nonce of the batch that has the answer
        self._read()

    def close(self) -> None:
        """Let another process have the journal."""
        self._file.close()

    def holder(self, key: str) -> Batch | None:
        """Return the batch in which a request is, or was, answered."""
        nonce = self._holder.get(key)
        return self._batches[nonce] if nonce else None

    def batch(self, nonce: str) -> Batch:
        """Return a batch by its name here."""
        return self._batches[nonce]

    def unresolved(self) -> list[Batch]:
        """Return the batches of which nobody knows whether the service took them."""
        return [batch for batch in self._batches.values() if not batch.id]

    def unread(self) -> list[Batch]:
        """Return the batches whose results are still to be had, and were not read to their end."""
        known = [batch for batch in self._batches.values() if batch.id and not batch.read]
        return [batch for batch in known if datetime.now(UTC) - batch.utc < KEPT]

    def intend(self, keys: Iterable[str]) -> Batch:
        """Note that requests are about to be handed in."""
        nonce = uuid4().hex
        self._add(Line(what="intent", nonce=nonce, keys=tuple(keys), utc=datetime.now(UTC)))
        return self._batches[nonce]

    def note(self, what: What, batch: Batch, *, id: str = "", keys: Collection[str] = ()) -> None:
        """Note what became of a batch."""
        self._add(Line(what=what, nonce=batch.nonce, id=id, keys=tuple(keys), utc=datetime.now(UTC)))

    def _add(self, line: Line) -> None:
        with naming(self._file.name):
            self._file.write(line.model_dump_json().encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        self._fold(line)

    def _read(self) -> None:
        self._file.seek(0)
        whole = True
        for row in self._file:
            whole = row.endswith(b"\n")
            try:
                self._fold(Line.model_validate_json(row))
            except ValueError:
                continue
        if not whole:
            self._file.write(b"\n")

    def _fold(self, line: Line) -> None:
        if line.id:
            self.known.add(line.id)
        if line.what == "intent":
            self._batches[line.nonce] = Batch(line.nonce, frozenset(line.keys), line.utc)
            self._holder.update(dict.fromkeys(line.keys, line.nonce))
            return
        batch = self._batches.get(line.nonce)
        if batch is None:
            return
        match line.what:
            case "submitted":
                batch.id = line.id
            case "done":
                batch.read = True
                self._release(batch, line.keys)
            case "absent" | "lost":
                self._release(batch, batch.keys)
                del self._batches[batch.nonce]

    def _release(self, batch: Batch, keys: Iterable[str]) -> None:
        """Let requests be handed in again, unless a later batch has them."""
        for key in keys:
            if self._holder.get(key) == batch.nonce:
                del self._holder[key]


def journal_of(desk: Desk) -> Path:
    """Return where the batches of a judge are noted."""
    return desk.folder / f"{desk.name}.batches.jsonl"


def unbatched(requests: Iterable[Request], path: Path) -> Iterator[Request]:
    """Yield requests; raises ConfigError for one that lies in a batch, where its answer is paid for."""
    if not path.exists():
        yield from requests
        return
    with closing(Journal(path)) as journal:
        for request in requests:
            if journal.holder(request.key):
                raise ConfigError(
                    "what is to be asked lies in a batch that an earlier command handed in, and is paid for; "
                    "collect it with judge.batch=true"
                )
            yield request
