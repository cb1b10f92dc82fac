"""Two studies side by side: the same scores in the same scenarios, and how far they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dyad.stats.values import Floats

from .cells import Cells, cells_of
from .draws import NONE, Draws
from .frame import CONDITIONS, conditions, tie, with_draws
from .paired import adjusted, in_common, mean_known, measured, paired
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd

COMPARED = ("first", "second", "floor")  # columns of these rows beside those of all tables


def compare(first: pd.DataFrame, second: pd.DataFrame, draws: Draws = NONE) -> list[Row]:
    """Return the differences of two frames of run rows, second less first, each of one mode and one judge.

    Of every headline score and turn-taking measure: over all cells that both have (agent and partner ""; not
    where that is half, whatever happens), and of each cell, that of a pair once. `first` and `second` are the
    two values, of the same scenarios and cells, in which every scenario counts the same. `floor` is the
    half-width of the interval: a smaller difference is noise. Nothing is paired across conditions, unless
    each frame has a single one.
    """
    rows = [
        found | {"condition": condition}
        for condition, one, other in _pairs(with_draws(first), with_draws(second))
        for found in _differences(one, other, draws)
    ]
    return adjusted(rows)


def _pairs(first: pd.DataFrame, second: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Yield the name and rows of each condition that both frames have, or the only one of each."""
    ours, theirs = ({_key(part): (name, part) for name, part in conditions(x)} for x in (first, second))
    if len(ours) == len(theirs) == 1:
        ((name, one),), ((_, other),) = ours.values(), theirs.values()
        yield name, one, other
        return
    for key in [key for key in ours if key in theirs]:
        yield ours[key][0], ours[key][1], theirs[key][1]


def _key(part: pd.DataFrame) -> tuple[object, ...]:
    return tuple(part[list(CONDITIONS)].iloc[0])


def _differences(first: pd.DataFrame, second: pd.DataFrame, draws: Draws) -> Iterator[Row]:
    agents, partners = (sorted(set(first[x]) & set(second[x])) for x in ("agent", "partner"))
    rng = draws.rng("difference")
    for (about, one), (_, other) in zip(measured(first), measured(second), strict=True):
        ours, theirs = _both(cells_of(one, agents, partners), cells_of(other, agents, partners))
        whole = tie(about.get("archetype", ""), about["measure"]) == "all"
        if whole:  # an agent with itself has half, whatever is said
            ours[:, [[a == p for p in partners] for a in agents]] = np.nan
        known = ~np.isnan(ours).all(axis=0)
        if known.any() and not whole:  # of which the mean over all cells is half too
            yield _row(ours, theirs, draws, rng, **about)
        of_pair = bool((one["seat"] == "").all())  # a score that stands in both cells of two agents
        for m, p in np.argwhere(known):
            if not of_pair or agents[m] <= partners[p]:
                where = {"agent": agents[m], "partner": partners[p]}
                yield _row(ours[:, m, p], theirs[:, m, p], draws, rng, **about, **where)


def _both(first: Cells, second: Cells) -> tuple[Floats, Floats]:
    """The rates [S, M, P] of both, NaN where either lacks one."""
    ours, theirs = in_common(first, second)
    known = ~np.isnan(ours + theirs)
    return np.where(known, ours, np.nan), np.where(known, theirs, np.nan)


def _row(ours: Floats, theirs: Floats, draws: Draws, rng: np.random.Generator, **about: str) -> Row:
    """One difference; `ours` and `theirs` [S, ...] lack the same values."""
    one, other = mean_known(ours), mean_known(theirs)
    found = row("difference", **about, **paired(other - one, draws.permutations, rng))
    floor = None if found["low"] is None else (found["high"] - found["low"]) / 2
    return found | {"first": float(np.nanmean(one)), "second": float(np.nanmean(other)), "floor": floor}
