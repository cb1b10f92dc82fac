"""Time to event: Kaplan–Meier curves of entry into a role and of deviation from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dyad.stats import KaplanMeier, band, resamples, tail_share
from dyad.stats.boot import BLOCK
from dyad.stats.curves import medians, percentiles

from .draws import NONE, Draws
from .rows import ONE_SCENARIO, Row, row
from .samples import Sample, Who, groups, sample, seats_in_role, to_seconds
from .words import NOT_REACHED

if TYPE_CHECKING:
    import pandas as pd

TIMES = {
    "entry": "time to the first line in role",
    "deviation": "time to the first line off role",
}
MIN_AT_RISK = 5  # a left-truncated curve starts when so many seats are at risk

Ends = tuple[float | None, float | None]


def survival(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Kaplan–Meier curves by archetype and agent, over all partners and with each of them.

    Term `median` has the interval of a bootstrap over scenarios, `survival` the pointwise log-log band, which
    takes seats as independent. Deviation is as the mode says: in `paper` on the clock of the conversation, of
    the seats that entered, all at risk from 0; in `strict` since entry. Terms `truncated median` and
    `truncated survival` are on the clock of the conversation, each seat at risk from its entry; `at` of the
    median is when the curve starts. Where too few seats are ever at risk at once, paper has `gap median` and
    `gap survival`, since entry.
    """
    own = part[part["measure"].isin(tuple(TIMES))]
    for who, rows in groups(own):
        measured = set(rows["measure"])
        if "entry" in measured:  # whose seats have a row of deviation only where they entered
            measured.add("deviation")
        for measure in (name for name in TIMES if name in measured):
            yield from _curve(who, measure, sample(rows[rows["measure"] == measure]), draws)
    for who, rows in groups(seats_in_role(own).dropna(subset="end")):
        yield from _from_entry(who, rows[rows["entry"].notna()], own["mode"].iloc[0] == "paper", draws)


def _curve(
    who: Who, measure: str, own: Sample, draws: Draws, kind: str = "", min_at_risk: int = 1
) -> Iterator[Row]:
    """The median and the points of one curve; `kind` tells a second curve of the measure apart."""
    about = {**who._asdict(), "measure": measure, "better": 0}
    curve = own.curve(min_at_risk)
    if curve is None:
        yield row("km", **about, term=f"{kind}median", n=0, missing=own.missing, note=_why_none(own))
        return
    yield row("km", **about, term=f"{kind}median", **_median(own, curve, draws))
    ends = zip(curve.times, curve.survival, curve.n_at_risk, band(curve), strict=True)
    for at, share, risk, bounds in ends:
        low, high = bounds or (None, None)
        interval = "log-log" if bounds else ""
        numbers = {"at": to_seconds(at), "value": float(share), "low": low, "high": high}
        yield row("km", **about, term=f"{kind}survival", **numbers, interval=interval, n=risk, unit="share")


def _why_none(own: Sample) -> str:
    if own.times.size:
        return f"never {MIN_AT_RISK} at risk at once"
    return "all times missing" if own.missing else "nobody at risk"


def _median(own: Sample, curve: KaplanMeier, draws: Draws) -> Row:
    ends = None if curve.median is None else _percentiles(own, curve.start, draws)
    low, high = ends or (None, None)
    return {
        "at": None if own.entries is None else to_seconds(curve.start),
        "value": to_seconds(curve.median),
        "low": low,
        "high": high,
        "interval": "bootstrap" if low is not None else "",
        "hits": float(sum(curve.n_events)),
        "n": curve.n,
        "scenarios": len(own.names),
        "missing": own.missing,
        "note": NOT_REACHED if curve.median is None else _about_ends(ends, draws),
    }


def _about_ends(ends: Ends | None, draws: Draws) -> str:
    if ends is None:
        return ONE_SCENARIO if draws.bootstrap else ""
    return "upper end not reached" if ends[1] is None else ""


def _percentiles(own: Sample, start: float, draws: Draws) -> Ends | None:
    """Interval of the median over resampled scenarios, an end that is not reached being None."""
    weights = resamples(len(own.names), draws.rng("km"), draws=draws.bootstrap)
    if not len(weights):
        return None
    table = own.counts(start)
    drawn = [medians(table, weights[i : i + BLOCK]) for i in range(0, len(weights), BLOCK)]
    low, high = percentiles(np.concatenate(drawn), 1 - 2 * tail_share([len(own.names)]))
    return to_seconds(low), to_seconds(high)


def _from_entry(who: Who, seats: pd.DataFrame, paper: bool, draws: Draws) -> Iterator[Row]:
    """Deviation of the seats that entered, each at risk from its entry on."""
    entry, deviation, end = (seats[name].to_numpy(float) for name in ("entry", "deviation", "end"))
    happened, scenarios = ~np.isnan(deviation), seats["scenario"].to_numpy(str)
    exits = np.where(happened, deviation, end)
    late = Sample(exits, happened, scenarios, entries=entry)
    yield from _curve(who, "deviation", late, draws, "truncated ", MIN_AT_RISK)
    if paper and exits.size and late.curve(MIN_AT_RISK) is None:
        yield from _curve(who, "deviation", Sample(exits - entry, happened, scenarios), draws, "gap ")
