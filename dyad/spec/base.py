"""What every stored record shares: frozen, closed to unknown fields, with one canonical form."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Seat = Literal["a", "b"]
SEATS: tuple[Seat, Seat] = ("a", "b")

RATE = 24_000  # samples per second of every recording
TICK = 1_920  # samples per tick
TICK_S = 0.08  # seconds per tick


class Frozen(BaseModel):
    """Immutable record; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def other(seat: Seat) -> Seat:
    """Return the seat at the other end of the bridge."""
    return "b" if seat == "a" else "a"


def canonical_json(value: Any) -> str:
    """Serialise to the one JSON text that hashes are taken of: sorted keys, no spaces, no NaN."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", by_alias=True)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any, size: int = 8) -> str:
    """Return `2·size` hexadecimal digits of BLAKE2b over the canonical JSON of a value."""
    return hashlib.blake2b(canonical_json(value).encode(), digest_size=size).hexdigest()
