"""What may be concluded from each table, in a sentence made from its numbers.

A difference is claimed only where its test and its interval allow it; where they do not, or where the design
can say nothing, the sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dyad.tables.rows import Row

from . import outcomes, scores, shares, times
from .found import Found, Said, one_scenario

Writer = Callable[[Found], Iterator[Said]]

WRITERS: Mapping[str, Writer] = scores.WRITERS | shares.WRITERS | times.WRITERS | outcomes.WRITERS


class Claim(NamedTuple):
    """What may be concluded from one table of one archetype and measure.

    `holds`: True, a difference is claimed; False, one was looked for and cannot be; None, it describes.
    """

    condition: str
    table: str
    archetype: str
    measure: str
    sentences: tuple[str, ...]
    holds: bool | None

    @property
    def text(self) -> str:
        """All sentences as one text."""
        return " ".join(self.sentences)


def claims(rows: Iterable[Row]) -> list[Claim]:
    """Return what may be concluded from rows, by condition, archetype and measure, in their order."""
    groups: dict[tuple[str, str, str], dict[str, list[Row]]] = {}
    for row in rows:
        key = row["condition"], row["archetype"], row["measure"]
        groups.setdefault(key, {}).setdefault(row["table"], []).append(row)
    return [claim for key, tables in groups.items() for claim in _of_group(key, tables)]


def conclusions(rows: Iterable[Row], most: int = 3) -> list[str]:
    """Return the sentences that a reader needs first: in what agents differ, else that none do."""
    found = [claim for claim in claims(rows) if claim.table == "contrast"]
    clear = [claim for claim in found if claim.holds]
    if not found:
        return ["No difference between agents could be tested."]
    if not clear:
        return [f"In none of {len(found)} measures can two agents be told apart."]
    said = [f"{_place(claim)}: {claim.sentences[0]}" for claim in clear[:most]]
    return [f"Agents differ in {len(clear)} of {len(found)} measures.", *said]


def _place(claim: Claim) -> str:
    where = claim.measure if claim.archetype else f"{claim.measure} in all tasks"
    return " ".join(filter(None, (claim.archetype, where, claim.condition and f"({claim.condition})")))


def _of_group(key: tuple[str, str, str], tables: Mapping[str, Sequence[Row]]) -> Iterator[Claim]:
    condition, archetype, measure = key
    found = Found(archetype, measure, tables)
    for table in tables:
        if said := list(dict.fromkeys(_said(table, found))):
            yield Claim(condition, table, archetype, measure, tuple(x.text for x in said), _holds(said))


def _said(table: str, found: Found) -> Iterator[Said]:
    """What is said of a table; where all of it rests on one scenario, that is said too."""
    told = list(WRITERS[table](found)) if table in WRITERS else []
    yield from told
    if told and (refusal := one_scenario(found.tables[table])):
        yield refusal


def _holds(said: Sequence[Said]) -> bool | None:
    """A claim wins over a refusal, and either over a description."""
    verdicts = {sentence.holds for sentence in said}
    return True if True in verdicts else False if False in verdicts else None
