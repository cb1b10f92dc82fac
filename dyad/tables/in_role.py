"""Occupancy of the role: the share of seats that are in role at a time, and for how long they are in all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dyad.spec import TICK_S
from dyad.stats import bootstrap, in_role, role_spans
from dyad.stats.values import Floats

from .cells import divided
from .draws import NONE, Draws
from .rows import Row, row
from .samples import drawn_ends, groups, seats_in_role, to_seconds, window_ticks

if TYPE_CHECKING:
    import pandas as pd

MARKS = 12  # shares are given at so many times: at each twelfth of the window, and at its last tick


def role_occupancy(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Time in role by archetype and agent, over all partners and with each; intervals: scenario bootstrap.

    A seat is in role from its entry to its deviation or to the end of the recording. Term `share`: of all
    seats, those in role at `at`. Term `mean time`, in s: what a seat was in role, 0 where it never entered.
    """
    seats = seats_in_role(part)
    if seats.empty:
        return
    window = window_ticks(part[part["measure"] == "entry"])
    times = [*(window * k / MARKS for k in range(1, MARKS)), window - 1]
    for who, rows in groups(seats):
        spans = role_spans(*(rows[name].to_numpy(float) for name in ("entry", "deviation", "end")))
        known = ~np.isnan(spans).any(axis=1)
        about = {**who._asdict(), "n": int(known.sum()), "missing": int((~known).sum())}
        for found in _occupancy(spans[known], rows["scenario"].to_numpy(str)[known], times, draws):
            yield row("in_role", **about, **found)


def _occupancy(spans: Floats, scenarios: Floats, times: list[float], draws: Draws) -> Iterator[Row]:
    """The mean time, then the share at each time."""
    sums, sizes = _by_scenario(spans, scenarios, times)

    def statistic(weights: Floats) -> dict[str, Floats]:
        seats = weights @ sizes
        return {str(k): divided(weights @ sums[:, k], seats) for k in range(sums.shape[1])}

    if not len(spans):
        yield {"term": "mean time", "note": "all times missing"}
        return
    drawn = bootstrap(statistic, len(sizes), rng=draws.rng("in_role"), draws=draws.bootstrap)
    for k, mean in enumerate(sums.sum(axis=0) / sizes.sum()):
        place = {"term": "share", "at": to_seconds(times[k - 1])} if k else {"term": "mean time"}
        scale, unit = (1.0, "share") if k else (TICK_S, "s")
        ends = drawn_ends(drawn.get(str(k)), len(sizes), draws, scale)
        value = {"value": float(mean) * scale, "unit": unit, "better": 1, "scenarios": len(sizes)}
        yield place | value | ends


def _by_scenario(spans: Floats, scenarios: Floats, times: list[float]) -> tuple[Floats, Floats]:
    """Sums of each scenario, [S, 1 + T]: ticks in role, and seats in role at each time; and its seats [S]."""
    values = np.column_stack((spans[:, 1] - spans[:, 0], in_role(spans, times)))
    names, codes = np.unique(scenarios, return_inverse=True)
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, codes, values)
    return sums, np.bincount(codes, minlength=len(names)).astype(float)
