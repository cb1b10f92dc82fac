"""From the rows of all runs to the tables of a study: score matrices, turn-taking cells, η², survival curves.

Every function takes the tidy frame of run rows, already reduced to one mode and one judge, and returns
tidy rows with `SUMMARY`. Cells pool by adding counts (Σ value / Σ n); a cell without opportunities is
missing, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.library import INFO
from dyad.measure.catalogue import MEASURES
from dyad.spec import Archetype
from dyad.stats import KaplanMeier, bootstrap_each, kaplan_meier, three_way, two_way, wilson

if TYPE_CHECKING:
    import pandas as pd

TURN_TAKING = ("tor_pause", "tor_end", "backchannels", "barge_in", "occupancy")
VARIANCE = ("tor_pause", "tor_end", "backchannels", "barge_in")
DRAW = ("seed", "opener", "repetition")  # what tells the free conversations of one pairing apart
CONDITIONS: dict[str, Callable[[Any], str]] = {  # columns that are never pooled over, and how each is named
    "channel": str,
    "window": lambda seconds: f"{seconds:g} s",
    "twin": lambda twin: f"twin {twin}" if twin else "no twin",
    "lang": str,
}
TIMES = {"entry": "time to the first line in role", "deviation": "time to the first line off role"}
# Counts of ticks or words: neighbours are alike, so Wilson's interval would be far too narrow.
UNINDEPENDENT = frozenset({"occupancy", "overlap", "silence", "text_heard"})
# The headline score of each archetype that is scored; INFO names the concept, this the row that carries it.
HEADLINE: dict[Archetype, str] = {
    "t1_1": "adherence", "t1_2": "adherence", "t2": "solved", "t3_1": "occupancy", "t3_2": "occupancy",
    "t4_1": "won", "t4_2": "leak", "t4_3": "won_if_decided", "t4_4": "gap_share",
}  # fmt: skip
SUMMARY = (
    "condition", "table", "archetype", "measure", "agent", "partner", "term", "at", "value", "sd", "low",
    "high", "interval", "hits", "n", "observations", "scenarios", "missing", "unit", "better",
)  # fmt: skip
MDE_FACTOR = 2.801585  # 80 % power, α = .05 two-sided
MDE_BETWEEN, MDE_WITHIN = 0.02, 0.21  # assumed variances of a paired share (between scenarios, of a run)

Row = dict[str, Any]
Floats = NDArray[np.float64]


class Cell(NamedTuple):
    """One pooled cell. `interval` says how low and high were made, see `pool`; "" where there are none.

    `n` counts opportunities (ticks, for shares of time); `observations` the rows that had any: seats, or
    runs where a score is the pair's.
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


