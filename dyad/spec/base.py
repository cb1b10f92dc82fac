"""What every stored record shares: frozen, closed to unknown fields, with one canonical form."""

from __future__ import annotations

import hashlib
import json
import re
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, PlainValidator

Seat = Literal["a", "b"]
SEATS: tuple[Seat, Seat] = ("a", "b")

RATE = 24_000  # samples per second of every recording
TICK = 1_920  # samples per tick
TICK_S = 0.08  # seconds per tick


class Frozen(BaseModel):
    """Immutable record; an unknown field is an error, and so is a number that JSON cannot write."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _slug(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}", value):
        raise ValueError(f"'{value}' must be 1 to 100 letters, digits, '_', '-', '+' or '.'")
    return value


# A name that becomes part of a file name or the key of a table: no path can escape the store through it.
Slug: TypeAlias = Annotated[str, AfterValidator(_slug)]


def _exact(ms: Any) -> Fraction:
    try:
        return Fraction(ms)
    except (TypeError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{ms!r} is no time in ms") from None


def _plain(ms: Fraction) -> int | str:
    return int(ms) if ms.denominator == 1 else str(ms)


# A time in milliseconds, exactly: 3,200 samples at 24 kHz are 400/3. Whole ones are stored as numbers.
Ms: TypeAlias = Annotated[Fraction, PlainValidator(_exact), PlainSerializer(_plain)]


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
