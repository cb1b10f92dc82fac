"""Scenarios and roles: what two agents share, what each is told, and what the scorer knows.

Three views of the same facts are kept apart on purpose:
`Scenario` and `Role` are files, with the truth and the scoring fields;
`Sheet` is what one seat may know, structured, for agents that act on fields instead of prose;
`Prompt` is the sheet plus the plain text that a model is given.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .base import Frozen, Seat

Archetype = Literal["t0", "t1_1", "t1_2", "t2", "t3_1", "t3_2", "t4_1", "t4_2", "t4_3", "t4_4"]
# The nine with roles: what a selection takes by default. Free conversation (t0) is asked for by name.
ARCHETYPES: tuple[Archetype, ...] = ("t1_1", "t1_2", "t2", "t3_1", "t3_2", "t4_1", "t4_2", "t4_3", "t4_4")
Task = Literal["t0", "t1", "t2", "t3", "t4"]
Kind = Literal[
    "engaged",
    "holder",
    "digresser",
    "pooler",
    "competitor",
    "presser",
    "avoider",
    "advocate",
    "attacker",
    "defender",
    "claimant",
    "payer",
    "seller",
    "buyer",
    "listener",  # the silent control of T1-2
]
ItemKind = Literal["eliminate", "lure", "decoy", "keep", "secret", "fact", "limit", "open", "passphrase"]


def task_of(archetype: str) -> str:
    """Return the task (`t0` … `t4`) that an archetype belongs to."""
    return archetype.split("_")[0]


class Cue(Frozen):
    """Something observable in speech: met by a line that holds any of the phrases."""

    id: str
    text: str  # what the seat does or says, for judges and for rule-based speakers
    any: tuple[str, ...] = Field(min_length=1)  # phrases; words are matched whole, on their stems


class Item(Frozen):
    """One private statement of a role. `target` names the candidates or the thing it is about."""

    id: str
    text: str
    kind: ItemKind
    target: tuple[str, ...] = ()
    value: int | None = None  # prices
    any: tuple[str, ...] = ()  # phrases that count as voicing it (beside the target's name)


class Role(Frozen):
    """One private role file (`roles/<archetype>/<slug>/<name>.yaml`)."""

    id: str
    name: str
    kind: Kind
    brief: str
    private: tuple[Item, ...] = ()
    closing: str = ""
    # scoring and acting fields, never part of the text that a model is given
    duties: tuple[Cue, ...] = ()
    steps: tuple[Cue, ...] = ()
    points: tuple[Cue, ...] = ()
    reasons: tuple[Cue, ...] = ()
    episodes: tuple[str, ...] = ()
    topic: str = ""
    pretext: str = ""
    escalation: tuple[str, ...] = ()
    demand: str = ""  # verb phrase of at most five words
    busy_with: str = ""
    cost: str = ""  # what no agreement costs this seat (T4-3)
    grants_at: int = Field(default=0, ge=0)  # which ask an avoider grants; 0: none
    forbidden: tuple[str, ...] = ()


class SeatRef(Frozen):
    """Which role file a scenario seat uses."""

    role: str


class Scenario(Frozen):
    """One shared situation file (`scenarios/<archetype>/<slug>.yaml`)."""

    id: str
    archetype: Archetype
    form: Literal["E", "L", "X"] | None = None
    version: int = Field(ge=1)
    lang: str = "en"
    split: Literal["dev", "test", "held_out", "sealed"] = "test"
    setting: str
    seats: dict[Seat, SeatRef]
    symmetric: bool
    anchor: Seat | None = None
    truth: dict[str, Any] = Field(default_factory=dict)
    judge: tuple[str, ...]
    twins: dict[str, dict[Seat, str]] = Field(default_factory=dict)  # twin → the roles that it replaces
    asr: dict[str, Any] = Field(default_factory=dict)
    tags: dict[str, str] = Field(default_factory=dict)
    provenance: dict[str, str]

    @property
    def task(self) -> str:
        """The task (`t0` … `t4`) of the scenario's archetype."""
        return task_of(self.archetype)

    @property
    def twin(self) -> str:
        """Which twin of its scenario this is; empty for the scenario itself."""
        return self.id.partition(".")[2]

    @property
    def free(self) -> bool:
        """Whether this is a free conversation: no roles, so nothing to tell and nothing to judge."""
        return not self.seats


class Sheet(Frozen):
    """What one seat knows, as fields. Holds nothing that the seat's text does not say or imply."""

    archetype: Archetype
    kind: Kind
    name: str
    setting: str
    opens: bool
    candidates: tuple[str, ...] = ()  # T2: the five names in the order of the setting
    options: tuple[str, ...] = ()  # T4-1, T4-3: the two named outcomes, own one first
    private: tuple[Item, ...] = ()
    points: tuple[Cue, ...] = ()
    reasons: tuple[Cue, ...] = ()
    duties: tuple[Cue, ...] = ()
    steps: tuple[Cue, ...] = ()
    episodes: tuple[str, ...] = ()
    topic: str = ""
    pretext: str = ""
    escalation: tuple[str, ...] = ()
    demand: str = ""
    busy_with: str = ""
    cost: str = ""
    secret: str = ""  # defender only
    open_price: int | None = None  # own opening (T4-4)
    limit_price: int | None = None  # own limit (T4-4)
    unit: str = ""
    tactic: str = ""  # T3-1: how to take the floor
    grants_at: int = 0  # avoider: which ask it grants; 0: none
    lang: str = "en"


class Prompt(Frozen):
    """What an agent is opened with: the plain text for models, the sheet for rule-based speakers."""

    text: str
    sheet: Sheet | None = None
