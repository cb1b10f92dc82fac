"""Free conversation and the nine archetypes of DyaFDB (arXiv 2610.08125, section 2): who sits where, who is
scored, by what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dyad.errors import ConfigError, near
from dyad.spec.base import Seat
from dyad.spec.scenario import Archetype, Kind, task_of


@dataclass(frozen=True)
class ArchetypeInfo:
    """One archetype: its seats, the scored seat and how its matrix is read.

    `kinds` are the roles of seat a and seat b. `anchor` is the scored seat, None where each seat (or the
    pair) is scored. `measure` is the score of the row model, `column` what a column of the matrix stands
    for, `better` +1 or -1 where more or less of the measure is better, and 0 where it is a disposition.
    `judge` lists the questions that a judge is asked. A free conversation has no roles and no score: its
    `kinds`, `measure`, `column` and `judge` are empty.
    """

    id: Archetype
    name: str
    kinds: tuple[Kind, ...]
    symmetric: bool
    anchor: Seat | None
    measure: str
    column: str
    better: int
    judge: tuple[str, ...]

    @property
    def task(self) -> str:
        """The task (`t0` … `t4`) that the archetype belongs to."""
        return task_of(self.id)

    @property
    def free(self) -> bool:
        """Whether its conversations are free: no roles."""
        return not self.kinds

    def kind(self, seat: Seat) -> Kind:
        """Return the kind of role that a seat plays; a free conversation has none."""
        return self.kinds[0 if seat == "a" else 1]


_ROWS = (
    ArchetypeInfo(
        id="t0",
        name="free conversation",
        kinds=(),
        symmetric=True,
        anchor=None,
        measure="",
        column="",
        better=0,
        judge=(),
    ),
    ArchetypeInfo(
        id="t1_1",
        name="engaging partner",
        kinds=("engaged", "engaged"),
        symmetric=True,
        anchor=None,
        measure="adherence",
        column="partner",
        better=1,
        judge=("t1.adherence", "t1.timing"),
    ),
    ArchetypeInfo(
        id="t1_2",
        name="digressing partner",
        kinds=("holder", "digresser"),
        symmetric=False,
        anchor="a",
        measure="adherence",
        column="digresser",
        better=1,
        judge=("t1.adherence", "t1.timing"),
    ),
    ArchetypeInfo(
        id="t2",
        name="information pooling",
        kinds=("pooler", "pooler"),
        symmetric=True,
        anchor=None,
        measure="solved",
        column="teammate",
        better=1,
        judge=("t2.choice", "t2.disclosed"),
    ),
    ArchetypeInfo(
        id="t3_1",
        name="competing partner",
        kinds=("competitor", "competitor"),
        symmetric=True,
        anchor=None,
        measure="occupancy",
        column="rival",
        better=0,
        judge=("t3.points",),
    ),
    ArchetypeInfo(
        id="t3_2",
        name="avoiding partner",
        kinds=("presser", "avoider"),
        symmetric=False,
        anchor="a",
        measure="occupancy",
        column="avoider",
        better=0,
        judge=("t3.asked", "t3.granted"),
    ),
    ArchetypeInfo(
        id="t4_1",
        name="preference",
        kinds=("advocate", "advocate"),
        symmetric=True,
        anchor=None,
        measure="won",
        column="rival",
        better=0,
        judge=("t4.landed",),
    ),
    ArchetypeInfo(
        id="t4_2",
        name="attack",
        kinds=("attacker", "defender"),
        symmetric=False,
        anchor="a",
        measure="leak",
        column="defender",
        better=0,
        judge=("t4.asked", "t4.leak"),
    ),
    ArchetypeInfo(
        id="t4_3",
        name="claim",
        kinds=("claimant", "payer"),
        symmetric=False,
        anchor="a",
        measure="won_if_decided",
        column="payer",
        better=0,
        judge=("t4.landed",),
    ),
    ArchetypeInfo(
        id="t4_4",
        name="negotiation",
        kinds=("seller", "buyer"),
        symmetric=False,
        anchor="a",
        measure="gap_share",
        column="buyer",
        better=0,
        judge=("t4.price",),
    ),
)

INFO: Mapping[Archetype, ArchetypeInfo] = {row.id: row for row in _ROWS}

# What a role of each kind must hold, so that it can be played from fields and scored without a model.
NEEDS: Mapping[Kind, tuple[str, ...]] = {
    "engaged": ("duties",),
    "holder": ("steps",),
    "digresser": ("topic", "episodes"),
    "pooler": ("private",),
    "competitor": ("points",),
    "presser": ("demand", "duties", "reasons"),
    "avoider": ("busy_with", "reasons"),
    "advocate": ("reasons",),
    "attacker": ("demand", "duties", "pretext", "escalation"),
    "defender": ("private", "reasons"),
    "claimant": ("reasons", "cost"),
    "payer": ("reasons", "cost"),
    "seller": ("private", "reasons"),
    "buyer": ("private", "reasons"),
    "listener": (),
}


def info_of(archetype: str) -> ArchetypeInfo:
    """Return the table row of an archetype.

    Raises ConfigError, with the near name, for an unknown archetype.
    """
    for known, info in INFO.items():
        if known == archetype:
            return info
    raise ConfigError(f"unknown archetype '{archetype}'{near(archetype, INFO)}")
