"""The verb `compare`: two stored studies side by side, paired by scenario."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dyad.cli.args import Args
from dyad.cli.compare_suites import Played, compare_suites
from dyad.cli.output import grid, wide_console
from dyad.cli.verbs import stored
from dyad.errors import ConfigError, near
from dyad.pipeline import Study, read_table
from dyad.tables import Draws, Row, of_judge
from dyad.tables.compare import compare as differences
from dyad.tables.frame import CONDITIONS
from dyad.tables.sheets import UNITS
from dyad.tables.words import interval, number, probability, unit_words

if TYPE_CHECKING:
    import pandas as pd

USAGE = "STUDY_A STUDY_B [store=DIR] [store_b=DIR] [rename=NAME_IN_B:NAME_IN_A,…]"
KEYS = {
    "store": "the folder of both studies",
    "store_b": "the folder of STUDY_B, where that is another one",
    "rename": "agents of STUDY_B that are called otherwise in STUDY_A: NAME_IN_B:NAME_IN_A,…",
}
DRAWS = Draws(0, 10_000)
HEADS = (
    "score", "agent", "partner", "A", "B", "B − A", "95 %", "floor", "p", "p (Holm)", "MDE", "scenarios",
    "note",
)  # fmt: skip


@dataclass(frozen=True)
class Side:
    """One of the two studies, with the rows behind its tables."""

    study: Study
    frame: pd.DataFrame

    @property
    def agents(self) -> list[str]:
        """The names of its agents."""
        return sorted(set(self.frame["agent"]) | set(self.frame["partner"]))


def compare(args: Args) -> int:
    """Print what differs between two stored studies, second less first, and what may be told apart."""
    own, rest = args.parted(KEYS)
    if len(args.words) != 2 or any(o.startswith("study=") for o in args.overrides):
        raise ConfigError(f"name two stored studies: python -m dyad compare {USAGE}")
    first = _side(rest, args.words[0], own.get("store"))
    second = _side(rest, args.words[1], own.get("store_b", own.get("store")))
    _check_alike(first.study, second.study)
    second = _renamed(second, own.get("rename", ""))
    if first.study.suite is not None:
        played = Played(first.study, first.frame), Played(second.study, second.frame)
        return compare_suites(*played, DRAWS, args.json)
    rows = differences(first.frame, second.frame, DRAWS)
    if not rows:
        raise ConfigError(_nothing(first, second))
    notes = list(_notes(first, second))
    if args.json:
        sides = {name: _about(side.study) for name, side in (("first", first), ("second", second))}
        print(json.dumps(sides | {"notes": notes, "rows": rows}, ensure_ascii=False))
    else:
        _print(first.study, second.study, notes, rows)
    return 0


def _side(args: Args, name: str, store: str | None) -> Side:
    """Open a study with its own settings and those that the command gives both."""
    place = [] if store is None else [f"store={store}"]
    study = stored(replace(args, words=(), overrides=(f"study={name}", *place, *args.overrides)))
    return Side(study, of_judge(read_table(study), study.config.judge))


def _check_alike(first: Study, second: Study) -> None:
    if (first.suite is None) != (second.suite is None):
        suite, talks = (second, first) if first.suite is None else (first, second)
        raise ConfigError(
            f"'{suite.name}' is of a suite, '{talks.name}' of conversations; compare two of one kind"
        )
    modes = first.config.mode, second.config.mode
    if modes[0] != modes[1]:
        raise ConfigError(
            f"'{first.name}' is measured in mode {modes[0]}, '{second.name}' in mode {modes[1]}; run: "
            f"python -m dyad measure study={second.name} mode={modes[0]}, then compare with mode={modes[0]}"
        )


def _renamed(side: Side, text: str) -> Side:
    """Give agents of the second study the names that they have in the first."""
    names: dict[str, str] = {}
    for part in filter(None, text.strip("[]").split(",")):
        new, colon, old = map(str.strip, part.partition(":"))
        if not colon or not new or not old:
            raise ConfigError(f"rename = '{part}': write NAME_IN_B:NAME_IN_A")
        if new not in side.agents:
            raise ConfigError(f"rename: no agent '{new}' in '{side.study.name}'{near(new, side.agents)}")
        names[new] = old
    if len({names.get(name, name) for name in side.agents}) < len(side.agents):
        raise ConfigError(f"rename = '{text}': two agents of '{side.study.name}' would have one name")
    seats = {seat: side.frame[seat].map(lambda name: names.get(name, name)) for seat in ("agent", "partner")}
    return replace(side, frame=side.frame.assign(**seats))


def _nothing(first: Side, second: Side) -> str:
    both = f"'{first.study.name}' and '{second.study.name}' have"
    if not set(first.agents) & set(second.agents):
        ours, theirs = (", ".join(side.agents) or "none" for side in (first, second))
        return f"{both} no agent in common: {ours}; {theirs}; say who is who with rename=NAME_IN_B:NAME_IN_A"
    return f"{both} no score of the same agents in the same scenarios and condition"


def _notes(first: Side, second: Side) -> Iterator[str]:
    """What a reader of the differences must know, each in one line."""
    one, other = first.study, second.study
    if one.store.root.resolve() == other.store.root.resolve():
        if one.name == other.name:
            yield "both are the same study: every difference is 0"
        elif shared := set(one.ids) & set(other.ids):
            yield f"{len(shared)} conversations are in both studies, and do not differ"
    for what in ("judge", "asr", "vad"):
        ours, theirs = (_setting(study, what) for study in (one, other))
        if ours != theirs:
            yield f"{what} differs, and differences may be its own: {ours[0]}; {theirs[0]}"
    for column in CONDITIONS:
        named = [
            ", ".join(sorted({str(x) or "none" for x in side.frame[column]})) for side in (first, second)
        ]
        if named[0] != named[1]:
            yield f"{column} differs: {'; '.join(named)}"
    if lone := sorted(set(first.agents) ^ set(second.agents)):
        yield f"in one study only, and left out: {', '.join(lone)}"


def _setting(study: Study, what: str) -> tuple[str, ...]:
    """The name of a setting of the later stages, and all that it is."""
    config = study.config
    if what == "judge":
        shown = config.judges if config.panel else config.judges[:1]
        return config.judge, *(judge.key for judge in shown)
    chosen = config.asr if what == "asr" else config.vad
    return chosen.name, chosen.model_dump_json()


def _about(study: Study) -> Row:
    config = study.config
    return {"study": study.name, "store": str(study.store.root), "mode": config.mode, "judge": config.judge}


def _print(first: Study, second: Study, notes: Sequence[str], rows: Sequence[Row]) -> None:
    console = wide_console()
    for name, study in (("A", first), ("B", second)):
        console.print(f"{name}  {study.name} ({len(study.ids)} conversations, {study.store.root})")
    console.print(f"definitions: {first.config.mode}; paired by scenario, every scenario counts the same")
    for note in notes:
        console.print(note)
    for condition in dict.fromkeys(row["condition"] for row in rows):
        body = [_line(row) for row in rows if row["condition"] == condition]
        console.print(grid(condition or "differences", HEADS, body, names=3))
    seen = sum("not distinguishable" not in row["note"] for row in rows)
    console.print(
        f"{seen} of {len(rows)} differences can be told from noise: p (Holm) below .05, and larger than the "
        "floor, the half-width of their interval"
    )


def _line(row: Row) -> list[str]:
    unit = f"({unit_words(row['unit'])})" if row["unit"] in UNITS else ""
    score = " ".join(filter(None, (row["archetype"], row["measure"], unit)))
    numbers = (row[key] for key in ("first", "second", "value"))
    return [
        score, row["agent"] or "all", row["partner"] or "all", *map(number, numbers),
        interval(row["low"], row["high"]), number(row["floor"]), probability(row["p"]),
        probability(row["p_adjusted"]), number(row["mde"]), str(row["scenarios"]), row["note"],
    ]  # fmt: skip
