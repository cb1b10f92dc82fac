"""All tables of a study, from the tidy frame of its run rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from .contrasts import contrasts
from .controls import controls, windows
from .diallel import diallels
from .draws import NONE, Draws
from .factors import factors
from .frame import conditions, with_draws
from .games import balance, games
from .hurdle import hurdles
from .in_role import role_occupancy
from .incidence import incidence
from .measures import each_measure
from .missing import missing
from .paired import adjusted
from .power import detectable
from .profile import profile
from .ranking import rankings
from .rmst import differences, logranks, restricted
from .rows import Row
from .scores import matrices, turn_cells
from .stance import stance
from .times import survival
from .turns import run_means
from .variance import variance

if TYPE_CHECKING:
    import pandas as pd


Counted: TypeAlias = "Callable[[pd.DataFrame], Iterator[Row]]"
Drawn: TypeAlias = "Callable[[pd.DataFrame, Draws], Iterator[Row]]"

# Each of the rows of one condition; those of `DRAWN` resample or permute.
COUNTED: tuple[Counted, ...] = (
    matrices, turn_cells, run_means, each_measure, logranks, balance, stance, detectable, missing,
)  # fmt: skip
DRAWN: tuple[Drawn, ...] = (
    profile, variance, diallels, survival, restricted, differences, role_occupancy, incidence, hurdles, games,
    rankings, contrasts, factors,
)  # fmt: skip


def summary(frame: pd.DataFrame, draws: Draws = NONE) -> list[Row]:
    """Return the rows of all tables of a frame of run rows, already reduced to one mode and one judge.

    Raises ValueError for rows of several judges, which must never be pooled: see `of_judge`. Other channels,
    windows, twins and languages are other conditions: each has tables of its own and none is pooled.
    """
    if frame.loc[frame["judge"] != "", "judge"].nunique() > 1:
        raise ValueError("rows of several judges; choose one with of_judge")
    frame = with_draws(frame)
    rows: list[Row] = []
    for condition, part in conditions(frame):
        found = [row for table in COUNTED for row in table(part)]
        found += [row for table in DRAWN for row in table(part, draws)]
        rows += [row | {"condition": condition} for row in found]
    return adjusted([*rows, *controls(frame, draws), *windows(frame, draws)])
