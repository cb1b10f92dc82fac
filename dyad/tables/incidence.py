"""Cumulative incidence of a leak, where a conversation that ends early keeps the leak from happening."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dyad.stats import aalen_johansen, resamples, tail_share
from dyad.stats.events import Bools
from dyad.stats.values import Floats

from .draws import NONE, Draws
from .rows import ALIKE, ONE_SCENARIO, Row, row
from .samples import Sample, groups, sample, to_seconds, window_ticks

if TYPE_CHECKING:
    import pandas as pd

CAUSES = {1: "leak", 2: "ended"}


def incidence(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Aalen–Johansen incidence of a leak and of an end before the window without one, by attacker.

    Over all defenders and with each. `value` is the share of runs by `at`; low and high are pointwise, of a
    bootstrap over scenarios. One minus Kaplan–Meier would be too high: it takes runs that have ended as runs
    that may still leak.
    """
    own = part[(part["measure"] == "time_to_leak") & (part["archetype"] == "t4_2")]
    for who, rows in groups(own):
        about = {**who._asdict(), "measure": "time_to_leak", "unit": "share", "better": 0}
        for found in _incidence(sample(rows), window_ticks(own), draws):
            yield row("incidence", **about, **found)


def _incidence(own: Sample, window: int, draws: Draws) -> Iterator[Row]:
    causes = np.where(own.events, 1, np.where(own.times < window, 2, 0))
    found = aalen_johansen(own.times, causes)
    if found is None:
        yield {"term": "leak", "n": 0, "missing": own.missing, "note": "all times missing"}
        return
    times = np.array(found.times)
    size = {"n": found.n, "scenarios": len(own.names), "missing": own.missing}
    for cause, term in CAUSES.items():
        ends = _band(own, causes == cause, times, draws)
        for k, at in enumerate(found.times):
            value = {"at": to_seconds(at), "value": float(found.at(cause, at) or 0)}
            yield {"term": term, **value, **size} | _ends(ends, k, draws)


def _band(own: Sample, happened: Bools, times: Floats, draws: Draws) -> Floats | None:
    """Expanded percentiles [2, T] over resampled scenarios.

    Every run is followed to its end or to the window, so the incidence by a time is the share of runs that
    have had the cause by then.
    """
    weights = resamples(len(own.names), draws.rng("incidence"), draws=draws.bootstrap)
    if not len(weights):
        return None
    codes = np.unique(own.scenarios, return_inverse=True)[1]
    by_then = np.zeros((len(own.names), len(times)))
    np.add.at(by_then, codes, happened[:, None] & (own.times[:, None] <= times))
    runs = np.bincount(codes).astype(float)
    shares = weights @ by_then / (weights @ runs)[:, None]
    tail = tail_share([len(runs)])
    return np.asarray(np.quantile(shares, [tail, 1 - tail], axis=0))


def _ends(ends: Floats | None, k: int, draws: Draws) -> Row:
    if ends is None:
        return {"note": ONE_SCENARIO if draws.bootstrap else ""}
    low, high = ends[:, k].tolist()
    return {"low": low, "high": high, "interval": "bootstrap"} if low < high else {"note": ALIKE}
