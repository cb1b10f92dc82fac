"""One worker: a process in another interpreter, asked and answered in turn over a socket, and its end."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dyad.errors import DyadError

from .worker import NONE, PROTOCOL, Floats, Garbage, Message, receive, send

WORKER = Path(__file__).with_name("worker.py")
LOG_LINES = 50  # of a worker's own output that go with an error
BUFFER = 1 << 21  # bytes: a step of many rows goes in one piece, as far as the system lets it
MOST_LOG = 1 << 26  # bytes; whoever prints more loses what is old
LOOKS = 64  # ticks between two looks at the log's size
# glibc would give the memory of a step of many rows back and fetch it anew: a third of such a step's time.
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(1 << 24), "MALLOC_TRIM_THRESHOLD_": str(1 << 26)}
LONGEST = 500  # letters of another process in a line of error
REAPED_S = 10.0  # a driver can hold a dead process for long
SECRET = re.compile(
    r"KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|COOKIE|BEARER|NETRC|_PAT$|WEBHOOK|CONNECTION|DATABASE_URL|_DSN$",
    re.IGNORECASE,
)


class WorkerDied(DyadError):
    """A worker is gone, or was ended since it hung or sent garbage; `log` is the end of what it printed."""

    def __init__(self, name: str, what: str, log: list[str]) -> None:
        self.log = log
        said = f"; it last printed: {_short(log[-1][-LONGEST:])}" if log else ""
        super().__init__(f"the worker of agent '{name}' {what}{said}")
        if log:
            self.add_note("the end of the worker's log:\n" + "\n".join(log))


class WorkerError(DyadError):
    """An adapter raised an error, and its worker lives on; `row` is the row to blame, if one is."""

    def __init__(self, name: str, error: str, trace: str, row: int | None) -> None:
        self.row = row
        super().__init__(f"agent '{name}': {_short(error)}")
        self.add_note(f"in the worker:\n{trace}")


@dataclass(frozen=True)
class Timeouts:
    """Seconds without any sign of a worker after which it hangs."""

    load_s: float = 1800.0
    step_s: float = 60.0

    def of(self, op: str) -> float:
        """Return the patience with one operation; opening a row may prefill a long prompt."""
        return self.load_s if op in ("hello", "load", "open", "reset") else self.step_s


@dataclass(frozen=True)
class Command:
    """How to start a worker: whose interpreter, which adapter file, and what its process finds around it.

    `path` are folders that its imports see first; `env` is added to the environment.
    """

    name: str
    python: Path
    adapter: Path
    path: tuple[Path, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    timeouts: Timeouts = Timeouts()
    worker: Path = WORKER


class Worker:
    """One process. Every request is `ask`, then `answer`; whatever goes wrong in between ends the process."""

    def __init__(self, command: Command) -> None:
        """Start it; raises WorkerDied when there is nothing to start."""
        self.command, self._op, self._tick = command, "hello", 0
        self._line, theirs = socket.socketpair()
        for end in (self._line, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        life, self._life = os.pipe()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        words = [command.python, "-u", command.worker, "--fd", theirs.fileno(), "--life", life]
        try:
            self._process = subprocess.Popen(
                [str(word) for word in words],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=(theirs.fileno(), life),
                env=_environment(command),
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._life)
            raise WorkerDied(command.name, f"did not start: {command.python}: {error.strerror}", []) from None
        finally:
            theirs.close()
            os.close(life)
        self._end = weakref.finalize(self, _kill, self._process, self._life, os.getpid())

    @property
    def alive(self) -> bool:
        """Whether the process runs and may be asked."""
        return self._end.alive and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process, which leads a group of its own."""
        return self._process.pid

    def ask(self, op: str, tick: int = 0, blocks: Mapping[str, Floats] = NONE, **head: Any) -> None:
        """Send one request; raises WorkerDied."""
        self._op, self._tick = op, tick
        try:
            self._line.settimeout(self.command.timeouts.of(op))
            send(self._line, tick, {"op": op, **head}, blocks)
        except TimeoutError:
            raise self._hung() from None
        except OSError:
            raise self._gone() from None
        except BaseException:  # Ctrl-C, with half a frame sent
            self.stop()
            raise

    def answer(self) -> Message:
        """Wait for the answer to what was asked; raises WorkerDied, WorkerError."""
        try:
            message = receive(self._line)
            while message is not None and message.head.get("op") == "progress":
                message = receive(self._line)
        except TimeoutError:
            raise self._hung() from None
        except Garbage as error:
            raise self._died(f"sent garbage at {self._op}: {error}") from None
        except OSError:
            message = None
        except BaseException:  # Ctrl-C: what comes later would be taken for the next answer
            self.stop()
            raise
        if message is None:
            raise self._gone()
        if self._tick % LOOKS == 0:
            self._cut_log()
        if (message.head.get("op"), message.tick) != (self._op, self._tick):
            raise self._died(f"answered '{message.head.get('op')}' to '{self._op}'")
        if failure := message.head.get("error"):
            row = message.head.get("row")
            blamed = row if type(row) is int and row >= 0 else None
            raise WorkerError(self.command.name, str(failure), str(message.head.get("trace")), blamed)
        return message

    def call(self, op: str, tick: int = 0, blocks: Mapping[str, Floats] = NONE, **head: Any) -> Message:
        """Ask, and wait for the answer."""
        self.ask(op, tick, blocks, **head)
        return self.answer()

    def greet(self) -> dict[str, str]:
        """Return the versions of the other interpreter; raises WorkerDied when it speaks another protocol."""
        self.ask("hello")
        head = self.answer().head
        if head.get("protocol") != PROTOCOL:
            raise self._died(
                f"speaks protocol {head.get('protocol')}, not {PROTOCOL}; install the agent again"
            )
        return {"python": str(head.get("python")), "numpy": str(head.get("numpy"))}

    def stop(self) -> None:
        """End the process and all its children."""
        self._end()
        self._line.close()

    def _hung(self) -> WorkerDied:
        return self._died(f"hung: nothing came back from {self._op} in {self._line.gettimeout():g} s")

    def _gone(self) -> WorkerDied:
        # the socket may close a moment before the process can be waited for
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2.0)
        return self._died(f"{_exit(self._process.poll())} at {self._op}")

    def _died(self, what: str) -> WorkerDied:
        self.stop()
        return WorkerDied(self.command.name, what, self._log_end())

    def _cut_log(self) -> None:
        """Empty a log that grows without end; the worker goes on writing at its new start."""
        if os.fstat(self._log.fileno()).st_size > MOST_LOG:
            os.ftruncate(self._log.fileno(), 0)
            os.lseek(self._log.fileno(), 0, os.SEEK_SET)

    def _log_end(self) -> list[str]:
        size = os.fstat(self._log.fileno()).st_size
        text = os.pread(self._log.fileno(), 65_536, max(0, size - 65_536)).decode("utf-8", "replace")
        return [line for line in text.splitlines() if line.strip()][-LOG_LINES:]


