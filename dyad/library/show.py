"""Scenarios for people: a table of them, and everything about one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields

from dyad.errors import ConfigError, near
from dyad.spec.base import SEATS, Seat
from dyad.spec.scenario import Cue, Prompt, Role, Scenario

from .archetypes import INFO, info_of
from .load import Library
from .sheet import prompt, role_of

COLUMNS = ("id", "archetype", "name", "split", "lang", "domain", "channel", "register", "stakes", "twins")
_TAGS = ("domain", "channel", "register", "stakes")


@dataclass(frozen=True)
class Filter:
    """Which scenarios a table shows; an empty field lets all through, but `twin`: none of them."""

    archetype: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    lang: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    twin: tuple[str, ...] = ()

    def takes(self, scenario: Scenario) -> bool:
        """Whether a scenario passes every field; an archetype may be named by its task, too."""
        return (
            (not self.archetype or bool({scenario.archetype, scenario.task} & {*self.archetype}))
            and (not self.split or scenario.split in self.split)
            and (not self.lang or scenario.lang in self.lang)
            and {*self.tag} <= {*scenario.tags.values()}
            and (scenario.twin in self.twin if self.twin else not scenario.twin)
        )


def rows(library: Library, chosen: Filter = Filter()) -> list[dict[str, str]]:
    """Return one row per scenario that passes, by archetype and id, with the columns `COLUMNS`.

    Raises ConfigError, with the near name, for a value that no scenario has.
    """
    _refuse_unknown(library, chosen)
    found = [library.scenarios[id] for id in sorted(library.scenarios)]
    return [_row(library, scenario) for scenario in found if chosen.takes(scenario)]


def show(
    library: Library, id: str, rendered: Mapping[Seat, Mapping[str, str]], asked: Collection[str]
) -> str:
    """Return a text with what each seat is told and scored on, the truth, and what a judge is asked.

    `rendered` holds, by seat, the prompt as the agent families named in the key receive it; `asked` the
    questions. Holds the truth: for the people who run a study, never for agents.
    """
    return "\n".join(_lines(library, find(library, id), rendered, asked))


def find(library: Library, id: str) -> Scenario:
    """Return the scenario or twin of an id; raise ConfigError, with the near name, for an unknown one."""
    if id not in library.scenarios:
        raise ConfigError(f"unknown scenario '{id}'{near(id, library.scenarios)}")
    return library.scenarios[id]


def twins_named(library: Library, scenario: Scenario) -> list[str]:
    """Return the names of a scenario's twins."""
    start = f"{scenario.id}."
    return sorted(id.removeprefix(start) for id in library.scenarios if id.startswith(start))


def prompts(library: Library, scenario: Scenario) -> dict[Seat, Prompt]:
    """Return what each seat is opened with when seat a opens."""
    return {seat: prompt(library, scenario, seat, opens=seat == "a") for seat in SEATS}


def _refuse_unknown(library: Library, chosen: Filter) -> None:
    known = library.scenarios.values()
    values: dict[str, set[str]] = {
        "split": {str(s.split) for s in known},
        "lang": {s.lang for s in known},
        "tag": {value for s in known for value in s.tags.values()},
        "twin": {s.twin for s in known} - {""},
        "archetype": {name for s in known for name in (str(s.archetype), s.task)},
    }
    for field in fields(chosen):
        for value in getattr(chosen, field.name):
            if value not in values[field.name]:
                raise ConfigError(f"no scenario with {field.name} '{value}'{near(value, values[field.name])}")


def _row(library: Library, scenario: Scenario) -> dict[str, str]:
    own = {"id": scenario.id, "archetype": scenario.archetype, "name": info_of(scenario.archetype).name}
    tags = {tag: scenario.tags.get(tag, "") for tag in _TAGS}
    twins = {"twins": " ".join(twins_named(library, scenario))}
    return own | {"split": scenario.split, "lang": scenario.lang} | tags | twins


def _lines(
    library: Library,
    scenario: Scenario,
    rendered: Mapping[Seat, Mapping[str, str]],
    asked: Collection[str],
) -> Iterator[str]:
    info = INFO[scenario.archetype]
    yield f"{scenario.id} (version {scenario.version}): {info.name}, {info.task}, split {scenario.split}"
    yield str(library.path(scenario.id))
    if scenario.free:
        yield "\nnobody is told anything, nothing is judged; measured is how turns are taken"
        return
    yield f"twins: {', '.join(twins_named(library, scenario)) or 'none'}"
    for seat in SEATS:
        role = role_of(library, scenario, seat)
        scored = " (scored)" if scenario.anchor == seat else ""
        yield f"\nseat {seat}{' (opens)' if seat == 'a' else ''}: {role.name}, {role.kind}{scored}"
        for families, text in rendered[seat].items():
            yield f"  told as {families}:"
            yield from (f"    {line}" for line in text.splitlines())
        yield from _scoring(role)
    yield f"\ntruth: {scenario.truth or 'none; the roles hold what is scored'}"
    yield "judge:" if asked else "judge: not asked; counted from audio and words"
    yield from (f"  {line}" for question in asked for line in question.splitlines())
    yield f"score: {info.measure} ({_scored(scenario)}); columns are the {info.column}"


def _scoring(role: Role) -> Iterator[str]:
    lines = list(_never_told(role))
    if lines:
        yield "  never told, for scoring and for speakers by rule:"
        yield from lines


def _never_told(role: Role) -> Iterator[str]:
    for item in role.private:
        about = f" {', '.join(item.target)}" if item.target else ""
        yield f"    private.{item.id}: {item.kind}{about}  [{' | '.join(item.any)}]"
    for field in ("duties", "steps", "points", "reasons"):
        cues: tuple[Cue, ...] = getattr(role, field)
        for cue in cues:
            yield f"    {field}.{cue.id}: {cue.text}  [{' | '.join(cue.any)}]"
    for field in ("topic", "pretext", "demand", "busy_with", "cost"):
        if text := getattr(role, field):
            yield f"    {field}: {text}"
    for field in ("episodes", "escalation"):
        for number, text in enumerate(getattr(role, field), 1):
            yield f"    {field}.{number}: {text}"


def _scored(scenario: Scenario) -> str:
    if scenario.anchor:
        return f"of seat {scenario.anchor}"
    return "of the pair" if scenario.archetype == "t2" else "of each seat"
