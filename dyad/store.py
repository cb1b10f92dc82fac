"""The store: write-once run directories, sidecars beside them, failures elsewhere.

    runs/<id>/     spec.json manifest.json audio.flac text.jsonl peaks.i8   (published by one rename)
                   words/ segments/ judgments/                              (sidecars: added, never edited)
    failed/<id>/<attempt>.json
    studies/<name>/

A directory in `runs/` is a success. There is no index: every list is a scan, so nothing can disagree.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dyad import audio
from dyad.errors import ConfigError, DyadError, naming, near
from dyad.spec import Frozen, Manifest, Piece, RunSpec, Slug, canonical_json

TMP = ".tmp-"
Record = TypeVar("Record", bound=Frozen)


class StudyRecord(Frozen):
    """What `plan.json` keeps of the command that made a study, so that later stages can be redone by name.

    `sources` names what the runs were made from, which lies beside it; "" in stores of earlier versions.
    """

    name: Slug
    command: str
    overrides: tuple[str, ...]
    config_dirs: tuple[str, ...]
    runs: tuple[str, ...]
    sources: str = Field(default="", pattern="^[0-9a-f]*$")
    trials: dict[str, tuple[str, str]] = Field(
        default_factory=dict
    )  # of a suite: the agent and the stimulus of each run


@dataclass(frozen=True)
class Store:
    """A folder that holds runs, failures and studies."""

    root: Path

    @property
    def runs(self) -> Path:
        """The folder of successful runs."""
        return self.root / "runs"

    def run_dir(self, run_id: str) -> Path:
        """Return the folder of a run; raise ConfigError when a name would leave the store."""
        return _inside(self.runs, run_id)

    def study_dir(self, name: str) -> Path:
        """Return the folder of a study; raise ConfigError when a name would leave the store."""
        return _inside(self.root / "studies", name)

    def has(self, run_id: str) -> bool:
        """Whether a run has been published."""
        return (self.run_dir(run_id) / "manifest.json").is_file()

    def ids(self) -> list[str]:
        """Return the names of all published runs, sorted."""
        if not self.runs.is_dir():
            return []
        return sorted(p.parent.name for p in self.runs.glob("[!.]*/manifest.json"))

    def find(self, prefix: str) -> str:
        """Return the one run whose id, or whose hash, starts with `prefix`; else raise ConfigError."""
        ids = self.ids()
        hits = [i for i in ids if i.startswith(prefix) or i.rsplit("-", 1)[-1].startswith(prefix)]
        if prefix in hits:
            return prefix
        if len(hits) != 1:
            what = "no run" if not hits else f"{len(hits)} runs"
            raise ConfigError(
                f"{what} named '{prefix}' in {self.runs}{near(prefix, ids[:50]) if ids else ''}"
            )
        return hits[0]

    def spec(self, run_id: str) -> RunSpec:
        """Read the spec of a run."""
        return _record(self.run_dir(run_id) / "spec.json", RunSpec)

    def manifest(self, run_id: str) -> Manifest:
        """Read how a run was made."""
        return _record(self.run_dir(run_id) / "manifest.json", Manifest)

    def pcm(self, run_id: str) -> NDArray[np.int16]:
        """Read the recording: int16 [2, N] at 24 kHz, row 0 = seat a."""
        return audio.read_flac(self.run_dir(run_id) / "audio.flac")

    def pieces(self, run_id: str) -> list[Piece]:
        """Read both agents' own text streams in the order of time."""
        return read_jsonl(self.run_dir(run_id) / "text.jsonl", Piece)

    def peaks(self, run_id: str) -> bytes:
        """Read the waveform envelope, int8 [2, n, 2] (minimum and maximum of each 20 ms)."""
        return (self.run_dir(run_id) / "peaks.i8").read_bytes()

    # -- writing -------------------------------------------------------------------------------

    def publish(self, run_id: str, files: Mapping[str, bytes]) -> bool:
        """Write a run and make it appear by one rename; False when another writer was first."""
        self.runs.mkdir(parents=True, exist_ok=True)
        tmp, target = self.runs / _tmp_name(run_id), self.run_dir(run_id)
        with _whole(tmp, target):
            tmp.mkdir()
            for name, content in files.items():
                _write_synced(tmp / name, content)
            try:
                tmp.rename(target)
            except OSError:
                if not self.has(run_id):
                    raise
                _remove(tmp)
                return False
        _sync_dir(self.runs)
        return True

    def sidecar(self, run_id: str, name: str) -> Path:
        """Return the path of a sidecar such as `words/whisper.jsonl`."""
        return _inside(self.run_dir(run_id), name)

    def add_sidecar(self, run_id: str, name: str, records: Iterable[Frozen]) -> None:
        """Write a sidecar once; an existing one is left as it is."""
        path = self.sidecar(run_id, name)
        if not path.exists():
            write_atomic(path, jsonl(records))

    def fail(self, run_id: str, record: Mapping[str, Any]) -> None:
        """Keep a failed attempt under the next free attempt number."""
        folder = _inside(self.root / "failed", run_id)
        attempt = len(list(folder.glob("*.json"))) + 1
        write_atomic(folder / f"{attempt}.json", (json.dumps(record, indent=1) + "\n").encode())

    def failures(self, run_id: str) -> int:
        """Return how many attempts at a run have failed."""
        return len(list(_inside(self.root / "failed", run_id).glob("*.json")))

    def last_error(self, run_id: str) -> str | None:
        """Return what the last failed attempt at a run says, in one line; None where none failed."""
        attempts = self.failures(run_id)
        if not attempts:
            return None
        record = json.loads((_inside(self.root / "failed", run_id) / f"{attempts}.json").read_bytes())
        return " ".join(str(record.get("error", "")).split())

    def prepare(self) -> None:
        """Create the store and sweep what killed writers left; raise ConfigError when it is not writable."""
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
            probe = self.root / f"{TMP}{uuid.uuid4().hex}"
            probe.touch()
            probe.unlink(missing_ok=True)  # another driver may be sweeping
        except OSError as error:
            raise ConfigError(
                f"store '{self.root}' is not writable ({error.strerror}); choose another with store=DIR"
            ) from None
        self.sweep()

    def sweep(self) -> None:
        """Remove what writers left that no longer run."""
        for stale in self.stale():
            _remove(stale)

    def stale(self) -> Iterator[Path]:
        """Yield the temporary files and folders whose writer no longer runs on this machine."""
        for pattern in (
            f"{TMP}*",
            f"runs/{TMP}*",
            f"runs/[!.]*/*/{TMP}*",  # not inside of what another driver is about to publish
            f"failed/*/{TMP}*",
            f"studies/*/{TMP}*",
            f".cache/suites/{TMP}*",
        ):
            yield from (p for p in self.root.glob(pattern) if not _writer_alive(p.name))