def of_judge(frame: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return the rows of a frame of run rows that one judge made, and those that need no judge."""
    return frame[frame["judge"].isin(("", judge))]


def summary(frame: pd.DataFrame, draws: int = 0) -> list[Row]:
    """Return all study rows of a frame of run rows, with `draws` scenario resamples for the SD of η².

    Raises ValueError for rows of several judges, which must never be pooled: see `of_judge`.

    Other channels, windows, twins and languages are other conditions: each has tables of its own and none is
    pooled.
    """
    if frame.loc[frame["judge"] != "", "judge"].nunique() > 1:
        raise ValueError("rows of several judges; choose one with of_judge")
    frame = with_draws(frame)
    return [
        row | {"condition": condition}
        for condition, part in conditions(frame)
        for row in (*matrices(part), *turn_cells(part), *variance(part, draws), *survival(part))
    ]


def with_draws(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with each draw of a free conversation as a scenario of its own.

    What has no content has no scenarios to generalise over. Its draws (seed, opener, repetition) take their
    place: the runs of one share their random numbers over all pairings, as those of one scenario do.
    """
    draw = frame["scenario"].str.cat(frame[list(DRAW)].astype(str), sep="/")
    return frame.assign(scenario=frame["scenario"].where(frame["task"] != "t0", draw))


def conditions(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each condition with a name for it, of what differs in the frame; "" for only one."""
    several = [key for key in CONDITIONS if frame[key].nunique(dropna=False) > 1]
    for values, part in frame.groupby(list(CONDITIONS), sort=True, dropna=False):
        named = dict(zip(CONDITIONS, values, strict=True))
        yield ", ".join(CONDITIONS[key](named[key]) for key in several), part


def pool(rows: pd.DataFrame, measure: str) -> Cell:
    """Pool the rows of one cell: Σ value / Σ n, with an interval over scenarios where they differ.

    `scenarios`: value ± t · SE of the ratio, scenarios being the clusters (Cochran, Sampling Techniques,
    §6.3); with equal n it is the interval of the mean of scenario means. `wilson`, of shares: for a single
    scenario or scenarios that are all alike. It takes all opportunities as independent, so it is too narrow.
    """
    known = rows[rows["value"].notna()]
    sums = known.groupby("scenario", sort=True)[["value", "n"]].sum().astype(float)
    sums = sums[sums["n"] > 0]
    hits, n = float(sums["value"].sum()), float(sums["n"].sum())
    interval = _interval(sums["value"].to_numpy(), sums["n"].to_numpy(), measure) if n else (None, None, "")
    missing = int(rows["value"].isna().sum())
    return Cell(hits / n if n else None, *interval, hits, n, int((known["n"] > 0).sum()), len(sums), missing)


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
    """Score matrices: row = acting agent, column = partner, one per scored archetype in the frame."""
    for archetype, measure in HEADLINE.items():
        for agent, partner, rows in _cells(_scored(frame, archetype)):
            cell = pool(rows, measure)
            if archetype == "t3_1" and agent == partner and cell.value is not None:  # half, whatever is said
                cell = cell._replace(value=0.5, low=None, high=None, interval="pinned")
            yield _row("matrix", archetype, measure, agent, partner, cell)


def turn_cells(frame: pd.DataFrame) -> Iterator[Row]:
    """Turn-taking of each agent against each partner, pooled over all tasks."""
    for measure in TURN_TAKING:
        own = frame[frame["measure"] == measure]
        for agent, partner, rows in _cells(own):
            yield _row("turns", "", measure, agent, partner, pool(rows, measure))


def variance(frame: pd.DataFrame, draws: int = 0) -> Iterator[Row]:
    """η²: three-way over archetype × model × partner for turn-taking, two-way for each score matrix.

    By task where some archetype leaves a cell without opportunities; dropped if even that leaves a hole.
    With one level, as in a study of free conversation, turn-taking too is split two-way.
    `draws`: resamples of scenarios within their archetype for `sd`; 0 for none.
    """
    agents = sorted(set(frame["agent"]))
    if len(agents) < 2:
        return
    for measure in VARIANCE:
        own = frame[frame["measure"] == measure]
        for factor in ("archetype", "task"):
            if rows := _eta(own, agents, factor, draws):
                yield from (_blank() | {"archetype": factor, "measure": measure} | row for row in rows)
                break
    for archetype, measure in HEADLINE.items():
        rows = _eta(_scored(frame, archetype), agents, "archetype", draws)
        about = {"archetype": archetype, "measure": measure}
        yield from (_blank() | about | row for row in rows)


def _eta(own: pd.DataFrame, agents: Sequence[str], factor: str, draws: int) -> list[Row]:
    """Return the shares of level of a factor × agent × partner; none where a cell is undefined."""
    import pandas as pd

    keys = [*dict.fromkeys((factor, "archetype", "scenario")), "agent", "partner"]
    sums = pd.DataFrame(own.groupby(keys)[["value", "n"]].sum().astype(float).unstack(keys[-2:]))
    levels, strata = (sums.index.get_level_values(name).to_numpy() for name in (factor, "archetype"))
    square = pd.MultiIndex.from_product([("value", "n"), agents, agents])
    cells = sums.reindex(columns=square).fillna(0.0).to_numpy().reshape(-1, 2, len(agents), len(agents))
    data = (cells[:, 0], cells[:, 1], levels)
    if not (split := _shares(*data)):
        return []
    rng, of = np.random.default_rng(0), strata.tolist()
    drawn = bootstrap_each(_shares, *data, rng=rng, strata=of, draws=draws) if draws else {}
    size = len(set(levels)) * len(agents) ** 2
    head = {"table": "eta", "n": size, "unit": "share of variance"}
    return [
        head | {"term": term, "value": share, "sd": drawn[term].sd if term in drawn else None}
        for term, share in split.items()
    ]


def _shares(hits: Floats, n: Floats, levels: NDArray[Any]) -> dict[str, float]:
    """Return η² from the sums of each scenario, [S, M, P], pooled by the level that it belongs to."""
    pooled = [(hits[levels == x].sum(axis=0), n[levels == x].sum(axis=0)) for x in sorted(set(levels))]
    cells = [np.divide(h, k, out=np.full(h.shape, math.nan), where=k > 0) for h, k in pooled]
    split = three_way(np.array(cells)) if len(cells) > 1 else two_way(cells[0]) if cells else None
    return {} if split is None or split.shares is None else split.shares


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
    if scenarios < 1 or not runs_per_cell > 0:  # NaN too
        return None
    return MDE_FACTOR * math.sqrt((MDE_BETWEEN + 2 * MDE_WITHIN / runs_per_cell) / scenarios)


def _scored(frame: pd.DataFrame, archetype: Archetype) -> pd.DataFrame:
    """Rows of an archetype's headline score, of its scored role; a pair's score counts for both agents."""
    import pandas as pd

    own = frame[(frame["archetype"] == archetype) & (frame["measure"] == HEADLINE[archetype])]
    if (anchor := INFO[archetype].anchor) is not None:
        own = own[own["role"].isin((anchor, ""))]
    pair = own[(own["seat"] == "") & (own["agent"] != own["partner"])]
    mirrored = pair.rename(columns={"agent": "partner", "partner": "agent"})
    return pd.concat([own, mirrored[own.columns]]) if len(pair) else own


def _cells(own: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    for (agent, partner), rows in own.groupby(["agent", "partner"], sort=True):
        yield str(agent), str(partner), rows


def _blank() -> Row:
    texts = dict.fromkeys(("condition", "archetype", "agent", "partner", "term", "interval"), "")
    return dict.fromkeys(SUMMARY, None) | texts | {"better": 0}


def _row(table: str, archetype: str, measure: str, agent: str, partner: str, cell: Cell) -> Row:
    about = MEASURES[measure]
    named = {"table": table, "archetype": archetype, "measure": measure, "agent": agent, "partner": partner}
    return _blank() | named | {"unit": about.unit, "better": about.better} | cell._asdict()
