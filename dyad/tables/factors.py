"""Effects of how a design is balanced: who opens, and which of two equal roles a seat has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dyad.library import INFO
from dyad.spec import Archetype

from .cells import cells_of
from .draws import NONE, Draws
from .paired import in_common, mean_known, measured, paired
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd


def factors(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Effects of opener and role: the difference of two levels with the same agent and partner in a scenario.

    Opener: what a seat scores when it opens, less when its partner does; of headline scores and turn-taking.
    Role: role a less role b, of headline scores in which both roles are scored alike. A score of the pair has
    neither. No row where a design has one level only.
    """
    rng = draws.rng("factor")
    for about, own in measured(part):
        own = own[own["seat"] != ""]
        for term, first in _levels(own, about.get("archetype")):
            agents, partners = (sorted(set(own[column])) for column in ("agent", "partner"))
            levels = (cells_of(own[kept], agents, partners) for kept in (first, ~first))
            one, other = in_common(*levels)
            differences = mean_known(one - other)
            if len(differences):
                yield row("factor", **about, term=term, **paired(differences, draws.permutations, rng))


def _levels(own: pd.DataFrame, archetype: Archetype | None) -> Iterator[tuple[str, pd.Series[bool]]]:
    """Each factor, and which rows have its first level."""
    yield "opener", own["opener"] == own["seat"]
    if archetype is not None and INFO[archetype].anchor is None:
        yield "role", own["role"] == "a"
