"""The far end of a hosted agent: the one file of dyad that runs in another interpreter.

Run by path, with any Python from 3.10 on that has numpy 1.24: `python worker.py --fd N --life M`. It loads an
adapter, a file with a class `Model`, and serves what the engine asks over the socket N:

    class Model:
        def __init__(self, options: dict, device: str): ...        loads the weights
        def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row: ...
        def numerics(self) -> dict[str, str]: ...                    optional
        own_dice = True                                              optional, see below
    class Row:
        def step(self, tick: int, heard, played: int) -> Said: ...  float32 [n]: one tick at the rate it hears
        def force(self, pcm, text): ...                              optional, as are the next three
        def save(self) -> object: ...
        def restore(self, state: object): ...
        def close(self): ...

`opens`: the row begins the conversation; `tick` counts from the row's opening; `played`: its own samples
that were played. Each row has random states of its own (random, numpy, torch), seeded before `open` and in
place during every call; `own_dice`: rows draw from generators of their own only. Load torch in `__init__`.

A frame is `DYW1`, tick, length of the JSON, length of the payload (unsigned 32 bits, little-endian), the
JSON, and the payload: float32 blocks, which the JSON describes as `blocks: [[name, [shape]], …]`.
"""

from __future__ import annotations

import contextlib
import copy
import json
import math
import os
import random
import select
import signal
import socket
import struct
import sys
import time
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import machinery, util
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Head = dict[str, Any]  # the JSON of a frame
T = TypeVar("T")

PROTOCOL = 1
MAGIC = b"DYW1"
HEADER, SAMPLE = struct.Struct("<4sIII"), np.dtype("<f4")
MOST_JSON, MOST_PAYLOAD = 1 << 26, 1 << 30  # bytes: whoever announces more sends garbage
RATE, TICK = 24_000, 1_920  # of the engine's clock, in which times of text are counted
NONE: Mapping[str, Floats] = {}  # no blocks
SIGN_S = 5.0  # a step that takes longer gives signs of life between its rows


class Garbage(Exception):
    """What came over the wire is no frame."""


class Message(NamedTuple):
    """One frame: its tick, its JSON, and its float32 blocks by name."""

    tick: int
    head: Head
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
        units, self._left = known[:whole], known[whole:]
        return list(units.reshape(-1, self._size))


def send(line: socket.socket, tick: int, head: Head, blocks: Mapping[str, Floats] = NONE) -> None:
    """Send one frame; raises OSError when the other side is gone."""
    parts = [np.ascontiguousarray(block, SAMPLE) for block in blocks.values()]
    described = [[name, part.shape] for name, part in zip(blocks, parts)]  # noqa: B905
    text = json.dumps({**head, "blocks": described} if described else head).encode()
    header = HEADER.pack(MAGIC, tick, len(text), sum(part.nbytes for part in parts))
    pieces: list[Any] = [header + text, *(part.data.cast("B") for part in parts if part.size)]
    sent = line.sendmsg(pieces)  # in one go where it fits, so that the other side wakes once
    line.sendall(memoryview(b"".join(pieces))[sent:] if sent < sum(map(len, pieces)) else b"")


def receive(line: socket.socket) -> Message | None:
    """Return the next frame, or None when the other side has closed. Raises Garbage, OSError."""
    if (head := _exactly(line, HEADER.size)) is None:
        return None
    magic, tick, text_size, payload_size = HEADER.unpack(head)
    if magic != MAGIC or text_size > MOST_JSON or payload_size > MOST_PAYLOAD:
        raise Garbage(f"no frame begins with {bytes(head)!r}")
    if (body := _exactly(line, text_size + payload_size)) is None:
        return None
    try:
        content = json.loads(bytes(body[:text_size]))
        blocks = _blocks(content.pop("blocks", ()), body[text_size:])
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise Garbage(f"a frame of {text_size} + {payload_size} bytes cannot be read: {error}") from None
    return Message(tick, content, blocks)


def _exactly(line: socket.socket, size: int) -> memoryview | None:
    """Read so many bytes; None when the stream ends before."""
    data, at = np.empty(size, np.uint8).data, 0  # not zeroed, unlike a bytearray
    while at < size:
        if not (got := line.recv_into(data[at:], 0, socket.MSG_WAITALL)):  # one call, as there is no time-out
            return None
        at += got
    return data


def _blocks(described: Sequence[tuple[str, Sequence[int]]], payload: memoryview) -> dict[str, Floats]:
    blocks, at = {}, 0
    for name, shape in described:
        count = math.prod(shape)
        blocks[name] = np.frombuffer(payload, SAMPLE, count, at).reshape(shape)
        at += 4 * count
    if at != len(payload):
        raise ValueError(f"{len(payload)} bytes hold not the {at} of its blocks")
    return blocks