def _exit(code: int | None) -> str:
    """Say how a process ended."""
    if code is None:
        return "closed its line"
    if code < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f"was killed ({names.get(-code, f'signal {-code}')})"
    return f"ended with exit code {code}"


def _environment(command: Command) -> dict[str, str]:
    """Return what a worker's process finds: no secret, its own Python first, no network for the hub."""
    kept = {k: v for k, v in os.environ.items() if not (SECRET.search(k) or k.startswith("PYTHON"))}
    path = os.pathsep.join(str(folder) for folder in command.path)
    programs = os.pathsep.join([str(command.python.parent), os.environ.get("PATH", os.defpath)])
    ours = {"PATH": programs, "PYTHONHASHSEED": "0", "TOKENIZERS_PARALLELISM": "false"}
    ours |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", **KEPT}
    return {**kept, **ours, **({"PYTHONPATH": path} if path else {}), **command.env}


def _kill(process: subprocess.Popen[bytes], life: int, owner: int) -> None:
    """Kill a worker's group, wait for the worker, and let its guard go; a fork of the owner does nothing."""
    if os.getpid() != owner:
        return
    if (
        process.returncode is None
    ):  # once it was waited for, its number may be another's; the guard kills the rest
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(REAPED_S)
    os.close(life)


def _short(text: str) -> str:
    """Return text of another process as it may stand in a line: no control characters, not too long."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST]).split())[:LONGEST]
