"""The vocabulary of dyad as frozen records (layer 0)."""

from .base import RATE, SEATS, TICK, TICK_S, Frozen, Seat, Slug, canonical_json, digest, other
from .record import Evidence, Health, Label, Manifest, Piece, SeatReport, Segment, Word
from .run import (
    BRIDGE_SCHEMA,
    LEAD_S,
    AgentSpec,
    ChannelSpec,
    Direction,
    RunSpec,
    SeatSpec,
    ticks_at_least,
    ticks_at_most,
)
from .scenario import (
    ARCHETYPES,
    Archetype,
    Cue,
    Item,
    Prompt,
    Role,
    Scenario,
    SeatRef,
    Sheet,
    task_of,
)

__all__ = [
    "ARCHETYPES", "BRIDGE_SCHEMA", "LEAD_S", "RATE", "SEATS", "TICK", "TICK_S",
    "AgentSpec", "Archetype", "ChannelSpec", "Cue", "Direction", "Evidence", "Frozen", "Health", "Item",
    "Label", "Manifest", "Piece", "Prompt", "Role", "RunSpec", "Scenario", "Seat", "SeatRef", "SeatReport",
    "SeatSpec", "Segment", "Sheet", "Slug", "Word", "canonical_json", "digest", "other", "task_of",
    "ticks_at_least", "ticks_at_most",
]  # fmt: skip
