"""The run: everything that could change a recording, and the name that follows from it."""

from __future__ import annotations

import hashlib
import math
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from .base import RATE, SEATS, TICK_S, Frozen, Seat, Slug, digest
from .scenario import Archetype, Prompt, task_of
from .suite import CLEAN, Kind

DYAD = "dyad"  # the name of no suite: conversations of two models
BRIDGE_SCHEMA = 1  # raised by hand when the meaning of a recording changes
LEAD_S = 1.5
MOST = 2**63 - 1  # the largest whole number that tables hold


def ticks_at_least(seconds: float) -> int:
    """Return the smallest number of ticks that lasts at least `seconds` (App. C of DyaFDB)."""
    return math.ceil(seconds / TICK_S - 1e-9)


def ticks_at_most(seconds: float) -> int:
    """Return the largest number of ticks that lasts at most `seconds`."""
    return math.floor(seconds / TICK_S + 1e-9)


LEAD_TICKS = ticks_at_least(LEAD_S)


class AgentSpec(Frozen):
    """An agent with every parameter resolved. `name` is the configuration, `adapter` the code behind it."""

    name: Slug
    adapter: str
    params: dict[str, Any] = Field(default_factory=dict)
    assets: dict[str, str] = Field(default_factory=dict)  # weights and data files: name → sha256 or revision
    voice: str = ""
    local: tuple[str, ...] = ()  # parameters (dotted) that say where a file lies: `assets` says what it holds

    @property
    def key(self) -> str:
        """Which loaded agent plays this: settings that differ in name or voice only share one, row by row."""
        return digest([self.adapter, self.params])

    def identity(self) -> dict[str, Any]:
        """Return everything about the agent that could change what it says: no paths.

        An asset "voice" says what the voice holds, so the voice itself, which may be a path, is left out.
        """
        plain = self.model_dump(mode="json", exclude={"local"})
        if "voice" in self.assets:
            del plain["voice"]
        for path in self.local:
            *parents, last = path.split(".")
            node = plain["params"]
            for parent in parents:
                node = node.get(parent, {})
            node.pop(last, None)
        return plain


class Direction(Frozen):
    """What the channel does to the speech on its way from one seat to the other. All off by default."""

    gain: float = Field(default=1.0, ge=0.0)  # linear; 0 cuts the line
    delay_ms: float = Field(default=0.0, ge=0.0, le=5000.0)  # on top of the bridge's one tick
    noise_snr_db: float | None = Field(
        default=None, ge=-60.0, le=200.0
    )  # white noise against a speech level of −26 dBFS
    loss: float = Field(default=0.0, ge=0.0, le=1.0)  # share of 20 ms packets that are dropped
    band_hz: tuple[float, float] | None = None  # pass band, e.g. telephone 300–3400
    clip: float | None = Field(default=None, gt=0.0, le=1.0)  # hard limit of the absolute value
    echo_gain: float = Field(default=0.0, ge=0.0, le=1.0)  # the listener's own speech comes back
    echo_ms: float = Field(default=0.0, ge=0.0, le=5000.0)

    @field_validator("band_hz")
    @classmethod
    def _band(cls, value: tuple[float, float] | None) -> tuple[float, float] | None:
        if value is not None and (value == (0, RATE / 2) or not 0 <= value[0] < value[1] <= RATE / 2):
            raise ValueError(f"needs 0 ≤ low < high ≤ {RATE // 2} Hz, and less than all of it")
        return value

    @property
    def phrase(self) -> str:
        """What this direction does to speech in words; empty where it does nothing."""
        band = self.band_hz or (0.0, 0.0)
        effects = {
            f"gain {self.gain:g}": self.gain != 1,
            f"delay {self.delay_ms:g} ms": self.delay_ms > 0,
            f"noise at {self.noise_snr_db or 0.0:g} dB SNR": self.noise_snr_db is not None,
            f"{self.loss:.3g} of packets lost": self.loss > 0,
            f"band {band[0]:g}–{band[1]:g} Hz": self.band_hz is not None,
            f"clipped at {self.clip or 0.0:g}": self.clip is not None,
            f"echo {self.echo_gain:g} after {self.echo_ms:g} ms": self.echo_gain > 0,
        }
        return ", ".join(text for text, on in effects.items() if on)