def jsonl(records: Iterable[Frozen]) -> bytes:
    """Serialise records, one canonical JSON per line."""
    return "".join(canonical_json(r) + "\n" for r in records).encode()


def read_record(path: Path, kind: type[Record]) -> Record:
    """Read a file that holds one record; raise DyadError that names the file of a broken one."""
    return _parsed(str(path), path.read_bytes(), kind)


def read_jsonl(path: Path, kind: type[Record]) -> list[Record]:
    """Read records of one kind; raise DyadError that names the file and line of a broken one."""
    lines = path.read_bytes().splitlines()
    return [_parsed(f"{path}:{number}", line, kind) for number, line in enumerate(lines, 1)]


def _record(path: Path, kind: type[Record]) -> Record:
    try:
        return _parsed(str(path), path.read_bytes(), kind)
    except OSError as error:
        raise DyadError(f"{path}: {error.strerror}; remove that folder and play the run again") from None


def _parsed(where: str, content: bytes, kind: type[Record]) -> Record:
    try:
        return kind.model_validate_json(content)
    except ValueError:
        raise DyadError(
            f"{where}: not a {kind.__name__}; restore that file, or remove it and run again"
        ) from None


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file so that it is either absent, old, or complete; what fails leaves no file and no folder."""
    new = list(takewhile(lambda folder: not folder.exists(), path.parents))
    tmp = path.parent / _tmp_name(path.name)
    with _whole(tmp, path, new):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_synced(tmp, content)
        tmp.replace(path)


def read_study(store: Store, name: str) -> StudyRecord:
    """Read `plan.json` of a study; raise ConfigError with the near name when there is none."""
    path = store.study_dir(name) / "plan.json"
    if not path.is_file():
        studies = store.root / "studies"
        known: Sequence[str] = [p.name for p in studies.iterdir()] if studies.is_dir() else []
        raise ConfigError(f"no study '{name}' in {store.root}{near(name, known)}")
    return read_record(path, StudyRecord)


def _inside(folder: Path, name: str) -> Path:
    inner = Path(os.path.normpath(name))  # of the name alone: the folder may hold `..` and links
    if inner.is_absolute() or inner.parts[:1] in ((), ("..",)):
        raise ConfigError(f"'{name}' is not a name inside {folder}")
    return folder / inner


def _tmp_name(name: str) -> str:
    return f"{TMP}{socket.gethostname()}~{os.getpid()}~{uuid.uuid4().hex[:6]}~{name[:80]}"


def _writer_alive(tmp_name: str) -> bool:
    """Another machine's writer counts as alive: only its own machine can know."""
    host, _, rest = tmp_name.removeprefix(TMP).partition("~")
    pid = rest.split("~")[0]
    if host != socket.gethostname() or not pid.isdigit():
        return bool(rest) and host != socket.gethostname()
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return int(pid) != os.getpid()


@contextmanager
def _whole(tmp: Path, target: Path, new: Sequence[Path] = ()) -> Iterator[None]:
    """Leave nothing of `tmp` where writing it fails, nor folders that are `new`, and name `target` then."""
    try:
        with naming(target):
            yield
    except BaseException as error:
        if isinstance(error, OSError) and str(error.filename).startswith(str(tmp)):
            error.filename = str(target)
        _remove(tmp)
        with suppress(OSError):  # somebody else has put something there
            for folder in new:
                folder.rmdir()
        raise


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _write_synced(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_dir(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
