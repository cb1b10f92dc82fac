"""From the rows of all runs to the tables of a study: score matrices, turn-taking cells, η², survival curves.

Every function takes the tidy frame of run rows, already reduced to one mode and one judge, and returns
tidy rows with `SUMMARY`. Cells pool by adding counts (Σ value / Σ n); a cell without opportunities is
missing, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.library import INFO
from dyad.measure.catalogue import MEASURES
from dyad.stats import KaplanMeier, kaplan_meier, three_way, two_way, wilson

if TYPE_CHECKING:
    import pandas as pd

TURN_TAKING = ("tor_pause", "tor_end", "backchannels", "barge_in", "occupancy")
VARIANCE = ("tor_pause", "tor_end", "backchannels", "barge_in")
TIMES = {"entry": "time to the first line in role", "deviation": "time to the first line off role"}
# Counts of ticks or words: neighbours are alike, so Wilson's interval would be far too narrow.
UNINDEPENDENT = frozenset({"occupancy", "overlap", "silence", "text_heard"})
# The headline score of each archetype; INFO names the concept, this the row that carries it.
HEADLINE = {
    "t1_1": "adherence", "t1_2": "adherence", "t2": "solved", "t3_1": "occupancy", "t3_2": "occupancy",
    "t4_1": "won", "t4_2": "leak", "t4_3": "won_if_decided", "t4_4": "gap_share",
}  # fmt: skip
SUMMARY = (
    "table", "archetype", "measure", "agent", "partner", "term", "at", "value", "sd", "low", "high",
    "interval", "hits", "n", "scenarios", "missing", "unit", "better",
)  # fmt: skip
MDE_FACTOR = 2.801585  # 80 % power, α = .05 two-sided
MDE_BETWEEN, MDE_WITHIN = 0.02, 0.21  # assumed variances of a paired share (between scenarios, of a run)

Row = dict[str, Any]
Floats = NDArray[np.float64]


class Cell(NamedTuple):
    """One pooled cell. `interval` says how low and high were made, see `pool`; "" where there are none."""

    value: float | None
    low: float | None
    high: float | None
    interval: str
    hits: float
    n: float
    scenarios: int
    missing: int


def summary(frame: pd.DataFrame) -> list[Row]:
    """Return all study rows of a frame of run rows."""
    return [*matrices(frame), *turn_cells(frame), *variance(frame), *survival(frame)]


def pool(rows: pd.DataFrame, measure: str) -> Cell:
    """Pool the rows of one cell: Σ value / Σ n, with an interval over scenarios where they differ.

    `scenarios`: value ± t · SE of the ratio, scenarios being the clusters (Cochran, Sampling Techniques,
    §6.3); with equal n it is the interval of the mean of scenario means. `wilson`, of shares: for a single
    scenario or scenarios that are all alike. It takes the n opportunities as independent, so it is too narrow.
    """
    known = rows[rows["value"].notna()]
    sums = known.groupby("scenario", sort=True)[["value", "n"]].sum().astype(float)
    sums = sums[sums["n"] > 0]
    hits, n = float(sums["value"].sum()), float(sums["n"].sum())
    interval = _interval(sums["value"].to_numpy(), sums["n"].to_numpy(), measure) if n else (None, None, "")
    missing = int(rows["value"].isna().sum())
    return Cell(hits / n if n else None, *interval, hits, n, len(sums), missing)


def _interval(hits: Floats, n: Floats, measure: str) -> tuple[float | None, float | None, str]:
    """Return low, high and how they were made, from the sums of each scenario."""
    unit, count, ratio = MEASURES[measure].unit, len(n), float(hits.sum() / n.sum())
    residual = float(((hits - ratio * n) ** 2).sum())
    if count > 1 and residual > (1e-9 * n.sum()) ** 2:  # equal shares say nothing about how shares vary
        from scipy.stats import t

        se = math.sqrt(residual * count / (count - 1)) / float(n.sum())
        half = float(t.ppf(0.975, count - 1)) * se
        low = ratio - half if unit == "ratio" else max(ratio - half, 0.0)  # the others cannot be negative
        return low, min(ratio + half, 1.0) if unit == "share" else ratio + half, "scenarios"
    if unit == "share" and measure not in UNINDEPENDENT:
        found = wilson(round(hits.sum()), round(n.sum()))
        return (None, None, "") if found is None else (found.low, found.high, "wilson")
    return None, None, ""


def matrices(frame: pd.DataFrame) -> Iterator[Row]:
    """Score matrices: row = acting agent, column = partner, one per archetype in the frame."""
    for archetype, info in INFO.items():
        measure = HEADLINE[archetype]
        own = frame[(frame["archetype"] == archetype) & (frame["measure"] == measure)]
        if info.anchor is not None:
            own = own[own["role"].isin((info.anchor, ""))]
        own = _both_ways(own)
        for agent, partner, rows in _cells(own):
            cell = pool(rows, measure)
            if archetype == "t3_1" and agent == partner and cell.value is not None:
                cell = cell._replace(value=0.5, low=None, high=None, interval="pinned")
            yield _row("matrix", archetype, measure, agent, partner, "", cell)


def turn_cells(frame: pd.DataFrame) -> Iterator[Row]:
    """Turn-taking of each agent against each partner, pooled over all tasks."""
    for measure in TURN_TAKING:
        own = frame[frame["measure"] == measure]
        for agent, partner, rows in _cells(own):
            cell = pool(rows, measure)
            yield _row("turns", "", measure, agent, partner, "", cell)


def variance(frame: pd.DataFrame) -> Iterator[Row]:
    """η²: three-way over archetype × model × partner for turn-taking, two-way for each score matrix."""
    agents = sorted(set(frame["agent"]))
    if len(agents) < 2:
        return
    for measure in VARIANCE:
        yield from _three_way(frame[frame["measure"] == measure], measure, agents)
    scored = {(r["archetype"], r["agent"], r["partner"]): r["value"] for r in matrices(frame)}
    for archetype in INFO:
        cells = _square(scored, archetype, agents)
        split = two_way(cells)
        if split is None or split.shares is None:
            continue
        for term, value in split.shares.items():
            yield _term("eta", archetype, HEADLINE[archetype], term, value, cells.size)


def _three_way(own: pd.DataFrame, measure: str, agents: Sequence[str]) -> Iterator[Row]:
    """By archetype if every cell has opportunities, else by task; dropped if even that leaves a hole."""
    for factor in ("archetype", "task"):
        levels = sorted(set(own[factor]))
        sums = own.groupby([factor, "agent", "partner"])[["value", "n"]].sum()
        rates = {key: row["value"] / row["n"] if row["n"] else None for key, row in sums.iterrows()}
        cells = np.array([_square(rates, level, agents) for level in levels])
        split = three_way(cells) if len(levels) > 1 else None
        if split is not None and split.shares is not None:
            for term, value in split.shares.items():
                yield _term("eta", factor, measure, term, value, cells.size)
            return


def _square(values: Mapping[Any, float | None], level: str, agents: Sequence[str]) -> Floats:
    """Return agents × partners at one level of a factor; NaN where there is no value."""
    cells = [[values.get((level, agent, partner)) for partner in agents] for agent in agents]
    return np.array([[math.nan if x is None else x for x in row] for row in cells], float)


def survival(frame: pd.DataFrame) -> Iterator[Row]:
    """Kaplan–Meier curves of entry and deviation, per archetype and agent; deviation as the mode says."""
    for measure in TIMES:
        own = frame[(frame["measure"] == measure) & frame["value"].notna()]
        for (archetype, agent), rows in own.groupby(["archetype", "agent"], sort=True):
            curve = kaplan_meier(rows["value"].to_numpy(float), rows["observed"].to_numpy(bool))
            if curve is not None:
                yield from _curve(str(archetype), measure, str(agent), curve)


def _curve(archetype: str, measure: str, agent: str, curve: KaplanMeier) -> Iterator[Row]:
    events = float(sum(curve.n_events))
    median = curve.median
    head = {"table": "km", "archetype": archetype, "measure": measure, "agent": agent, "unit": "s"}
    yield _blank() | head | {
        "term": "median", "value": None if median is None else float(median), "hits": events, "n": curve.n,
    }  # fmt: skip
    points = zip(curve.times, curve.survival, curve.n_at_risk, strict=True)
    for at, share, risk in points:
        yield _blank() | head | {"term": "survival", "at": float(at), "value": float(share), "n": risk}


def mde(scenarios: int, runs_per_cell: float) -> float | None:
    """Return the smallest difference of a share that this design sees with 80 % power, or None.

    scenarios: per archetype; runs_per_cell: per scenario. Paired by scenario, with the assumed variances
    above (dyad's power table for DyaFDB-like studies).
    """
    if scenarios < 1 or runs_per_cell <= 0:
        return None
    return MDE_FACTOR * math.sqrt((MDE_BETWEEN + 2 * MDE_WITHIN / runs_per_cell) / scenarios)


def _both_ways(own: pd.DataFrame) -> pd.DataFrame:
    """A pair's score counts for both of its agents: rows about the pair are read from either end."""
    import pandas as pd

    pair = own[(own["seat"] == "") & (own["agent"] != own["partner"])]
    mirrored = pair.rename(columns={"agent": "partner", "partner": "agent"})
    return pd.concat([own, mirrored[own.columns]])


def _cells(own: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    for (agent, partner), rows in own.groupby(["agent", "partner"], sort=True):
        yield str(agent), str(partner), rows


def _blank() -> Row:
    return dict.fromkeys(SUMMARY, None) | {
        "agent": "",
        "partner": "",
        "term": "",
        "interval": "",
        "better": 0,
    }


def _row(table: str, archetype: str, measure: str, agent: str, partner: str, term: str, cell: Cell) -> Row:
    about = MEASURES[measure]
    named = {"table": table, "archetype": archetype, "measure": measure, "agent": agent, "partner": partner}
    return _blank() | named | {"term": term, "unit": about.unit, "better": about.better} | cell._asdict()


def _term(table: str, archetype: str, measure: str, term: str, value: float, cells: int) -> Row:
    named = {"table": table, "archetype": archetype, "measure": measure, "term": term}
    return _blank() | named | {"value": value, "n": cells, "unit": "share of variance"}
