"""Two studies of a suite side by side: the same stimuli played to the same agents, paired by stimulus."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dyad.cli.output import wide_console
from dyad.cli.suite_tables import print_sheet
from dyad.errors import ConfigError
from dyad.pipeline import Study
from dyad.report.suite.sheet import differences, is_authors
from dyad.suites.summary import summary
from dyad.tables import Draws, Row

if TYPE_CHECKING:
    import pandas as pd

A, B = "A", "B"  # in the order of the alphabet, in which agents are subtracted
PLAYED = ("lead_s", "tail_s", "prompt", "transcripts", "flags")
TURNED = {"value": "value", "low": "high", "high": "low"}


class Played(NamedTuple):
    """A study of a suite, with the rows of its trials by the judge that it shows."""

    study: Study
    frame: pd.DataFrame

    @property
    def agents(self) -> list[str]:
        """The names of what was tested."""
        return sorted(set(self.frame["agent"]))

    @property
    def sounds(self) -> dict[str, str]:
        """A digest of what was played, by stimulus: another folder may have the same names."""
        return {spec.scenario: spec.b.agent.assets["voice"] for spec in self.study.specs.values()}


def compare_suites(first: Played, second: Played, draws: Draws, as_json: bool) -> int:
    """Print what differs between two studies of a suite, second less first.

    Raises ConfigError where they share no agent, or no stimulus: its sound counts, not its name alone.
    """
    agents = sorted(set(first.agents) & set(second.agents))
    if not agents:
        ours, theirs = (", ".join(one.agents) or "none" for one in (first, second))
        raise ConfigError(
            f"'{first.study.name}' and '{second.study.name}' have no agent in common: {ours}; {theirs}; say "
            "who is who with rename=NAME_IN_B:NAME_IN_A"
        )
    sounds = second.sounds
    shared = {name for name, sound in first.sounds.items() if sounds.get(name) == sound}
    rows = [row for agent in agents for row in _differences(first, second, agent, shared, draws)]
    if all(row["value"] is None for row in rows):
        raise ConfigError(
            f"'{first.study.name}' and '{second.study.name}' have no number of the same stimulus; compare "
            "studies that played the same data, and whose trials are scored"
        )
    notes = list(_notes(first, second, shared))
    if as_json:
        sides = {"first": _about(first.study), "second": _about(second.study)}
        print(json.dumps(sides | {"notes": notes, "rows": rows}, ensure_ascii=False))
    else:
        _print(first, second, notes, rows)
    return 0


def _differences(first: Played, second: Played, agent: str, shared: set[str], draws: Draws) -> Iterator[Row]:
    """Yield the differences of one agent, B less A."""
    import pandas as pd

    frames = [
        one.frame[one.frame["agent"] == agent].assign(agent=name) for name, one in ((A, first), (B, second))
    ]
    both = pd.concat(frames)
    both = both[both["scenario"].isin(shared)]
    assert first.study.suite is not None
    for row in summary(both, {}, first.study.suite.measures, draws):
        if row["table"] == "suite_difference":
            ends = {new: None if row[old] is None else -row[old] for new, old in TURNED.items()}
            yield row | ends | {"agent": f"{agent}: {B}", "partner": A}


def _notes(first: Played, second: Played, shared: set[str]) -> Iterator[str]:
    """What a reader of the differences must know, each in one line."""
    one, other = first.study, second.study
    if one.store.root.resolve() == other.store.root.resolve():
        if one.name == other.name:
            yield "both are the same study: every difference is 0"
        elif same := set(one.ids) & set(other.ids):
            yield f"{len(same)} recordings are in both studies"
    for what, ours, theirs in _settings(first, second):
        if ours != theirs:
            yield f"{what} differs, and differences may be its own: {ours}; {theirs}"
    if left := len(first.sounds.keys() | second.sounds.keys()) - len(shared):
        yield f"{left} stimuli are in one study only, or have another sound in each, and are left out"
    if lone := sorted(set(first.agents) ^ set(second.agents)):
        yield f"in one study only, and left out: {', '.join(lone)}"


def _settings(first: Played, second: Played) -> Iterator[tuple[str, str, str]]:
    """Yield what both were played and scored with, in words."""
    one, other = first.study.config, second.study.config
    yield "judge", one.judge, other.judge
    yield "ASR", one.asr.name, other.asr.name
    yield "line", one.channel.phrase, other.channel.phrase
    assert one.suite is not None
    assert other.suite is not None
    for key in PLAYED:
        yield f"suite.{key}", str(getattr(one.suite, key)), str(getattr(other.suite, key))


def _about(study: Study) -> Row:
    return {"study": study.name, "store": str(study.store.root), "judge": study.config.judge}


def _print(first: Played, second: Played, notes: Sequence[str], rows: Sequence[Row]) -> None:
    console = wide_console()
    for name, one in ((A, first), (B, second)):
        console.print(f"{name}  {one.study.name} ({len(one.study.ids)} runs, {one.study.store.root})")
    for note in notes:
        console.print(note)
    for mode in sorted({row["term"] for row in rows}):
        print_sheet(console, differences([row for row in rows if is_authors(row)], mode))
