"""Whether a partner's stance matters: the same duty beside a partner who engages and one who digresses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dyad.spec import Archetype
from dyad.stats import MDE_FACTOR

from .cells import Floats, cells_of
from .draws import NONE, Draws
from .frame import HEADLINE, scored
from .paired import EQUAL
from .rows import ALIKE, ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd

ENGAGED: Archetype = "t1_1"
DIGRESSING: Archetype = "t1_2"


def stance(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """How much better an agent holds its role beside an engaged partner than beside a digressing one.

    The archetypes have scenarios of their own, so nothing is paired: Welch's t interval and test of the means
    of scenario means (each a mean over partners).
    """
    rates = {archetype: _rates(part, archetype) for archetype in (ENGAGED, DIGRESSING)}
    for agent in sorted(rates[ENGAGED].keys() & rates[DIGRESSING].keys()):
        about = {"archetype": "t1", "measure": HEADLINE[ENGAGED], "agent": agent, "term": "T1-1 − T1-2"}
        yield row("stance", **about, **_welch(rates[ENGAGED][agent], rates[DIGRESSING][agent]))


def _rates(part: pd.DataFrame, archetype: Archetype) -> dict[str, Floats]:
    """The rate of each scenario, mean over partners, of every agent that has any."""
    own = scored(part, archetype)
    agents, partners = (sorted(set(own[column])) for column in ("agent", "partner"))
    values = cells_of(own, agents, partners).values
    of = {agent: values[:, i] for i, agent in enumerate(agents)}
    met = {agent: rates[~np.isnan(rates).all(axis=1)] for agent, rates in of.items()}
    return {agent: np.nanmean(rates, axis=1) for agent, rates in met.items() if len(rates)}


def _welch(first: Floats, second: Floats) -> dict[str, Any]:
    """Difference of two means, its interval and test; degrees of freedom by Satterthwaite."""
    sizes = np.array([len(first), len(second)])
    difference = float(first.mean() - second.mean())
    found = {"value": difference, "scenarios": int(sizes.min())}
    if sizes.min() < 2:
        return found | {"note": ONE_SCENARIO}
    parts = np.array([first.var(ddof=1), second.var(ddof=1)]) / sizes
    se = math.sqrt(parts.sum())
    if se <= EQUAL:
        return found | {"note": ALIKE}
    from scipy.stats import t

    df = parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum()
    half, p = float(t.ppf(0.975, df)) * se, 2 * float(t.sf(abs(difference) / se, df))
    ends = {"low": difference - half, "high": difference + half, "interval": "scenarios"}
    return found | ends | {"p": p, "mde": MDE_FACTOR * se}
