"""The agent protocol: everything that the bridge asks of a full-duplex system.

Contract (`dyad.testing.check_agent` asserts it on every tick):
- `step` is called once per tick with exactly 80 ms at `caps.rate_in` for every row, silence included;
- an agent with longer units buffers inside and returns empty `pcm` in between;
- the engine owns the play-out queue: an agent may return any number of samples, in bursts or late;
- `Text.at` is the play-out time of the first sample that the text belongs to;
- rows are independent: what a row says does not depend on which rows share its batch;
- `load` is called before every batch, with room for more rows than the batch may have;
- an unsupported call raises `dyad.errors.Unsupported`; the plan checks caps before anything is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from dyad import registry
from dyad.errors import DyadError, Unsupported
from dyad.spec import AgentSpec, Prompt
from dyad.spec.record import TextKind

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# A flag of agents that are no model under test (silence, tone, playback …): they may sit in any task.
INSTRUMENT = frozenset({"instrument"})


@dataclass(frozen=True)
class Caps:
    """What an agent is and can do. Rates in Hz; `lag_ms` excludes the bridge's own tick.

    Times are exact: a unit of 3,200 samples at 24 kHz lasts `Fraction(400, 3)` ms.
    """

    name: str
    rate_in: int = 24_000
    rate_out: int = 24_000
    chunk_ms: int | Fraction = 80
    lag_ms: int | Fraction = 0
    max_batch: int = 256
    clock: Literal["sim", "wall"] = "sim"
    prompt: Literal["text", "sheet", "none"] = "none"
    voice: Literal["wav", "name", "none"] = "none"
    force: frozenset[str] = frozenset()
    snapshot: Literal["state", "replay", "none"] = "none"
    deterministic: bool = True
    concurrent: bool = False  # step waits on something else (a process, a socket): call it in a thread
    flags: frozenset[str] = frozenset()
    max_seconds: float = float("inf")
    licence: str = ""


@dataclass(frozen=True)
class Text:
    """A piece of text of one row; `at` in samples at 24 kHz since tick 0."""

    row: int
    at: int
    s: str
    kind: TextKind = "own"


@dataclass
class Out:
    """What one step returns for all rows.

    pcm: float32 [B, n], or one array [n_row] per row; n ≥ 0 samples at `caps.rate_out`.
    speaking / flush / finished: bool [B] or None. `flush` drops own audio that was queued and not yet played,
    before `pcm` is appended; `finished` says that the row has ended its conversation.
    """

    pcm: Floats | Sequence[Floats]
    text: Sequence[Text] = ()
    speaking: Bools | None = None
    flush: Bools | None = None
    finished: Bools | None = None


class Agent(Protocol):
    """A full-duplex system that serves B rows in lockstep."""

    @property
    def caps(self) -> Caps:
        """What this agent is and can do."""

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Load weights once, and make room for batches of up to `rows` rows of `ticks` ticks.

        Called before every batch; an agent whose results depend on the batch's shape in their last bits pads
        every batch to `rows`.
        """

    def numerics(self) -> dict[str, str]:
        """Return what here could change the last bits: device, precision, padded rows, versions."""

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start B = len(prompts) fresh rows."""

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Hear one tick (float32 [B, rate_in·0.08]); `played` int64 [B]: own samples already played."""

    def force(self, row: int, pcm: Floats | None, text: str | None) -> None:
        """Prescribe the own channel of the coming step (teacher forcing)."""

    def snapshot(self, row: int) -> bytes:
        """Return the state of a row."""

    def restore(self, row: int, state: bytes) -> None:
        """Set a row to a saved state."""

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start one row afresh while the others go on."""

    def close(self) -> None:
        """End all rows; loaded weights stay."""


@runtime_checkable
class Remote(Protocol):
    """An agent that computes elsewhere: the bridge asks every one of these before it waits for any answer."""

    def ask(self, tick: int, heard: Floats, played: Ints) -> None:
        """Begin a step; the arguments are those of `step`."""

    def answer(self) -> Out:
        """Wait for the step that was begun."""


class Lost(DyadError):
    """An agent lost the state of some of its rows for good; they have to be opened anew."""

    def __init__(self, what: str, rows: Sequence[int]) -> None:
        self.rows = tuple(rows)
        super().__init__(what)


class Plain:
    """The calls that a simple agent need not write: nothing to load or to free, nothing beyond `step`."""

    caps: Caps

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Load nothing."""

    def numerics(self) -> dict[str, str]:
        """Return nothing: plain arithmetic is the same everywhere."""
        return {}

    def force(self, row: int, pcm: Floats | None, text: str | None) -> None:
        """Raise Unsupported."""
        raise Unsupported(f"agent '{self.caps.name}' cannot be forced; use one whose caps list 'force'")

    def snapshot(self, row: int) -> bytes:
        """Raise Unsupported."""
        raise Unsupported(f"agent '{self.caps.name}' has no snapshots; use one whose caps list 'snapshot'")

    def restore(self, row: int, state: bytes) -> None:
        """Raise Unsupported."""
        raise Unsupported(f"agent '{self.caps.name}' has no snapshots; use one whose caps list 'snapshot'")

    def close(self) -> None:
        """Free nothing."""


