"""All tables of a study, from the tidy frame of its run rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .frame import conditions, with_draws
from .rows import Row
from .scores import matrices, turn_cells
from .times import survival
from .variance import variance

if TYPE_CHECKING:
    import pandas as pd


class Draws(NamedTuple):
    """How many resamples of scenarios intervals take, and how many permutations tests; `seed` of both."""

    bootstrap: int = 2000
    permutations: int = 10_000
    seed: int = 0


NONE = Draws(0, 0)


def summary(frame: pd.DataFrame, draws: Draws = NONE) -> list[Row]:
    """Return the rows of all tables of a frame of run rows, already reduced to one mode and one judge.

    Raises ValueError for rows of several judges, which must never be pooled: see `of_judge`. Other channels,
    windows, twins and languages are other conditions: each has tables of its own and none is pooled.
    """
    if frame.loc[frame["judge"] != "", "judge"].nunique() > 1:
        raise ValueError("rows of several judges; choose one with of_judge")
    rows: list[Row] = []
    for condition, part in conditions(with_draws(frame)):
        found = (*matrices(part), *turn_cells(part), *variance(part, draws.bootstrap), *survival(part))
        rows += [row | {"condition": condition} for row in found]
    return rows
