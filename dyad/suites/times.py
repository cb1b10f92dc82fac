"""Times that can be censored: Kaplan–Meier median and restricted mean of all trials of each agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dyad.stats import KaplanMeier, band, kaplan_meier, rmst
from dyad.stats.values import Floats
from dyad.tables.cells import NOTHING_KNOWN
from dyad.tables.paired import LEVEL
from dyad.tables.rows import Row, row
from dyad.tables.words import NOT_REACHED

if TYPE_CHECKING:
    import pandas as pd

FEW = 5  # trials; fewer have no interval that rests on a normal distribution
TOO_FEW = f"fewer than {FEW} trials: no interval"
REPEATED = "repetitions taken as independent"
SAME_TIME = 6  # decimals of a second: equal times must be equal numbers


def curve_of(rows: pd.DataFrame) -> KaplanMeier | None:
    """The curve of the trials of one agent. A time below 0, an answer before the event, counts as 0."""
    return kaplan_meier(*lasting(had_of(rows)))


def had_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The trials that had an opportunity, as far as is known."""
    return rows[rows["value"].isna() | (rows["n"] > 0)]


def lasting(had: pd.DataFrame) -> tuple[Floats, NDArray[np.int64]]:
    """How long each trial lasted, and whether that is all, [n]."""
    lasted = (had["value"] / had["n"].where(had["n"] > 0)).clip(lower=0).round(SAME_TIME)
    return np.asarray(lasted, np.float64), np.asarray(had["observed"], np.int64)


def horizon(curves: Iterable[KaplanMeier | None]) -> float | None:
    """The last time at which the curves of all agents are known, so that restricted means compare."""
    known = [curve for curve in curves if curve is not None]
    open_ended = [curve.times[-1] for curve in known if curve.survival[-1]]
    return min(open_ended) if open_ended else max((curve.times[-1] for curve in known), default=None)


def times(about: Row, agents: Mapping[str, pd.DataFrame]) -> Iterator[Row]:
    """Yield median and restricted mean of each agent; repetitions of a stimulus stand for themselves."""
    curves = {agent: curve_of(rows) for agent, rows in agents.items()}
    tau = horizon(curves.values())
    for agent, curve in curves.items():
        if curve is None:
            yield row("suite_median", **about, agent=agent, n=0, note=NOTHING_KNOWN)
            continue
        stimuli = agents[agent]["scenario"].nunique()
        counts: Row = {"hits": float(sum(curve.n_events)), "n": curve.n, "missing": curve.n_missing}
        counts |= {"scenarios": stimuli, "agent": agent}
        repeated = REPEATED if curve.n > stimuli else ""
        note = ", ".join(filter(None, (NOT_REACHED if curve.median is None else "", repeated)))
        yield row("suite_median", **about, **counts, value=curve.median, **_median_ends(curve), note=note)
        mean = None if tau is None else rmst(curve, tau)
        if mean is not None:
            few = TOO_FEW if curve.n < FEW else ""
            ends = {} if few else _around(mean.value, mean.se, mean.tau)
            note = ", ".join(filter(None, (few, repeated)))
            yield row("suite_rmst", **about, **counts, value=mean.value, at=tau, **ends, note=note)


def _median_ends(curve: KaplanMeier) -> Row:
    """The times at which the log-log band of survival leaves one half (Brookmeyer and Crowley 1982)."""
    bounds = [(time, ends) for time, ends in zip(curve.times, band(curve), strict=True) if ends is not None]
    low = next((time for time, ends in bounds if ends[0] <= 0.5), None)
    high = next((time for time, ends in bounds if ends[1] <= 0.5), None)
    return {} if low is None else {"low": low, "high": high, "interval": "log-log"}


def _around(value: float, se: float, most: float) -> Row:
    if not se:
        return {}
    half = NormalDist().inv_cdf(1 - LEVEL / 2) * se
    return {"low": max(value - half, 0.0), "high": min(value + half, most), "interval": "greenwood"}
