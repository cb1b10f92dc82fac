"""Who met whom: squares, round robins, and blocks of agents with the same partners, and their cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from dyad.measure.catalogue import Tie
from dyad.stats import bootstrap, three_way_parts, two_way_parts
from dyad.stats.values import Floats
from dyad.stats.variance import Parts

from .cells import Cells, cells_of
from .draws import Draws, spread
from .frame import SPLIT, tie, two_seats

if TYPE_CHECKING:
    import pandas as pd

Content: TypeAlias = dict[str, Any]
Statistic: TypeAlias = Callable[[Floats], Mapping[str, Floats]]

NO_BLOCK = "not all agents met each other and themselves, and no two have the same partners"
CONSTANT = "nothing varies"
NAMED = 3  # empty cells that a note names


class Block(NamedTuple):
    """Agents who all acted with all of `partners`; `note` names them unless it is everyone with everyone."""

    agents: tuple[str, ...]
    partners: tuple[str, ...]
    note: str = ""

    @property
    def square(self) -> bool:
        """Whether it is a full diallel: the same agents act and are partners."""
        return self.agents == self.partners

    @property
    def about(self) -> Content:
        """Columns that tell the rows of a block from those of the square, which name no one."""
        names = ("", "") if self.square else (", ".join(self.agents), ", ".join(self.partners))
        return dict(zip(("agent", "partner"), names, strict=True))


class Complete(NamedTuple):
    """Scenario means [S, M, P] without an empty cell, their levels and archetypes; `dropped` had one."""

    tables: Floats
    levels: tuple[str, ...]
    archetypes: tuple[str, ...]
    dropped: int

    @property
    def note(self) -> str:
        """What was left out."""
        return f"{self.dropped} scenario(s) with an empty cell left out" if self.dropped else ""


@dataclass(frozen=True)
class Design:
    """The cells of one measure in one block, each scenario at a level of the factor beside model and partner.

    `about` has the columns that all rows of the design share.
    """

    cells: Cells
    levels: tuple[str, ...]
    about: Content
    note: str = ""

    @property
    def several(self) -> bool:
        """Whether there is more than one level, so that tables are [T, M, P] and not [M, P]."""
        return len(set(self.levels)) > 1

    @property
    def parts(self) -> Parts:
        """The decomposition of a table."""
        return three_way_parts if self.several else two_way_parts

    @cached_property
    def table(self) -> Floats:
        """The pooled table; NaN where there was no opportunity."""
        return np.asarray(self.pooled(np.ones((1, len(self.levels))))[0])

    def pooled(self, weights: Floats) -> Floats:
        """The pooled tables of resamples with weights [B, S], [B, M, P] or [B, T, M, P], levels sorted."""
        if not self.several:
            return self.cells.pooled(weights)
        own = [np.array([level == name for level in self.levels]) for name in sorted(set(self.levels))]
        return np.stack([self.cells.pooled(weights * kept) for kept in own], axis=1)

    @cached_property
    def complete(self) -> Complete:
        """The scenarios in which no cell is empty."""
        values = self.cells.values
        kept = ~np.isnan(values).any(axis=(1, 2))
        levels, archetypes = _kept(self.levels, kept), _kept(self.cells.archetypes, kept)
        return Complete(values[kept], levels, archetypes, int((~kept).sum()))

    @property
    def twice(self) -> bool:
        """Whether recordings count in two cells, one for each seat, which are then not independent."""
        both = set(self.cells.agents) & set(self.cells.partners)
        return two_seats(self.about["archetype"]) and len(both) > 1

    @property
    def tied(self) -> bool:
        """Whether a cell follows from the one with model and partner exchanged, so that both effects are one.

        So it is with a score of the pair, which both cells have, and with shares of one whole.
        """
        return self.complementary or (self._square and self._tie == "pair")

    @property
    def complementary(self) -> bool:
        """Whether such two cells have the same sum everywhere, as shares of one whole have."""
        if not self._square or self._tie not in SPLIT:
            return False
        sums = self.table + self.table.swapaxes(-1, -2)
        return bool(np.allclose(sums, sums.flat[0], atol=1e-9))

    @property
    def _tie(self) -> Tie:
        return tie(self.about["archetype"], self.about["measure"])

    @property
    def _square(self) -> bool:
        return self.cells.agents == self.cells.partners

    @property
    def holes(self) -> str:
        """Which cells have no opportunity; "" if all have."""
        names = [
            f"{self.cells.agents[m]} with {self.cells.partners[p]}{''.join(f' in {of}' for of in level)}"
            for *level, m, p in self._empty()
        ]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return f"no opportunity: {', '.join(names[:NAMED])}{more}" if names else ""

    def _empty(self) -> Iterator[tuple[Any, ...]]:
        names = sorted(set(self.levels))
        for *level, m, p in np.argwhere(np.isnan(self.table)).tolist():
            yield *(names[t] for t in level), m, p

    def rng(self, table: str, draws: Draws) -> np.random.Generator:
        """Return the random numbers of one table of this design."""
        return draws.rng(" ".join((table, *map(str, self.about.values()))))


def blocks(own: pd.DataFrame) -> list[Block]:
    """Return the square and the rectangles of at least 2 x 2 in the rows of one measure, the square first.

    The square holds as many agents as have all met each other and themselves. A rectangle holds the agents
    with the same partners; agents who share theirs with nobody are compared without their self-play.
    """
    met = _met(own)
    everyone = {*met, *(partner for partners in met.values() for partner in partners)}
    square = _mutual(met)
    note = "" if len(square) == len(everyone) else f"only {', '.join(square)}, who all met each other"
    found = [Block(square, square, note)] if len(square) > 1 else []
    return found + [block for block in _rectangles(met) if not block.square]


def round_robin(own: pd.DataFrame) -> tuple[str, ...]:
    """Return the largest set of agents who all met each other, whether they met themselves or not."""
    return _mutual({agent: partners | {agent} for agent, partners in _met(own).items()})


def design_of(own: pd.DataFrame, block: Block, **about: str) -> Design:
    """Return the design of the rows of one measure in a block, with archetypes as levels."""
    cells = cells_of(own, block.agents, block.partners)
    return Design(cells, cells.archetypes, about | block.about, block.note)


def estimates(
    statistic: Statistic, archetypes: Sequence[str], draws: int, rng: np.random.Generator
) -> dict[str, Content]:
    """Return the columns of each named value of a statistic: what it is and how it varies over scenarios.

    The value is None where it is undefined. Scenarios are drawn within their archetype.
    """
    found = bootstrap(statistic, len(archetypes), rng=rng, strata=archetypes, draws=draws)
    note = _no_interval(archetypes) if draws and not found else ""
    contents: dict[str, Content] = {}
    for name, value in statistic(np.ones((1, len(archetypes)))).items():
        known = None if np.isnan(value[0]) else float(value[0])
        content = {"value": known, "scenarios": len(archetypes), "note": note}
        contents[name] = content | spread(found.get(name))
    return contents


def noted(*notes: str) -> str:
    """Join what there is to say."""
    return "; ".join(filter(None, notes))


def _no_interval(archetypes: Sequence[str]) -> str:
    """Why scenarios of these archetypes have no interval."""
    alone = [name for name in sorted(set(archetypes)) if archetypes.count(name) < 2]
    if not alone:
        return ""
    where = "" if len(set(archetypes)) == 1 else f" in {', '.join(alone)}"
    return f"one scenario{where}: no interval"


def _met(own: pd.DataFrame) -> dict[str, frozenset[str]]:
    """The partners of each acting agent, with whom the measure has opportunities."""
    known = own[own["value"].notna() & (own["n"] > 0)]
    return {
        str(agent): frozenset(map(str, partners.unique()))
        for agent, partners in known.groupby("agent", sort=True)["partner"]
    }


def _mutual(met: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The largest set of agents who met each other and themselves; of several, the first by name."""

    def grown(inside: tuple[str, ...], rest: Sequence[str]) -> tuple[str, ...]:
        best = inside
        for i, agent in enumerate(rest):
            if len(inside) + len(rest) - i <= len(best):
                break
            others = [name for name in rest[i + 1 :] if name in met[agent] and agent in met[name]]
            best = max(best, grown((*inside, agent), others), key=len)
        return best

    return grown((), [agent for agent in sorted(met) if agent in met[agent]])


def _rectangles(met: Mapping[str, frozenset[str]]) -> Iterator[Block]:
    same = _grouped(met)
    alone = [agents[0] for agents in same.values() if len(agents) == 1]
    without_self = _grouped({agent: met[agent] - {agent} for agent in alone})
    for partners, agents in (*same.items(), *without_self.items()):
        if len(agents) > 1 and len(partners) > 1:
            names = tuple(sorted(partners))
            yield Block(tuple(agents), names, f"{', '.join(agents)} with {', '.join(names)}")


def _grouped(met: Mapping[str, frozenset[str]]) -> dict[frozenset[str], list[str]]:
    groups: dict[frozenset[str], list[str]] = {}
    for agent, partners in met.items():
        groups.setdefault(partners, []).append(agent)
    return groups


def _kept(names: Sequence[str], kept: Any) -> tuple[str, ...]:
    return tuple(name for name, keep in zip(names, kept, strict=True) if keep)
