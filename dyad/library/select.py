"""Choosing the scenarios of a study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
) -> tuple[Scenario, ...]:
    """Return the scenarios of the archetypes, in the order of archetype and id; `limit` is per archetype.

    Without `archetypes`, of the nine that have roles.

    Raises ConfigError for an unknown archetype, split or id, and where nothing is left of an archetype;
    with `ids` given, only where nothing is left at all.
    """
    _refuse_unknown("scenario", ids, library.scenarios)
    if split is not None:
        _refuse_unknown("split", [split], {scenario.split for scenario in library.scenarios.values()})
    chosen: list[Scenario] = []
    for archetype in archetypes:
        info_of(archetype)
        found = [s for s in _sorted(library) if s.archetype == archetype and _fits(s, split, ids, lang)]
        if not found and not ids:
            raise ConfigError(f"archetype '{archetype}' has no scenario{_filters(split, lang)}")
        chosen += found[:limit]
    if not chosen:
        raise ConfigError(
            f"no scenario of {', '.join(archetypes)} is among scenarios.ids{_filters(split, lang)}"
        )
    return tuple(chosen)


def _sorted(library: Library) -> list[Scenario]:
    return sorted(library.scenarios.values(), key=lambda scenario: scenario.id)


def _fits(scenario: Scenario, split: str | None, ids: Sequence[str], lang: str | None) -> bool:
    return (
        (split is None or scenario.split == split)
        and (not ids or scenario.id in ids)
        and (lang is None or scenario.lang == lang)
    )


def _filters(split: str | None, lang: str | None) -> str:
    named = [f"{name} '{value}'" for name, value in (("split", split), ("lang", lang)) if value is not None]
    return f" with {' and '.join(named)}; choose another or add a file" if named else "; add a file"


def _refuse_unknown(what: str, asked: Sequence[str], known: Iterable[str]) -> None:
    names = set(known)
    for name in asked:
        if name not in names:
            raise ConfigError(f"unknown {what} '{name}'{near(name, names)}")
