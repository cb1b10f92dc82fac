"""Cumulative incidence of what may be cut off: a leak by an early end, an answer by a partner who goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dyad.stats import aalen_johansen, resamples, tail_share
from dyad.stats.events import Bools
from dyad.stats.values import Floats

from .draws import NONE, Draws
from .rows import ALIKE, ONE_SCENARIO, Row, row
from .samples import Sample, groups, sample, to_seconds, window_ticks

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int_]

CAUSES = {1: "leak", 2: "ended"}
ANSWERED = {1: "answered"}  # the others were not, until the partner went on or the recording ended


def incidence(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Aalen–Johansen incidence of a leak and of an early end without one, by attacker, and of answers.

    Over all partners and with each. `value` is the share of runs that have leaked by `at`, or of the
    partner's silences that were answered within `at`, before it went on; low and high are pointwise, of a
    bootstrap over scenarios. One minus Kaplan–Meier would be too high: it takes runs that have ended as runs
    that may still leak, and a partner who goes on for want of an answer as one who would have got it.
    """
    leaks = part[(part["measure"] == "time_to_leak") & (part["archetype"] == "t4_2")]
    waits = part[part["measure"] == "response_time"]
    for own, terms in ((leaks, CAUSES), (waits, ANSWERED)):
        for who, rows in groups(own):
            about = {**who._asdict(), "measure": rows["measure"].iloc[0], "unit": "share", "better": 0}
            times = sample(rows)
            end = window_ticks(own) if terms is CAUSES else np.inf
            other = np.where(times.times < end, 2, 0)
            for found in _incidence(times, np.where(times.events, 1, other), terms, draws):
                yield row("incidence", **about, **found)


def _incidence(own: Sample, causes: Ints, terms: Mapping[int, str], draws: Draws) -> Iterator[Row]:
    found = aalen_johansen(own.times, causes)
    if found is None:
        yield {"term": terms[1], "n": 0, "missing": own.missing, "note": "all times missing"}
        return
    times = np.array(found.times)
    size = {"n": found.n, "scenarios": len(own.names), "missing": own.missing}
    for cause, term in terms.items():
        ends = _band(own, causes == cause, times, draws)
        for k, at in enumerate(found.times):
            value = {"at": to_seconds(at), "value": float(found.at(cause, at) or 0)}
            yield {"term": term, **value, **size} | _ends(ends, k, draws)


def _band(own: Sample, happened: Bools, times: Floats, draws: Draws) -> Floats | None:
    """Expanded percentiles [2, T] over resampled scenarios.

    All are followed to their end or to the window, so the incidence by a time is the share of those that have
    had the cause by then.
    """
    weights = resamples(len(own.names), draws.rng("incidence"), draws=draws.bootstrap)
    if not len(weights):
        return None
    codes = np.unique(own.scenarios, return_inverse=True)[1]
    at = np.zeros((len(own.names), len(times)))
    np.add.at(at, (codes[happened], np.searchsorted(times, own.times[happened])), 1)
    runs = np.bincount(codes).astype(float)
    shares = weights @ at.cumsum(axis=1) / (weights @ runs)[:, None]
    tail = tail_share([len(runs)])
    return np.asarray(np.quantile(shares, [tail, 1 - tail], axis=0))


def _ends(ends: Floats | None, k: int, draws: Draws) -> Row:
    if ends is None:
        return {"note": ONE_SCENARIO if draws.bootstrap else ""}
    low, high = ends[:, k].tolist()
    return {"low": low, "high": high, "interval": "bootstrap"} if low < high else {"note": ALIKE}