class Dice:
    """The random states of one row: of Python, of numpy's global functions, and of torch if it is there."""

    def __init__(self, seed: int) -> None:
        random.seed(seed)
        self._python, self._numpy = random.getstate(), np.random.MT19937(seed)
        if torch := sys.modules.get("torch"):
            torch.manual_seed(seed)
        self._torch = _torch_states()

    def throw(self, call: Callable[[], T]) -> T:
        """Call with these states in place, and keep what they have become."""
        random.setstate(self._python)
        np.random.set_bit_generator(self._numpy)  # type: ignore[attr-defined]
        if self._torch:
            sys.modules["torch"].set_rng_state(self._torch[0])
        if self._torch[1:]:
            sys.modules["torch"].cuda.set_rng_state_all(self._torch[1:])
        result = call()
        before, self._torch = len(self._torch), _torch_states()
        self._python = random.getstate()
        if len(self._torch) != before:  # a generator that nobody seeded
            raise RuntimeError("torch or its GPU was first used by a row; use it while the model is made")
        return result


def _find_torch(name: str, *where: Any) -> Any:
    """Find torch as Python does, and seed it once it is loaded: a model draws while it is made, too."""
    spec: Any = machinery.PathFinder.find_spec(name) if name == "torch" else None
    if spec:
        load, spec.loader.exec_module = spec.loader.exec_module, lambda it: load(it) or it.manual_seed(0)
    return spec


def _torch_states() -> list[Any]:
    torch = sys.modules.get("torch")
    cuda = torch.cuda.get_rng_state_all() if torch and torch.cuda.is_initialized() else []
    return [torch.get_rng_state(), *cuda] if torch else []


@dataclass
class _Seat:
    """A row, the tick at which it was opened, and its dice; None where it has its own."""

    row: Any
    opened: int
    dice: Dice | None

    def call(self, method: str, *args: Any, **named: Any) -> Any:
        """Call a method of the row with its dice in place; nothing where it has no such method."""
        todo = getattr(self.row, method, lambda *args: None)
        return self.dice.throw(lambda: todo(*args, **named)) if self.dice else todo(*args, **named)


class Desk:
    """Does what the engine asks: the state of one worker."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` gives a sign of life while something takes long."""
        self._tell, self._model, self._seats = tell, None, list[_Seat]()
        self._saved = dict[int, tuple[Any, Dice | None, int]]()

    def do(self, ask: Message) -> tuple[Head, Mapping[str, Floats]]:
        """Return the answer to one request, and its blocks; `row` is the row at work if that fails."""
        op, self.row = ask.head.get("op"), ask.head.get("row", -1)
        if op not in OPERATIONS:
            raise ValueError(f"no operation {op!r}; known: {', '.join(OPERATIONS)}")
        return self._step(ask) if op == "step" else (getattr(self, f"_{op}")(ask.head, ask), NONE)

    def _hello(self, head: Head, ask: Message) -> Head:
        return {"protocol": PROTOCOL, "python": sys.version.split()[0], "numpy": np.__version__}

    def _load(self, head: Head, ask: Message) -> Head:
        Dice(0).throw(lambda: None)  # what a model draws while it is made is the same in every process
        sys.meta_path.insert(0, types.SimpleNamespace(find_spec=_find_torch))
        self._tell("importing the adapter")
        module = _module(head["adapter"])
        self._tell("loading the model")
        self._model = module.Model(head["options"], head["device"])
        numerics: Mapping[str, Any] = getattr(self._model, "numerics", dict)()
        return {"numerics": {str(key): str(value) for key, value in numerics.items()}}

    def _open(self, head: Head, ask: Message) -> Head:
        self._close(head, ask)
        for self.row, given in enumerate(head["rows"]):
            self._seats.append(self._seat(given, 0))
        return {}

    def _reset(self, head: Head, ask: Message) -> Head:
        self._seats[head["row"]].call("close")
        self._seats[head["row"]] = self._seat(head["given"], ask.tick)
        return {}

    def _seat(self, given: Head, tick: int) -> _Seat:
        own: bool = getattr(self._model, "own_dice", False)
        seat = _Seat(self._model, tick, None if own else Dice(given["seed"]))
        seat.row = seat.call("open", **given)
        return seat

    def _step(self, ask: Message) -> tuple[Head, dict[str, Floats]]:
        heard, played, said = ask.blocks["heard"], ask.head["played"], list[Said]()
        sign = time.monotonic()
        for row, (seat, *given) in enumerate(zip(self._seats, heard, played)):  # noqa: B905
            self.row = row
            said.append(_checked(seat.call("step", ask.tick - seat.opened, *given)))
            if time.monotonic() - sign > SIGN_S:
                self._tell(f"row {row} is done")
                sign = time.monotonic()
        return _told(said, [seat.opened for seat in self._seats])

    def _force(self, head: Head, ask: Message) -> Head:
        self._seats[head["row"]].call("force", ask.blocks.get("pcm"), head["text"])
        return {}

    def _snapshot(self, head: Head, ask: Message) -> Head:
        seat = self._seats[head["row"]]
        handle = time.monotonic_ns()  # never given twice, so that an old one means no other state
        self._saved[handle] = (seat.call("save"), copy.deepcopy(seat.dice), ask.tick - seat.opened)
        return {"handle": handle}

    def _restore(self, head: Head, ask: Message) -> Head:
        seat = self._seats[head["row"]]
        state, dice, age = self._saved[head["handle"]]
        seat.call("restore", state)
        seat.dice, seat.opened = copy.deepcopy(dice), ask.tick - age
        return {}

    def _close(self, head: Head, ask: Message) -> Head:
        """End every row, and each only once: one that cannot close must not spoil the next batch."""
        seats, self._seats, self._saved = self._seats, [], {}
        with contextlib.ExitStack() as stack:
            for seat in seats:
                stack.callback(seat.call, "close")
        return {}


