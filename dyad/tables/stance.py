"""Whether a partner's stance matters: the same duty beside a partner who engages and one who digresses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dyad.spec import Archetype
from dyad.stats import USUAL, t_p, t_reach, t_seen
from dyad.stats.values import Floats

from .cells import cells_of
from .draws import NONE, Draws
from .frame import HEADLINE, scored
from .paired import mean_known
from .rows import ALIKE, EQUAL, ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd

ENGAGED: Archetype = "t1_1"
DIGRESSING: Archetype = "t1_2"


def stance(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """How much better an agent holds its role beside an engaged partner than beside a digressing one.

    The archetypes have scenarios of their own, so nothing is paired: Welch's t interval and test of the means
    of scenario means (each a mean over the partners that the agent had in both).
    """
    one, other = (scored(part, archetype) for archetype in (ENGAGED, DIGRESSING))
    agents, partners = (sorted(set(one[column]) & set(other[column])) for column in ("agent", "partner"))
    engaged, digressing = (cells_of(own, agents, partners) for own in (one, other))
    shared = np.asarray((engaged.n > 0).any(axis=0) & (digressing.n > 0).any(axis=0))
    for i, agent in enumerate(agents):
        rates = [mean_known(cells.values[:, i, shared[i]]) for cells in (engaged, digressing)]
        if shared[i].any():
            about = {"archetype": "t1", "measure": HEADLINE[ENGAGED], "agent": agent, "term": "T1-1 − T1-2"}
            yield row("stance", **about, **_welch(*(means[~np.isnan(means)] for means in rates)))


def _welch(first: Floats, second: Floats) -> dict[str, Any]:
    """Difference of two means, its interval and test; degrees of freedom by Satterthwaite."""
    sizes = np.array([len(first), len(second)])
    difference = float(first.mean() - second.mean())
    found = {"value": difference, "scenarios": int(sizes.min())}
    if sizes.min() < 2:
        return found | {"note": ONE_SCENARIO}
    parts = np.array([first.var(ddof=1), second.var(ddof=1)]) / sizes
    se = math.sqrt(parts.sum())
    if se <= EQUAL * max(abs(first.mean()), abs(second.mean())):
        return found | {"note": ALIKE}
    df = parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum()
    half, p = t_reach(df) * se, t_p(difference / se, df)
    ends = {"low": difference - half, "high": difference + half, "interval": "scenarios"}
    return found | ends | {"p": p, "mde": t_seen(df, USUAL.alpha, USUAL.power) * se}
