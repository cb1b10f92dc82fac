"""Differences of every two agents on a set, paired by stimulus, and which of them may be claimed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dyad.stats import Sought, holm, rmst_pseudo_values
from dyad.stats.values import Floats
from dyad.tables.draws import Draws
from dyad.tables.paired import LEVEL, UNDISTINGUISHED, in_family, paired, too_few
from dyad.tables.rows import Row, row

from .means import rates_of
from .times import curve_of, had_of, horizon, lasting

if TYPE_CHECKING:
    import pandas as pd

PSEUDO = "restricted means, by pseudo-values"


def differences(
    about: Row,
    agents: Mapping[str, pd.DataFrame],
    draws: Draws,
    censored: bool,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Iterator[Row]:
    """Yield the difference of every two agents, paired by stimulus; `bounds` are those of the measure.

    Those that responded are not comparable where others did not: censored times are compared by pseudo-values
    of their restricted means (Andersen, Hansen and Klein, Lifetime Data Analysis 10, 2004).
    """
    tau = horizon(curve_of(rows) for rows in agents.values()) if censored else None
    rng, note = draws.rng("suite_difference"), "" if tau is None else PSEUDO
    most = bounds[1] - bounds[0] if tau is None else tau
    values = {agent: _by_stimulus(rows, tau) for agent, rows in agents.items()}
    for one, other in combinations(agents, 2):
        found = paired(_apart(values[one], values[other]), draws.permutations, rng)
        notes = (str(found.pop("note", "")).replace("scenario", "stimulus"), note)
        found |= {"n": found["scenarios"], "at": tau, "note": ", ".join(filter(None, notes))}
        yield row("suite_difference", **about, agent=one, partner=other, **_within(found, most))


def _by_stimulus(rows: pd.DataFrame, tau: float | None) -> dict[str, float]:
    """The mean of each stimulus over its repetitions; with `tau`, of pseudo-values."""
    if tau is None:
        rates = rates_of(rows)
        return dict(zip(rates.names, rates.each.tolist(), strict=True))
    had = had_of(rows)
    each = had.assign(value=rmst_pseudo_values(*lasting(had), tau)).groupby("scenario")["value"].mean()
    return {str(name): value for name, value in each.items()}


def _apart(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Floats:
    """Ours less theirs for each stimulus of either, NaN where one has no number."""
    names = sorted(ours.keys() | theirs.keys())
    return np.array([ours.get(name, math.nan) - theirs.get(name, math.nan) for name in names])


def _within(found: Row, most: float) -> Row:
    """Cut the interval where no difference can be."""
    if found.get("low") is None:
        return found
    return found | {"low": max(found["low"], -most), "high": min(found["high"], most)}


def adjusted(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, those of differences with `p_adjusted`: Holm's over all of one set and mode."""
    found = list(rows)
    mine = [i for i, made in enumerate(rows) if made["table"] == "suite_difference" and made["p"] is not None]
    for family in dict.fromkeys((rows[i]["condition"], rows[i]["term"]) for i in mine):
        places = [i for i in mine if (rows[i]["condition"], rows[i]["term"]) == family]
        for i, p in zip(places, holm([rows[i]["p"] for i in places]), strict=True):
            found[i] = _concluded(in_family(rows[i], len(places)) | {"p_adjusted": p}, len(places))
    return found


def _concluded(made: Row, tests: int) -> Row:
    low, high = made["low"], made["high"]
    if made["p_adjusted"] < LEVEL and (low is None or not low <= 0 <= high):
        return made
    blind = Sought(tests=tests).seen(made["scenarios"]) is None
    why = UNDISTINGUISHED + (f": {too_few(tests).replace('scenarios', 'stimuli')}" if blind else "")
    return made | {"note": ", ".join(filter(None, (why, made["note"])))}