@dataclass(frozen=True)
class Demand:
    """What a plan will ask of one agent, known before it is loaded.

    rows: of its widest batch, padding included; ticks: its longest window; prompts: every distinct text that
    `Family.render` gave; device: the launcher's; langs: the languages that are to be spoken.
    """

    rows: int
    ticks: int
    prompts: tuple[str, ...]
    device: str
    langs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Room:
    """The memory that one loaded agent takes in one process, and where: `cpu`, `cuda` or `cuda:N`."""

    device: str
    weights_bytes: int
    row_bytes: int
    extra_bytes: int = 0  # whatever else, however many rows there are


PartKind = Literal["packages", "environment", "weights", "licence", "device", "memory"]
PartState = Literal["ready", "fetched", "missing", "broken", "outdated"]


@dataclass(frozen=True)
class Part:
    """Something beside dyad that an agent needs on this machine, and whether it is there.

    What is `fetched` is missing too, but loading the agent brings it. `lack` says, in one line, what is
    missing and how to get it.
    """

    kind: PartKind
    state: PartState = "ready"
    lack: str = ""


@dataclass(frozen=True)
class Family:
    """What a module of `dyad.agents` (or a plug-in, entry point `dyad.agents`) exports as `FAMILY`.

    `params` validates and completes the configuration; `render` gives the prompt exactly as the family
    receives it (part of the run's identity); `assets` names the weights that `load` would use, and raises
    ConfigError when they are missing. An asset "voice" names what the voice holds: it stands for the voice in
    the run's identity, so that a voice may be a file anywhere. `check` raises ConfigError for what the agent
    cannot meet, `room` says what memory that takes, and `parts` lists what must be on this machine for the
    agent of a spec and the launcher's device; none of them loads anything, and `parts` asks no network.
    `langs` are the languages in which it can be told a role; empty: whatever `check` lets through.
    """

    name: str
    params: type[BaseModel]
    caps: Callable[[Mapping[str, Any]], Caps]
    make: Callable[[Mapping[str, Any]], Agent]
    render: Callable[[Prompt], str] = field(default=lambda prompt: prompt.text)
    assets: Callable[[Mapping[str, Any], str], dict[str, str]] = field(default=lambda params, voice: {})
    check: Callable[[AgentSpec, Demand], None] = field(default=lambda spec, demand: None)
    room: Callable[[AgentSpec, Demand], Room | None] = field(default=lambda spec, demand: None)
    parts: Callable[[AgentSpec, str], Sequence[Part]] = field(default=lambda spec, device: ())
    local: tuple[str, ...] = ()  # parameters that are paths; `assets` says what lies there
    langs: tuple[str, ...] = ()
    about: str = ""


def family_of(adapter: str) -> Family:
    """Return the family behind an adapter's name; raises ConfigError with the near name."""
    found: Family = registry.load("agents", adapter)
    return found


def default_params(params: type[BaseModel]) -> dict[str, Any]:
    """Return parameters with their defaults; `???` (Hydra's mark) where there is none."""
    from pydantic_core import to_jsonable_python

    fields = params.model_fields
    return {
        name: "???" if f.is_required() else to_jsonable_python(f.get_default(call_default_factory=True))
        for name, f in fields.items()
    }


def caps_of(spec: AgentSpec) -> Caps:
    """Return what the agent of a spec can do, without loading it."""
    return family_of(spec.adapter).caps(spec.params)


def make_agent(
    family: Family, spec: AgentSpec, device: str = "cpu", rows: int = 1, ticks: int = 750
) -> Agent:
    """Create the agent that a spec describes, and load it with room for `rows` rows of `ticks` ticks."""
    agent = family.make(spec.params)
    agent.load(device, rows, ticks)
    return agent