class ChannelSpec(Frozen):
    """The line, per direction: `ab` carries what seat a said to seat b."""

    ab: Direction = Direction()
    ba: Direction = Direction()

    @property
    def phrase(self) -> str:
        """What the line does to speech in words, e.g. `clean` or `gain 0 both ways`."""
        if self.ab == self.ba:
            return f"{self.ab.phrase} both ways" if self.ab.phrase else "clean"
        named = (("a→b", self.ab.phrase), ("b→a", self.ba.phrase))
        return "; ".join(f"{name} {text}" for name, text in named if text)


class SeatSpec(Frozen):
    """Who sits in a seat and what they are told."""

    agent: AgentSpec
    role: Seat  # which seat of the scenario is played here
    role_id: str = ""
    kind: str = ""
    prompt: Prompt
    rendered: str  # the prompt exactly as this agent family receives it


class RunSpec(Frozen):
    """One conversation to record. Two equal RunSpecs are the same run; any difference is another run.

    Device, batch width, launcher, paths and retries are deliberately not part of it.
    """

    bridge_schema: int = BRIDGE_SCHEMA
    suite: str = DYAD
    pairing: Slug
    archetype: Archetype | Kind  # in a suite: the kind of stimulus, which is named where a scenario would be
    scenario: Slug
    scenario_version: int
    sealed: str = ""  # committed hash of a sealed scenario
    lang: str = "en"
    anchor: Seat | None = None  # the scored role of an asymmetric scenario, as a role letter
    symmetric: bool = True
    opener: Seat
    repetition: int = Field(ge=0)
    seed: int = Field(ge=0, le=MOST)
    ticks: int = Field(gt=0)
    lead_ticks: int = Field(default=LEAD_TICKS, ge=0)
    channel: ChannelSpec = ChannelSpec()
    a: SeatSpec
    b: SeatSpec
    take: int = Field(default=0, ge=0)  # how many recordings of this run were garbled before this one

    @model_serializer(mode="wrap")
    def _plain(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave the first take unsaid, so that it has one name whether or not it is ever recorded again."""
        plain: dict[str, Any] = dump(self)
        if self.take == 0:
            plain.pop("take", None)
        return plain

    @property
    def id(self) -> str:
        """Readable slug plus 48 bits of the hash of the whole spec."""
        swap = "ab" if self.a.role == "a" else "ba"
        slug = f"{self.pairing}__{self.scenario}__{swap}-{self.opener}-r{self.repetition:02d}-s{self.seed}"
        take = f"-take{self.take}" if self.take else ""
        return f"{slug}{take}-{digest(self.identity(), 6)}"

    def identity(self) -> dict[str, Any]:
        """Return everything that could change the recording, as plain data."""
        plain = self.model_dump(mode="json", by_alias=True)
        for seat in SEATS:
            plain[seat]["agent"] = self.seat(seat).agent.identity()
        return plain

    @property
    def task(self) -> str:
        """The task (`t0` … `t4`) of the run, or the suite's own name of the set of its stimulus."""
        return task_of(self.archetype) if self.suite == DYAD else self.scenario.partition(".")[0]

    @property
    def twin(self) -> str:
        """Which twin of its scenario was played; empty for the scenario itself."""
        return self.scenario.partition(".")[2] if self.suite == DYAD else ""

    def at_take(self, take: int) -> RunSpec:
        """Return another take of this run: the same conversation with other random numbers."""
        return self.model_copy(update={"take": take})

    def seat(self, seat: Seat) -> SeatSpec:
        """Return who sits in a seat."""
        return self.a if seat == "a" else self.b

    def seat_of_role(self, role: Seat) -> Seat:
        """Return the bridge seat in which a scenario role is played."""
        return "a" if self.a.role == role else "b"

    def stream_seed(self, purpose: Literal["voice", "noise"], seat: Seat) -> int:
        """Return the 63-bit seed of one random stream.

        Streams follow the *role*, not the bridge seat, so exchanging the two seats exchanges the two
        channels and nothing else; and they leave the agents out, so that pairings share random numbers. So do
        a suite's stimulus and its twin without the overlap: until that begins, the model behaves alike.
        """
        role, opener = self.seat(seat).role, self.seat(self.opener).role
        seed = f"{self.seed}.{self.take}" if self.take else f"{self.seed}"
        scenario = self.scenario if self.suite == DYAD else self.scenario.removesuffix(CLEAN)
        key = f"{seed}/{scenario}/{opener}/{self.repetition}/{purpose}/{role}"
        return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big") >> 1
