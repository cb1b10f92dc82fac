"""Cells: what the rows of one acting agent with one partner add up to, and the sums of all cells as arrays.

Counts are added and divided last (Σ value / Σ n); a cell without opportunities is missing, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dyad.measure.catalogue import MEASURES
from dyad.stats import t_reach, wilson
from dyad.stats.values import Floats

from .frame import halves
from .rows import ALIKE, ONE_SCENARIO

if TYPE_CHECKING:
    import pandas as pd


NO_OPPORTUNITY, NOTHING_KNOWN = "no opportunity", "nothing is known"

# Counts of ticks or words: neighbours are alike, so Wilson's interval would be far too narrow.
UNINDEPENDENT = frozenset({"occupancy", "overlap", "silence", "text_heard"})


class Cell(NamedTuple):
    """One pooled cell. `interval` says how low and high were made, see `pool`; "" where there are none.

    `n` counts opportunities (ticks, for shares of time); `observations` the rows that had any: seats, or
    runs where a score is the pair's or is shared in self-play. `note` says why there is no value or interval.
    """

    value: float | None
    low: float | None
    high: float | None
    interval: str
    hits: float
    n: float
    observations: int
    scenarios: int
    missing: int
    note: str = ""


@dataclass(frozen=True)
class Cells:
    """Sums of one measure by scenario, acting agent and partner: `hits` and `n`, each [S, M, P].

    `archetypes` are those of the scenarios, the strata in which scenarios are drawn.
    """

    hits: Floats
    n: Floats
    agents: tuple[str, ...]
    partners: tuple[str, ...]
    scenarios: tuple[str, ...]
    archetypes: tuple[str, ...]

    @property
    def values(self) -> Floats:
        """Rate of each scenario and cell [S, M, P]; NaN without opportunities."""
        return divided(self.hits, self.n)

    def pooled(self, weights: Floats | None = None) -> Floats:
        """Rate of each cell over all scenarios, [M, P]; with weights [B, S] of resamples, [B, M, P]."""
        drawn = np.ones(len(self.scenarios)) if weights is None else weights
        return divided(np.tensordot(drawn, self.hits, 1), np.tensordot(drawn, self.n, 1))

    def of(self, archetype: str) -> Cells:
        """Return the scenarios of one archetype."""
        keep = np.array([name == archetype for name in self.archetypes], bool)
        names = tuple(name for name, kept in zip(self.scenarios, keep, strict=True) if kept)
        kept_of = (archetype,) * len(names)
        return Cells(self.hits[keep], self.n[keep], self.agents, self.partners, names, kept_of)


def divided(hits: Floats, n: Floats) -> Floats:
    """Return hits / n, NaN where n is 0."""
    rates = np.full(np.shape(hits), math.nan)
    np.divide(hits, n, out=rates, where=n > 0)
    return rates


def cells_of(own: pd.DataFrame, agents: Sequence[str], partners: Sequence[str] | None = None) -> Cells:
    """Return the sums of the rows of one measure for `agents` acting with `partners` (the same by default).

    Rows with a missing value add nothing; scenarios without any row of these agents are left out.
    """
    import pandas as pd

    partners = agents if partners is None else partners
    known = own[own["value"].notna() & own["agent"].isin(agents) & own["partner"].isin(partners)]
    if known.empty:
        nothing = np.zeros((0, len(agents), len(partners)))
        return Cells(nothing, nothing, tuple(agents), tuple(partners), (), ())
    keys = ["archetype", "scenario", "agent", "partner"]
    sums = pd.DataFrame(known.groupby(keys)[["value", "n"]].sum().astype(float).unstack(keys[-2:]))
    columns = pd.MultiIndex.from_product([("value", "n"), agents, partners])
    flat = sums.reindex(columns=columns).fillna(0.0).to_numpy(float)
    table = flat.reshape(len(sums), 2, len(agents), len(partners))
    archetypes, scenarios = (tuple(sums.index.get_level_values(name)) for name in keys[:2])
    return Cells(table[:, 0], table[:, 1], tuple(agents), tuple(partners), scenarios, archetypes)


def pool(rows: pd.DataFrame, measure: str) -> Cell:
    """Pool the rows of one cell: Σ value / Σ n, with an interval over scenarios where they differ.

    `scenarios`: value ± t · SE of the ratio, scenarios being the clusters (Cochran, Sampling Techniques,
    §6.3); with equal n it is the interval of the mean of scenario means. `wilson`, of shares: for a single
    scenario or scenarios that are all alike. It takes all opportunities as independent, so it is too narrow.
    Of what an agent shares with itself each seat has half, with half the interval, and n counts pairs; of a
    whole that is `pinned`: known beforehand.
    """
    cells = [cell for _, cell in pool_each(rows.assign(measure=measure), ["measure"])]
    return cells[0] if cells else _cell(np.zeros((0, 4)), measure)


def pool_each(own: pd.DataFrame, keys: Sequence[str]) -> Iterator[tuple[dict[str, str], Cell]]:
    """Yield every group of rows with the same `keys`, one of which is the measure, pooled as by `pool`.

    The rows are added up once for all groups: a study has a thousand of them.
    """
    if own.empty:
        return
    known = own["value"].notna()
    parts = {"value": own["value"].fillna(0.0), "n": own["n"].where(known, 0.0), "lost": ~known}
    parts |= {"had": known & (own["n"] > 0), "alone": ~halves(own)}
    by_scenario = own[[*keys, "scenario"]].assign(**parts).groupby([*keys, "scenario"], sort=True)
    sums = by_scenario[[*parts]].sum().reset_index()
    names, values = sums[[*keys]].to_numpy(), sums[["value", "n", "had", "lost"]].to_numpy(float)
    alone = sums["alone"].to_numpy(bool)
    starts = np.flatnonzero(np.r_[True, (names[1:] != names[:-1]).any(axis=1)])
    groups = zip(starts, *(np.split(x, starts[1:]) for x in (values, alone)), strict=True)
    for start, rows, apart in groups:
        about = dict(zip(keys, names[start], strict=True))
        yield about, (_cell if apart.any() else _half)(rows, about["measure"])


def _half(sums: Floats, measure: str) -> Cell:
    """A cell of what both seats of each run share: half of what the pairs have."""
    if (sums[:, 0] > (0.5 + 1e-9) * sums[:, 1]).any():  # wrong data: both have what only one can have
        return _cell(sums, measure)
    pairs = _cell(sums * (1.0, 0.5, 0.5, 0.5), measure)
    if pairs.value is not None and MEASURES[measure].tie == "all":
        pairs = pairs._replace(value=1.0, low=None, high=None, interval="pinned", note="")
    value, low, high = (x if x is None else x / 2 for x in pairs[:3])
    return pairs._replace(value=value, low=low, high=high, hits=pairs.hits / 2)


def _cell(sums: Floats, measure: str) -> Cell:
    """A cell from the hits, opportunities, rows with any, and missing rows of each scenario, [S, 4]."""
    had = sums[sums[:, 1] > 0]
    hits, n = float(had[:, 0].sum()), float(had[:, 1].sum())
    interval = _interval(had[:, 0], had[:, 1], measure) if n else (None, None, "")
    observations, missing = int(sums[:, 2].sum()), int(sums[:, 3].sum())
    if n:
        why = "" if interval[2] else ONE_SCENARIO if len(had) == 1 else ALIKE
    else:
        why = NOTHING_KNOWN if missing else NO_OPPORTUNITY
    return Cell(hits / n if n else None, *interval, hits, n, observations, len(had), missing, why)


def _interval(hits: Floats, n: Floats, measure: str) -> tuple[float | None, float | None, str]:
    """Return low, high and how they were made, from the sums of each scenario."""
    unit, count, ratio = MEASURES[measure].unit, len(n), float(hits.sum() / n.sum())
    residual = float(((hits - ratio * n) ** 2).sum())
    if count > 1 and residual > (1e-9 * n.sum()) ** 2:  # equal shares say nothing about how shares vary
        se = math.sqrt(residual * count / (count - 1)) / float(n.sum())
        half = t_reach(count - 1) * se
        low = ratio - half if unit == "ratio" else max(ratio - half, 0.0)  # the others cannot be negative
        return low, min(ratio + half, 1.0) if unit == "share" else ratio + half, "scenarios"
    if unit == "share" and measure not in UNINDEPENDENT:
        found = wilson(round(hits.sum()), round(n.sum()))
        return (None, None, "") if found is None else (found.low, found.high, "wilson")
    return None, None, ""
