"""A hosted agent: the agent protocol over workers in another interpreter, each with its share of the rows."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, get_args

import numpy as np

from dyad.bridge.protocol import Bools, Caps, Floats, Ints, Lost, Out, Text
from dyad.errors import ConfigError, DyadError, Unsupported
from dyad.spec import Prompt
from dyad.spec.record import TextKind

from .process import Command, Worker, WorkerDied, WorkerError
from .worker import NONE, Message

Request = tuple[dict[str, Any], dict[str, Floats]]  # what a worker is asked: JSON, and blocks


@dataclass(frozen=True)
class Hosting:
    """How an agent is hosted: the workers' command, what its adapter is given, and how rows are shared out.

    `render` gives a prompt as the model receives it. `rows_per_worker` 0 puts all rows into one worker.
    `device` empty means the launcher's.
    """

    command: Command
    options: Mapping[str, Any]
    render: Callable[[Prompt], str] = lambda prompt: prompt.text
    rows_per_worker: int = 0
    device: str = ""


class HostAgent:
    """Serves rows in workers; a worker that died is started anew at the next `load`."""

    def __init__(self, caps: Caps, hosting: Hosting) -> None:
        self.caps, self._hosting = caps, hosting
        self.workers = list[Worker]()
        self._numerics, self._device, self._per_worker, self._tick = dict[str, str](), "", 1, 0
        self._rows = list[range]()  # of each worker that has any
        self._asked = list[Worker]()  # that owe an answer
        self._failed = list[tuple[range, DyadError]]()

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Start the workers that `rows` rows need, all at once. Raises WorkerDied, WorkerError."""
        if device != self._device:
            self.stop()
        self._device, self._per_worker = device, self._hosting.rows_per_worker or rows
        self.workers = [worker for worker in self.workers if worker.alive]
        needed = math.ceil(rows / self._per_worker) - len(self.workers)
        command, where = _placed(self._hosting.command, self._hosting.device or device)
        fresh = list[Worker]()
        request: dict[str, Any] = {"adapter": str(command.adapter), "options": self._hosting.options}
        try:
            for _ in range(needed):
                fresh.append(Worker(command))
            versions = [worker.greet() for worker in fresh]
            for worker in fresh:
                worker.ask("load", **request, device=where)
            for worker, version in zip(fresh, versions, strict=True):
                self._numerics = version | worker.answer().head.get("numerics", {})
        except DyadError:
            for worker in fresh:
                worker.stop()
            raise
        self.workers += fresh

    def numerics(self) -> dict[str, str]:
        """Return the versions of the other interpreter, and what its adapter adds."""
        return self._numerics

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows in all workers at once. Raises Lost."""
        size, per = len(prompts), self._per_worker
        if size > per * len(self.workers):
            raise ConfigError(f"agent '{self.caps.name}' is not loaded for {size} rows; load it for as many")
        self._rows = [range(first, min(first + per, size)) for first in range(0, size, per)]

        given = [self._given(*row) for row in zip(prompts, voices, seeds, strict=True)]

        def request(rows: range) -> Request:
            return {"rows": given[rows.start : rows.stop]}, {}

        self._ask("open", 0, request)
        self._answers()

    def ask(self, tick: int, heard: Floats, played: Ints) -> None:
        """Let every worker begin its part of a step; `answer` returns what came of it."""

        def request(rows: range) -> Request:
            own = slice(rows.start, rows.stop)
            return {"played": played[own].tolist()}, {"heard": heard[own]}

        self._ask("step", tick, request)

    def answer(self) -> Out:
        """Wait for every worker's part. Raises Lost for the rows of workers that failed."""
        parts = self._answers()
        try:
            return self._out(parts)
        except (TypeError, ValueError, IndexError) as error:
            rows = range(self._rows[-1].stop)
            raise Lost(f"a worker's answer cannot be read: {error}", rows) from error

    def _out(self, parts: Sequence[Message]) -> Out:
        each = list(zip(parts, self._rows, strict=True))
        audio = [_audio(part, rows) for part, rows in each]
        text = [_piece(rows, *piece) for part, rows in each for piece in part.head.get("text", ())]
        flags = {name: _flags(name, each) for name in ("flush", "finished")}
        silent = any("speaking" not in part.head for part in parts)
        speaking = None if silent else _flags("speaking", each)
        pcm = audio[0] if len(audio) == 1 else list(chain.from_iterable(audio))
        return Out(pcm, text, speaking, **flags)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Ask and wait."""
        self.ask(tick, heard, played)
        return self.answer()

    def force(self, row: int, pcm: Floats | None, text: str | None) -> None:
        """Prescribe the own channel of a row's coming step; raises Unsupported where the agent can't."""
        if not self.caps.force:
            raise Unsupported(f"agent '{self.caps.name}' cannot be forced; use one whose caps list 'force'")
        blocks = {} if pcm is None else {"pcm": pcm}
        self._call(row, "force", blocks, text=text)

    def snapshot(self, row: int) -> bytes:
        """Return a handle to the state of a row, which its worker keeps until `close`."""
        self._need_snapshots()
        handle = self._call(row, "snapshot").head["handle"]
        return f"{self.workers[row // self._per_worker].pid}:{handle}".encode()

    def restore(self, row: int, state: bytes) -> None:
        """Set a row to a saved state, which must be of the same worker."""
        self._need_snapshots()
        pid, _, handle = state.decode("ascii", "replace").partition(":")
        if pid != str(self.workers[row // self._per_worker].pid) or not handle.isdecimal():
            raise Unsupported(
                f"agent '{self.caps.name}': a state can be restored in the worker that saved it only, until "
                "`close`; raise rows_per_worker to have more rows in one"
            )
        self._call(row, "restore", handle=int(handle))

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start one row afresh."""
        self._call(row, "reset", given=self._given(prompt, voice, seed))

    def close(self) -> None:
        """End all rows; workers that live keep their weights."""
        self._settle()
        for worker in self.workers[: len(self._rows)]:
            with contextlib.suppress(WorkerDied, WorkerError):
                if worker.alive:
                    worker.call("close")
        self._rows, self._failed = [], []

    def stop(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.stop()
        self.workers, self._rows, self._asked, self._failed = [], [], [], []

    def _given(self, prompt: Prompt, voice: str, seed: int) -> dict[str, Any]:
        """Return what a row is opened with."""
        opens = prompt.sheet is not None and prompt.sheet.opens
        return {"prompt": self._hosting.render(prompt), "voice": voice, "seed": seed, "opens": opens}

    def _need_snapshots(self) -> None:
        if self.caps.snapshot != "state":
            raise Unsupported(
                f"agent '{self.caps.name}' has no snapshots; use one whose caps list 'snapshot'"
            )

    def _ask(self, op: str, tick: int, request: Callable[[range], Request]) -> None:
        """Ask every worker that has rows; one that is gone is noted, for `_answers`."""
        self._tick = -1 if op == "open" else tick
        for worker, rows in zip(self.workers, self._rows, strict=False):
            head, blocks = request(rows)
            try:
                worker.ask(op, tick, blocks, **head)
                self._asked.append(worker)
            except DyadError as error:
                self._failed.append((rows, error))

    def _answers(self) -> list[Message]:
        """Return what every worker answered; an error of one is raised when all others have answered."""
        answers = self._settle()
        if failed := self._failed:
            self._failed = []
            rows = [row for own, error in failed for row in _blamed(own, error)]
            raise Lost(str(failed[0][1]), rows) from failed[0][1]
        return answers

    def _settle(self) -> list[Message]:
        """Take all answers that are owed, and note the errors."""
        answers, asked = list[Message](), self._asked
        self._asked = []
        for worker in asked:
            try:
                answers.append(worker.answer())
            except DyadError as error:
                self._failed.append((self._rows[self.workers.index(worker)], error))
            except BaseException:  # Ctrl-C: nobody waits for the others' answers
                self.stop()
                raise
        return answers

    def _call(self, row: int, op: str, blocks: Mapping[str, Floats] = NONE, **head: Any) -> Message:
        index, own = divmod(row, self._per_worker)
        try:
            return self.workers[index].call(op, self._tick + 1, blocks, row=own, **head)
        except DyadError as error:
            raise Lost(str(error), _blamed(self._rows[index], error)) from error


def _placed(command: Command, device: str) -> tuple[Command, str]:
    """Show a worker its own of the GPUs that we see: `cuda:1` is its `cuda`, and `cuda:0+1` are both."""
    kind, _, numbers = device.partition(":")
    if not numbers:
        return command, kind
    seen = [gpu for gpu in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if gpu]
    try:
        chosen = [seen[int(number)] if seen else number for number in numbers.split("+")]
    except IndexError:
        raise ConfigError(f"no device {device} among CUDA_VISIBLE_DEVICES={','.join(seen)}") from None
    return replace(command, env={**command.env, "CUDA_VISIBLE_DEVICES": ",".join(chosen)}), kind


def _blamed(rows: range, error: DyadError) -> list[int]:
    """Return the rows that an error of their worker took with it."""
    row = error.row if isinstance(error, WorkerError) else None
    return list(rows) if row is None or row >= len(rows) else [rows[row]]


def _audio(part: Message, rows: range) -> Floats | list[Floats]:
    """Return the audio of a worker's rows: [b, n] where all are equally long, else one [n] per row."""
    sizes, pcm = part.head.get("sizes", []), part.blocks.get("pcm")
    whole = all(type(size) is int and size >= 0 for size in sizes)
    if pcm is None or not whole or len(sizes) != len(rows) or sum(sizes) != pcm.size:
        raise ValueError(f"audio of {len(sizes)} rows, not of {len(rows)}")
    if len(set(sizes)) == 1:
        return pcm.reshape(len(sizes), -1)
    return list(np.split(pcm, np.cumsum(sizes[:-1])))


def _piece(rows: range, row: int, at: int, s: str, kind: TextKind) -> Text:
    if (
        type(row) is not int
        or type(at) is not int
        or not isinstance(s, str)
        or kind not in get_args(TextKind)
    ):
        raise ValueError(f"no piece of text: {(row, at, s, kind)!r:.100}")
    return Text(rows[row] if row >= 0 else -1, at, s, kind)


def _flags(name: str, each: Sequence[tuple[Message, range]]) -> Bools | None:
    if not any(name in part.head for part, _ in each):
        return None
    flags = [flag for part, rows in each for flag in part.head.get(name, [False] * len(rows))]
    if not all(type(flag) is bool for flag in flags):
        raise ValueError(f"'{name}' is not true or false for each row")
    return np.array(flags, bool)
