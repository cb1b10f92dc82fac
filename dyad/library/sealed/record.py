"""From what a grammar made to a scenario and its two roles, with what every sealed file carries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dyad.library.archetypes import INFO
from dyad.library.seal import Sealed
from dyad.spec.base import SEATS, Seat
from dyad.spec.scenario import Archetype, Role, Scenario

from .draw import digest

GENERATOR = 1  # raised when the same seed would give other bytes
AUTHOR, DATE, LICENCE = f"dyad generator {GENERATOR}", "2026-11-30", "CC0-1.0"


@dataclass(frozen=True)
class Made:
    """One scenario as its grammar makes it.

    `scenario` and `roles` hold the fields that differ between scenarios. `facts` are the private facts of
    both seats, without the names drawn for them: no two scenarios of a set may hold the same.
    """

    scenario: Mapping[str, Any]
    roles: Mapping[Seat, Mapping[str, Any]]
    facts: frozenset[tuple[Seat, str]]

    @property
    def told(self) -> tuple[str, ...]:
        """What no two scenarios of a set may share: the setting and both briefs."""
        return (self.scenario["setting"], *(self.roles[seat]["brief"] for seat in SEATS))


def facts_of(texts: Mapping[Seat, Iterable[str]]) -> frozenset[tuple[Seat, str]]:
    """Return the facts of seats a and b as one set."""
    return frozenset((seat, text) for seat in SEATS for text in texts[seat])


def sealed(made: Made, archetype: Archetype, seed: str, index: int, canary: str) -> Sealed:
    """Return a made scenario with its roles as records; ids and salt follow from seed and index."""
    info, id = INFO[archetype], f"{archetype}_s{digest(seed, archetype, index, 'id')[:12]}"
    roles = {
        seat: Role.model_validate({"id": f"{id}_{fields['name'].lower()}", "kind": info.kind(seat), **fields})
        for seat, fields in made.roles.items()
    }
    provenance = {
        "author": AUTHOR,
        "date": DATE,
        "licence": LICENCE,
        "canary": canary,
        "salt": digest(seed, archetype, index, "salt")[:32],
    }
    scenario = Scenario.model_validate(
        {
            "id": id,
            "archetype": archetype,
            "version": 1,
            "lang": "en",
            "split": "sealed",
            "seats": {seat: {"role": role.id} for seat, role in roles.items()},
            "symmetric": info.symmetric,
            "anchor": info.anchor,
            "judge": info.judge,
            "provenance": provenance,
            **made.scenario,
        }
    )
    return scenario, (roles["a"], roles["b"])
