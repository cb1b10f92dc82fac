"""Choosing the scenarios of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dyad.errors import ConfigError, near
from dyad.spec.scenario import ARCHETYPES, Scenario

from .archetypes import info_of
from .load import Library


def select(
    library: Library,
    archetypes: Sequence[str] = ARCHETYPES,
    *,
    split: str | None = None,
    ids: Sequence[str] = (),
    limit: int | None = None,
    lang: str | None = None,
    twin: str | None = None,
) -> tuple[Scenario, ...]:
    """Return the scenarios of the archetypes, in the order of archetype and id; `limit` is per archetype.

    Without `archetypes`, of the nine that have roles; without `split`, of all but the held-out ones. `twin`
    chooses that twin of each scenario in its place. `ids` may name a scenario or a twin, of any split.

    Raises ConfigError for an unknown archetype, split, twin or id, and where nothing is left of an
    archetype; with `ids` given, only where nothing is left at all.
    """
    chosen_by = _Choice(split, frozenset(ids), lang, twin)
    _refuse_unknown("scenario", ids, library.scenarios)
    if split is not None:
        _refuse_unknown("split", [split], {scenario.split for scenario in library.scenarios.values()})
    if twin is not None:
        _refuse_unknown("twin", [twin], {s.twin for s in library.scenarios.values()} - {""})
    chosen: list[Scenario] = []
    for archetype in archetypes:
        info_of(archetype)
        found = [s for s in _sorted(library) if s.archetype == archetype and chosen_by.takes(s)]
        if not found and not ids:
            raise ConfigError(f"archetype '{archetype}' has no scenario{chosen_by.phrase}")
        chosen += found[:limit]
    if not chosen:
        raise ConfigError(f"no scenario of {', '.join(archetypes)} is among scenarios.ids{chosen_by.phrase}")
    return tuple(chosen)


def _sorted(library: Library) -> list[Scenario]:
    return sorted(library.scenarios.values(), key=lambda scenario: scenario.id)


@dataclass(frozen=True)
class _Choice:
    split: str | None
    ids: frozenset[str]
    lang: str | None
    twin: str | None

    def takes(self, scenario: Scenario) -> bool:
        base = scenario.id.partition(".")[0]
        return (
            (scenario.split == self.split if self.split else bool(self.ids) or scenario.split != "held_out")
            and (not self.ids or bool({base, scenario.id} & self.ids))
            and (self.lang is None or scenario.lang == self.lang)
            and (scenario.twin == (self.twin or "") or (self.twin is None and scenario.id in self.ids))
        )

    @property
    def phrase(self) -> str:
        """The filters in words, and what to do."""
        asked = (("split", self.split), ("language", self.lang), ("twin", self.twin))
        named = [f"{name} '{value}'" for name, value in asked if value is not None]
        return f" with {' and '.join(named)}; choose another or add a file" if named else "; add a file"


def _refuse_unknown(what: str, asked: Sequence[str], known: Iterable[str]) -> None:
    names = set(known)
    for name in asked:
        if name not in names:
            raise ConfigError(f"unknown {what} '{name}'{near(name, names)}")