OPERATIONS = ("hello", "load", "open", "step", "force", "snapshot", "restore", "reset", "close")


def _checked(said: Said) -> Said:
    """Return what a row says as it may go on record; half a character is none."""
    said.pcm = np.asarray(said.pcm)
    if said.pcm.ndim != 1 or said.pcm.dtype.kind != "f":
        raise ValueError(f"audio of a row must be float32 [n], not {said.pcm.dtype} {said.pcm.shape}")
    said.text = [(int(at), str(s).encode(errors="replace").decode(), kind) for at, s, kind in said.text]
    if odd := [kind for _, _, kind in said.text if kind not in ("own", "heard", "event")]:
        raise ValueError(f"text is own, heard or event, not {odd[0]!r}")
    return said


def _told(said: Sequence[Said], opened: Sequence[int]) -> tuple[Head, dict[str, Floats]]:
    """Return what all rows say as one answer: a flat block of audio and its rows' sizes, text, flags."""
    head: Head = {"sizes": [len(one.pcm) for one in said]}
    if text := [(row, at + opened[row] * TICK, *x) for row, one in enumerate(said) for at, *x in one.text]:
        head["text"] = text
    if said and all(one.speaking is not None for one in said):
        head["speaking"] = [bool(one.speaking) for one in said]
    for name in ("flush", "finished"):
        if any(flags := [bool(getattr(one, name)) for one in said]):
            head[name] = flags
    return head, {"pcm": np.concatenate([np.zeros(0, np.float32), *(one.pcm for one in said)])}


def _module(path: str) -> Any:
    """Load an adapter from its file."""
    spec = util.spec_from_file_location("dyad_adapter", path)
    if not (spec and spec.loader):
        raise ImportError(f"{path} is no Python file")
    module = sys.modules["dyad_adapter"] = util.module_from_spec(spec)  # dataclasses look it up
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
            what = f"{type(error).__name__}: {error}"
            head, blocks = {"error": what, "trace": traceback.format_exc(), "row": desk.row}, NONE
        send(line, tick, {"op": op, **head}, blocks)


def _guard(life: int, line: int) -> None:
    """Leave a process behind that kills ours and its children when the pipe `life` ends, or when we end.

    The pipe ends when the engine closes it or dies, however that dies and whatever keeps us busy. The guard
    stays in our process group, so that nobody else can be given its number while it may still kill it.
    """
    worker = os.getpid()
    if os.fork():
        os.close(life)
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.close(line)
    os.closerange(0, 3)
    while os.getppid() == worker and not select.select([life], [], [], 0.5)[0]:
        pass
    os.killpg(0, signal.SIGKILL)


def main() -> None:
    """Serve one engine."""
    fd, life = (int(word) for word in sys.argv[2:5:2])
    _guard(life, fd)
    # our folder has modules with names that an upstream package may have too
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry) != Path(__file__).parent]
    # what an adapter imports of dyad is this file; there is nothing else
    here = {"dyad": types.ModuleType("dyad"), "dyad.host": types.ModuleType("dyad.host")}
    sys.modules.update({**here, "dyad.host.worker": sys.modules[__name__]})
    with socket.socket(fileno=fd) as line:
        line.set_inheritable(False)
        os.register_at_fork(after_in_child=line.close)  # a child that lives on must not hide our death
        serve(line)


if __name__ == "__main__":
    main()
