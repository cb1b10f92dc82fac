"""All tables of a study, from the tidy frame of its run rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        found = (
            *matrices(part),
            *profile(part, draws),
            *turn_cells(part),
            *run_means(part),
            *each_measure(part),
            *variance(part, draws),
            *diallels(part, draws),
            *survival(part, draws),
            *restricted(part, draws),
            *differences(part, draws),
            *logranks(part),
            *role_occupancy(part, draws),
            *incidence(part, draws),
            *hurdles(part, draws),
            *balance(part),
            *games(part, draws),
            *rankings(part, draws),
            *contrasts(part, draws),
            *factors(part, draws),
            *stance(part),
            *detectable(part),
            *missing(part),
        )
        rows += [row | {"condition": condition} for row in found]
    return adjusted([*rows, *controls(frame, draws), *windows(frame, draws)])
