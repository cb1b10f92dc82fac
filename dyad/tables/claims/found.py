"""What sentences are made from, and when a difference may be claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dyad.library import INFO
from dyad.measure.catalogue import MEASURES
from dyad.tables.paired import BLIND, LEVEL
from dyad.tables.rows import Row
from dyad.tables.words import PERCENT, count, interval, number, outside, probability, share, unit_words

SHOWN = 3  # of a kind in one sentence


class Said(NamedTuple):
    """One sentence. `holds`: True, it claims a difference; False, it refuses to; None, it describes."""

    text: str
    holds: bool | None = None


@dataclass(frozen=True)
class Found:
    """All rows of one archetype and measure under one condition, by table."""

    archetype: str
    measure: str
    tables: Mapping[str, Sequence[Row]]

    def rows(self, table: str, **where: str) -> list[Row]:
        """Return the rows of a table whose columns are as given and whose value is known."""
        return [
            row
            for row in self.tables.get(table, ())
            if row["value"] is not None and all(row[name] == value for name, value in where.items())
        ]

    def one(self, table: str, **where: str) -> Row | None:
        """Return the first such row."""
        return next(iter(self.rows(table, **where)), None)

    @property
    def name(self) -> str:
        """The archetype in words; what it is called where it is none."""
        return {str(key): info.name for key, info in INFO.items()}.get(self.archetype, self.archetype)

    @property
    def about(self) -> str:
        """What the measure says, in words."""
        return MEASURES[self.measure].about if self.measure in MEASURES else self.measure


def p_of(row: Row) -> float | None:
    """Return the p value that counts: adjusted for the other tests of the table, where it is."""
    adjusted: float | None = row["p_adjusted"]
    return row["p"] if adjusted is None else adjusted


def with_p(row: Row) -> str:
    """Return the p value with its name."""
    return f"{'p' if row['p_adjusted'] is None else 'adjusted p'} {probability(p_of(row))}"


def rejects(row: Row) -> bool:
    """Whether the test of a row rejects."""
    p = p_of(row)
    return p is not None and p < LEVEL


def tested(row: Row) -> bool:
    """Whether a difference may be claimed: its test rejects, and it has an interval, which leaves out 0."""
    return rejects(row) and solid(row)


def solid(row: Row, null: float = 0.0) -> bool:
    """Whether a row has an interval that leaves out `null`."""
    low, high = row["low"], row["high"]
    return low is not None and high is not None and not low <= null <= high


def one_scenario(rows: Sequence[Row]) -> Said | None:
    """Return the refusal where all rows rest on one scenario."""
    counts = [row["scenarios"] for row in rows if row["scenarios"] is not None]
    if not counts or max(counts) > 1:
        return None
    return Said("With 1 scenario nothing can be said about other scenarios.", False)


def estimated(row: Row) -> str:
    """Return a value with unit and interval: `12.0 s [8.0, 16.0]`."""
    unit = f" {unit_words(row['unit'])}" if row["unit"] in ("s", "per_min") else ""
    return " ".join(filter(None, (f"{number(row['value'])}{unit}", interval(row["low"], row["high"]))))


def size(row: Row, column: str = "n") -> str:
    """Return ` (n 120)`, what a number rests on; nothing where that is not known."""
    return "" if row[column] is None else f" (n {count(row[column])})"


def ground(row: Row) -> str:
    """Return what a number rests on: `(20 scenarios, p 0.012)`."""
    parts = []
    if row["scenarios"] is not None:
        parts.append(plural(row["scenarios"], "scenario"))
    elif row["n"] is not None:
        parts.append(f"n {count(row['n'])}")
    if p_of(row) is not None:
        parts.append(with_p(row))
    return f"({', '.join(parts)})" if parts else ""


def unseen(row: Row) -> str:
    """Say that a difference cannot be claimed, and whether the design could have seen one of its size."""
    if BLIND in row["note"]:
        return "is not distinguishable from 0; with so few scenarios no difference could have been"
    if row["mde"] is not None and abs(row["value"]) < row["mde"]:
        return f"is below what this design could have seen (MDE {number(row['mde'])}): not distinguishable"
    if solid(row) and row["p"] is not None and row["p"] < LEVEL:
        return "is not distinguishable from 0 once all tests of the table are counted"
    return "is not distinguishable from 0"


def sentence(*parts: str) -> str:
    """Join the parts that say something, punctuation without a space, and end them with a full stop."""
    text = "".join(part if part[0] in ";:," else f" {part}" for part in parts if part)
    return f"{text.strip()}."


def plural(n: int, word: str) -> str:
    """Return a count with its word: `1 pair`, `2 pairs`."""
    return f"{count(n)} {word}{'' if n == 1 else 's'}"


def percent(row: Row) -> str:
    """Return a share with its interval in percent: `78 % [68, 88]`."""
    ends = () if None in (row["low"], row["high"]) or outside(row) else (row["low"], row["high"])
    inside = ", ".join(share(end).removesuffix(PERCENT) for end in ends if end is not None)
    return share(row["value"]) + (f" [{inside}]" if inside else "")
