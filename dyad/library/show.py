"""Scenarios for people: a table of them all, and everything about one."""

from __future__ import annotations

from collections.abc import Iterator

from dyad.errors import ConfigError, near
from dyad.spec.base import SEATS
from dyad.spec.scenario import Cue, Role, Scenario

from .archetypes import INFO
from .load import Library
from .sheet import prompt, role_of

COLUMNS = ("id", "archetype", "name", "split", "lang", "domain", "channel", "register", "stakes")
_TAGS = ("domain", "channel", "register", "stakes")


def rows(library: Library) -> list[dict[str, str]]:
    """Return one row per scenario, by archetype and id, with the columns `COLUMNS`."""
    return [_row(library.scenarios[id]) for id in sorted(library.scenarios)]


def show(library: Library, id: str) -> str:
    """Return a text with the setting, what each seat is told and scored on, and what a judge is asked.

    Holds the truth: for the people who run a study, never for agents. Raises ConfigError for an unknown id.
    """
    if id not in library.scenarios:
        raise ConfigError(f"unknown scenario '{id}'{near(id, library.scenarios)}")
    return "\n".join(_lines(library, library.scenarios[id]))


def _row(scenario: Scenario) -> dict[str, str]:
    tags = {tag: scenario.tags.get(tag, "") for tag in _TAGS}
    own = {"id": scenario.id, "archetype": scenario.archetype, "name": INFO[scenario.archetype].name}
    return own | {"split": scenario.split, "lang": scenario.lang} | tags


def _lines(library: Library, scenario: Scenario) -> Iterator[str]:
    info = INFO[scenario.archetype]
    yield f"{scenario.id} (version {scenario.version}): {info.name}, {info.task}, split {scenario.split}"
    yield str(library.path(scenario.id))
    if scenario.free:
        yield "\nnobody is told anything, nothing is judged; measured is how turns are taken"
        return
    yield f"\nsetting: {scenario.setting}"
    for seat in SEATS:
        role = role_of(library, scenario, seat)
        told = prompt(library, scenario, seat, opens=False).text.split("\n\n", 1)[1]
        yield f"\nseat {seat}: {role.name}, {role.kind}{' (scored)' if scenario.anchor == seat else ''}"
        yield f"  told: {told}"
        yield from _scoring(role)
    yield f"\ntruth: {scenario.truth or 'none; the roles hold what is scored'}"
    yield f"judge: {', '.join(scenario.judge) or 'not asked; counted from audio and words'}"
    yield f"score: {info.measure} ({_scored(scenario)}); columns are the {info.column}"


def _scoring(role: Role) -> Iterator[str]:
    for field in ("duties", "steps", "points", "reasons"):
        cues: tuple[Cue, ...] = getattr(role, field)
        for cue in cues:
            yield f"  {field}.{cue.id}: {cue.text}  [{' | '.join(cue.any)}]"
    for field in ("topic", "pretext", "demand", "busy_with", "cost"):
        if text := getattr(role, field):
            yield f"  {field}: {text}"
    for field in ("episodes", "escalation"):
        for number, text in enumerate(getattr(role, field), 1):
            yield f"  {field}.{number}: {text}"


def _scored(scenario: Scenario) -> str:
    if scenario.anchor:
        return f"of seat {scenario.anchor}"
    return "of the pair" if scenario.archetype == "t2" else "of each seat"
