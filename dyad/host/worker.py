"""The far end of a hosted agent: the one file of dyad that runs in another interpreter.

Run by path, with any Python from 3.10 on that has numpy: `python worker.py --fd N --life M`. It loads an
adapter, a file with a class `Model`, and serves what the engine asks over the socket N:

    class Model:
        def __init__(self, options: dict, device: str): ...        loads the weights
        def open(self, prompt: str, voice: str, seed: int) -> Row: ...
        def numerics(self) -> dict[str, str]: ...                    optional
        own_dice = True                                              optional, see below
    class Row:
        def step(self, tick: int, heard, played: int) -> Said: ...  float32 [n]: one tick at the rate it hears
        def force(self, pcm, text): ...                              optional, as are the next three
        def save(self) -> object: ...
        def restore(self, state: object): ...
        def close(self): ...

`tick` counts from the row's own opening; `played` is how many of its own samples were played. An adapter
sees `dyad.host.worker` and nothing else of dyad. Each row has random states of its own (random, numpy and
torch), seeded before `open` and set around every call, so that a row does not depend on the rows beside it;
`own_dice` says that rows draw from generators of their own only, which saves that work.

A frame is `DYW1`, tick, length of the JSON, length of the payload (unsigned 32 bits, little-endian), the
JSON, and the payload: float32 blocks, which the JSON describes as `blocks: [[name, [shape]], …]`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import random
import signal
import socket
import struct
import sys
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

PROTOCOL = 1
MAGIC = b"DYW1"
HEADER = struct.Struct("<4sIII")
MOST_JSON, MOST_PAYLOAD = 1 << 26, 1 << 30  # bytes: whoever announces more sends garbage
RATE, TICK = 24_000, 1_920  # of the engine's clock, in which times of text are counted


class Garbage(Exception):
    """What came over the wire is no frame of this protocol."""


@dataclass(frozen=True)
class Message:
    """One frame: its tick, its JSON, and its float32 blocks by name."""

    tick: int
    head: dict[str, Any]
    blocks: dict[str, Floats]


@dataclass
class Said:
    """What a row says in one tick: float32 [n ≥ 0] at the rate it speaks, text as (at, text, kind), flags.

    `at` is the sample at 24 kHz since the row's opening when the text's first sound is played; `kind` is
    own, heard or event. `flush` drops own audio that waits to be played, before `pcm` is appended.
    """

    pcm: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    text: Sequence[tuple[int, str, str]] = ()
    speaking: bool | None = None
    flush: bool = False
    finished: bool = False


class Line:
    """Keeps account of a row's play-out queue, which is the engine's: when will what is said now be heard?"""

    def __init__(self, rate: int) -> None:
        """`rate` of the own audio, in Hz."""
        self._rate, self._given = rate, 0

    def waiting(self, played: int) -> int:
        """Return how many own samples wait in the queue."""
        return self._given - played

    def starts(self, tick: int, played: int) -> int:
        """Return the sample at 24 kHz at which audio that is given at this tick begins to sound."""
        return tick * TICK + self.waiting(played) * RATE // self._rate

    def give(self, samples: int) -> None:
        """Note that so many samples are said."""
        self._given += samples

    def flush(self, played: int) -> None:
        """Note that what waits was dropped."""
        self._given = played


class Units:
    """Cuts what a row hears into units of `size` samples, which need not be a whole number of ticks."""

    def __init__(self, size: int) -> None:
        self._size, self._left = size, np.zeros(0, np.float32)

    def __call__(self, heard: Floats) -> list[Floats]:
        """Take the next samples, float32 [n], and return the units that they complete."""
        known = np.concatenate([self._left, heard])
        whole = len(known) // self._size * self._size
        self._left = known[whole:]
        return list(known[:whole].reshape(-1, self._size))


def send(
    line: socket.socket, tick: int, head: Mapping[str, Any], blocks: Mapping[str, Floats] | None = None
) -> None:
    """Send one frame; raises OSError when the other side is gone."""
    parts = [np.ascontiguousarray(block, "<f4") for block in (blocks or {}).values()]
    described = [[name, part.shape] for name, part in zip(blocks or {}, parts)]  # noqa: B905
    text = json.dumps({**head, "blocks": described} if described else head).encode()
    header = HEADER.pack(MAGIC, tick, len(text), sum(part.nbytes for part in parts))
    line.sendall(header + text)
    for part in parts:
        line.sendall(part.data.cast("B") if part.size else b"")


def receive(line: socket.socket) -> Message | None:
    """Return the next frame, or None when the other side has closed. Raises Garbage, OSError."""
    head = _exactly(line, HEADER.size)
    if head is None:
        return None
    magic, tick, text_size, payload_size = HEADER.unpack(head)
    if magic != MAGIC or text_size > MOST_JSON or payload_size > MOST_PAYLOAD:
        raise Garbage(f"no frame begins with {bytes(head)!r}")
    body = _exactly(line, text_size + payload_size)
    if body is None:
        return None
    try:
        content = json.loads(bytes(body[:text_size]))
        blocks = _blocks(content.pop("blocks", ()), body[text_size:])
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Garbage(f"a frame of {text_size} + {payload_size} bytes cannot be read: {error}") from None
    return Message(tick, content, blocks)


def _exactly(line: socket.socket, size: int) -> memoryview | None:
    """Read so many bytes; None when the stream ends before."""
    data, at = np.empty(size, np.uint8).data, 0  # not zeroed, unlike a bytearray
    while at < size:
        got = line.recv_into(data[at:])
        if not got:
            return None
        at += got
    return data


def _blocks(described: Sequence[tuple[str, Sequence[int]]], payload: memoryview) -> dict[str, Floats]:
    blocks, at = {}, 0
    for name, shape in described:
        count = math.prod(shape)
        blocks[name] = np.frombuffer(payload, "<f4", count, at).reshape(shape)
        at += 4 * count
    if at != len(payload):
        raise ValueError(f"{len(payload)} bytes hold not the {at} of its blocks")
    return blocks


@dataclass
class _Seat:
    """A row, the tick at which it was opened, and its random states."""

    row: Any
    opened: int
    dice: list[Any]


class Desk:
    """Does what the engine asks: the state of one worker."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` reports progress while something takes long."""
        self._tell, self._model, self._seats = tell, None, list[_Seat]()
        self._saved: list[tuple[Any, list[Any], int]] = []

    def do(self, message: Message) -> tuple[dict[str, Any], dict[str, Floats]]:
        """Return the answer to one request, and its blocks."""
        op = message.head.get("op")
        if op not in OPERATIONS:
            raise ValueError(f"no operation {op!r}; known: {', '.join(OPERATIONS)}")
        return self._step(message) if op == "step" else (getattr(self, f"_{op}")(message.head, message), {})

    def _hello(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        return {"protocol": PROTOCOL, "python": sys.version.split()[0], "numpy": np.__version__}

    def _load(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        self._tell("importing the adapter")
        module = _module(head["adapter"])
        self._tell("loading the model")
        self._model = module.Model(head["options"], head["device"])
        numerics: Mapping[str, Any] = getattr(self._model, "numerics", dict)()
        return {"numerics": {str(key): str(value) for key, value in numerics.items()}}

    def _open(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        self._close(head, message)
        for prompt, voice, seed in zip(head["prompts"], head["voices"], head["seeds"]):  # noqa: B905
            self._seats.append(self._seat(prompt, voice, seed, 0))
        return {}

    def _reset(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        old = self._seats[head["row"]]
        _with_dice(old.dice, getattr(old.row, "close", lambda: None))
        self._seats[head["row"]] = self._seat(head["prompt"], head["voice"], head["seed"], message.tick)
        return {}

    def _seat(self, prompt: str, voice: str, seed: int, tick: int) -> _Seat:
        model: Any = self._model
        _seed(seed)
        row = model.open(prompt, voice, seed)
        return _Seat(row, tick, [] if getattr(model, "own_dice", False) else _dice())

    def _step(self, message: Message) -> tuple[dict[str, Any], dict[str, Floats]]:
        heard, played, said = message.blocks["heard"], message.head["played"], list[Said]()
        for index, seat in enumerate(self._seats):
            try:
                said.append(self._row_step(seat, message.tick, heard[index], played[index]))
            except Exception as error:
                error.dyad_row = index  # type: ignore[attr-defined]
                raise
        return _told(said, [seat.opened for seat in self._seats])

    def _row_step(self, seat: _Seat, tick: int, heard: Floats, played: int) -> Said:
        said: Said = _with_dice(seat.dice, lambda: seat.row.step(tick - seat.opened, heard, played))
        said.pcm = np.asarray(said.pcm)
        if said.pcm.ndim != 1 or said.pcm.dtype.kind != "f":
            raise ValueError(f"audio of a row must be float32 [n], not {said.pcm.dtype} {said.pcm.shape}")
        return said

    def _force(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        seat, pcm = self._seats[head["row"]], message.blocks.get("pcm")
        _with_dice(seat.dice, lambda: seat.row.force(pcm, head["text"]))
        return {}

    def _snapshot(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        seat = self._seats[head["row"]]
        state = _with_dice(seat.dice, seat.row.save)
        self._saved.append((state, list(seat.dice), message.tick - seat.opened))
        return {"handle": len(self._saved) - 1}

    def _restore(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        seat = self._seats[head["row"]]
        state, dice, age = self._saved[head["handle"]]
        _with_dice(seat.dice, lambda: seat.row.restore(state))
        seat.dice, seat.opened = list(dice), message.tick - age
        return {}

    def _close(self, head: dict[str, Any], message: Message) -> dict[str, Any]:
        for seat in self._seats:
            _with_dice(seat.dice, getattr(seat.row, "close", lambda: None))
        self._seats, self._saved = [], []
        return {}


OPERATIONS = ("hello", "load", "open", "step", "force", "snapshot", "restore", "reset", "close")


def _told(said: Sequence[Said], opened: Sequence[int]) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Return what all rows say as one answer: a flat block of audio and its rows' sizes, text, flags."""
    head: dict[str, Any] = {"sizes": [len(one.pcm) for one in said]}
    text = [(row, int(at), str(s), str(kind)) for row, one in enumerate(said) for at, s, kind in one.text]
    if text:
        head["text"] = [(row, at + opened[row] * TICK, s, kind) for row, at, s, kind in text]
    if said and all(one.speaking is not None for one in said):
        head["speaking"] = [bool(one.speaking) for one in said]
    for name in ("flush", "finished"):
        if any(flags := [bool(getattr(one, name)) for one in said]):
            head[name] = flags
    return head, {"pcm": np.concatenate([np.zeros(0, np.float32), *(one.pcm for one in said)])}


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


def _dice() -> list[Any]:
    """Return the random states of this process: of Python, numpy, and torch where it is loaded."""
    dice: list[Any] = [random.getstate(), np.random.get_state()]
    if torch := sys.modules.get("torch"):
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
        dice += [torch.get_rng_state(), cuda]
    return dice


def _with_dice(dice: list[Any], call: Callable[[], Any]) -> Any:
    """Call with a row's random states, and keep in place what they have become."""
    if not dice:
        return call()
    random.setstate(dice[0])
    np.random.set_state(dice[1])
    torch = sys.modules.get("torch")
    if torch and len(dice) > 2:
        torch.set_rng_state(dice[2])
        if dice[3]:
            torch.cuda.set_rng_state_all(dice[3])
    try:
        return call()
    finally:
        dice[:] = _dice()


def _module(path: str) -> Any:
    """Load an adapter from its file."""
    spec = importlib.util.spec_from_file_location("dyad_adapter", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["dyad_adapter"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def serve(line: socket.socket) -> None:
    """Answer requests until the engine closes the line. An error is an answer; garbage ends the worker."""
    tick, op = 0, ""
    desk = Desk(lambda note: send(line, tick, {"op": "progress", "of": op, "note": note}))
    while (message := receive(line)) is not None:
        tick, op = message.tick, str(message.head.get("op"))
        try:
            head, blocks = desk.do(message)
        except Exception as error:
            head, blocks = _failure(error), {}
        send(line, tick, {"op": op, **head}, blocks)


def _failure(error: Exception) -> dict[str, Any]:
    """Return the answer that reports an error: its text in one line, and where it came from."""
    text = " ".join(str(error).split())
    head = {"error": f"{type(error).__name__}: {text}", "trace": traceback.format_exc()}
    row = getattr(error, "dyad_row", None)
    return head if row is None else {**head, "row": row}


def _guard(life: int) -> None:
    """Leave a process behind that waits for the end of the pipe `life`, then kills ours and its children.

    The pipe ends when the engine closes it or dies, however that dies and whatever keeps this process busy.
    """
    group = os.getpgrp()
    if os.fork():
        os.close(life)
        return
    os.setsid()
    os.dup2(life, 3)
    os.closerange(4, 4096)
    os.closerange(0, 3)
    while os.read(3, 1):
        pass
    try:
        os.killpg(group, signal.SIGKILL)
    finally:
        os._exit(0)


def _be_dyad() -> None:
    """Make `from dyad.host.worker import …` in an adapter mean this file; nothing else of dyad is there."""
    for name in ("dyad", "dyad.host"):
        package = types.ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
    sys.modules["dyad.host.worker"] = sys.modules[__name__]


def main() -> None:
    """Serve one engine."""
    parser = argparse.ArgumentParser(description="the worker of a hosted agent of dyad; started by dyad")
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--life", type=int, required=True)
    args = parser.parse_args()
    _guard(args.life)
    # our folder has modules of other names that an upstream package may have too
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry) != Path(__file__).parent]
    _be_dyad()
    with socket.socket(fileno=args.fd) as line:
        serve(line)


if __name__ == "__main__":
    main()
