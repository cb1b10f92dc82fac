"""From the rows of a suite's trials to the rows of its tables.

The stimulus is the unit: its repetitions are averaged first. Rows are those of `dyad.tables.rows`, in which
`condition` is the set, `archetype` its kind, `term` the mode, so that no column mixes two modes. The tables:

| table | one row is |
|---|---|
| `suite` | a mean over stimuli; of times that can be censored, over those that responded |
| `suite_median`, `suite_rmst` | Kaplan–Meier median and restricted mean up to `at`, of all times |
| `suite_difference` | agent less partner, two agents, paired by stimulus, with what could have been seen |
| `suite_significance` | after an overlap less `partner` (`pre`, `clean`) of one agent |
| `suite_status` | trials of the plan that ended as `term` says, of `n` |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from dyad.measure.catalogue import Measure
from dyad.spec.suite import Kind
from dyad.stats import (
    MDE_FACTOR,
    KaplanMeier,
    band,
    cluster_mean,
    holm,
    kaplan_meier,
    rmst,
    t_reach,
    wilson,
)
from dyad.stats.values import Floats
from dyad.tables.cells import NO_OPPORTUNITY, NOTHING_KNOWN
from dyad.tables.draws import Draws
from dyad.tables.paired import LEVEL, UNDISTINGUISHED, paired
from dyad.tables.rows import EQUAL, Row, row
from dyad.tables.words import NOT_REACHED

from .protocol import Mode, Status

if TYPE_CHECKING:
    import pandas as pd

    from .fdb.significance import Compared

STATUSES: tuple[Status, ...] = get_args(Status)
KINDS: tuple[Kind, ...] = get_args(Kind)
ONE_STIMULUS = "one stimulus: no interval"
ALIKE = "the same for every stimulus: no interval"
NOBODY = "nobody responded"
RESPONDED = "of those that responded"
DDOF_0 = "sd over stimuli with ddof 0"
OTHERWISE = "averaged as its authors do: no interval"
REPEATED = "repetitions taken as independent"
PARTS = ("_pre", "_post", "_clean")  # of a recording: compared within an agent, not between two
POPULATION_SD = frozenset({"jsd"})  # in compat the authors print this sd beside the mean
SAME_TIME = 6  # decimals of a second: equal times must be equal numbers

Statuses = Mapping[tuple[str, str], Mapping[Status, int]]  # agent and set → planned trials by status
Sample = Mapping[str, float | None]  # values of a stimulus by measure
Test = Callable[[Sequence[Sample], Mode], "Iterable[Compared]"]
Average = Callable[[Sequence[float | None]], float | None]


def summary(
    frame: pd.DataFrame,
    statuses: Statuses,
    measures: Mapping[str, Measure],
    draws: Draws | None = None,
    *,
    test: Test | None = None,
    averages: Mapping[str, Average] | None = None,
) -> list[Row]:
    """Return the rows of all tables of a suite, from the trials' rows of one judge.

    `frame` has `dyad.measure.rows.COLUMNS`: one row per trial, measure and mode; a value that is not there is
    missing and is counted, n = 0 is no opportunity. Sets come in the order of their kinds, measures in that
    of `measures`; others are left out. Shares have Wilson's interval, means that of Student's t over stimuli.
    In compat a mean is Σ value / Σ n, as that of the authors' lists, or what `averages` has for a measure.
    `test` is what a suite tests within an agent, on the values of each sample.
    """
    found = list(_status_rows(frame, statuses))
    for about, own in _sets(frame, measures):
        agents = {str(agent): rows for agent, rows in own.groupby("agent", sort=True)}
        censored = about["unit"] == "s" and not own["observed"].astype(bool).all()
        for agent, rows in agents.items():
            found.append(row("suite", **about, agent=agent, **_mean(_rates(rows), about, averages or {})))
        if censored:
            found += _times(about, agents)
        if not about["measure"].endswith(PARTS):
            found += _differences(about, agents, draws or Draws(), censored)
    if test is not None:
        found += _tested(frame, measures, test)
    return _adjusted(found)


def _status_rows(frame: pd.DataFrame, statuses: Statuses) -> Iterator[Row]:
    kinds = dict(zip(frame["task"], frame["archetype"], strict=True))
    for (agent, task), counts in statuses.items():
        about = {"condition": task, "archetype": kinds.get(task, ""), "agent": agent}
        planned = sum(counts.values())
        for status in STATUSES:
            yield row("suite_status", **about, term=status, value=counts.get(status, 0), n=planned)


def _sets(frame: pd.DataFrame, measures: Mapping[str, Measure]) -> Iterator[tuple[Row, pd.DataFrame]]:
    """Yield what all rows of a measure on one set share, and the trials' rows of it, by mode."""
    tasks, order = list(dict.fromkeys(frame["task"])), list(measures)
    groups = frame[frame["measure"].isin(order)].groupby(["mode", "archetype", "task", "measure"], sort=False)
    for keys, own in sorted(groups, key=lambda group: _place(group[0], tasks, order)):
        mode, kind, task, name = map(str, keys)
        about = {"condition": task, "archetype": kind, "measure": name, "term": mode}
        yield about | {"unit": measures[name].unit, "better": int(own["better"].iloc[0])}, own


def _place(keys: Any, tasks: Sequence[str], order: Sequence[str]) -> tuple[str, int, int, int]:
    mode, kind, task, name = keys
    of_kind = KINDS.index(kind) if kind in KINDS else len(KINDS)
    return mode, of_kind, tasks.index(task), order.index(name)


# -- means -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rates:
    """The numbers of one agent, set, measure and mode: sums of value and n of each stimulus, [S]."""

    value: Floats
    n: Floats
    names: list[str]
    trials: int
    missing: int
    censored: int

    @property
    def each(self) -> Floats:
        """The mean of every stimulus over its repetitions."""
        return np.asarray(self.value / self.n)

    @property
    def uneven(self) -> bool:
        """Whether stimuli differ in how many numbers they have."""
        return bool((self.n != self.n[0]).any())


def _rates(rows: pd.DataFrame) -> _Rates:
    lost = rows["value"].isna()
    had = rows[~lost & (rows["n"] > 0)]
    seen = had["observed"].astype(bool)
    sums = had[seen].groupby("scenario", sort=True)[["value", "n"]].sum()
    value, n = (sums[name].to_numpy(float) for name in ("value", "n"))
    return _Rates(value, n, sums.index.tolist(), int(seen.sum()), int(lost.sum()), int((~seen).sum()))


def _mean(rates: _Rates, about: Row, averages: Mapping[str, Average]) -> Row:
    counts: Row = {"n": len(rates.names), "scenarios": len(rates.names), "missing": rates.missing}
    counts |= {"observations": rates.trials}
    if not rates.names:
        why = NOBODY if rates.censored else NOTHING_KNOWN if rates.missing else NO_OPPORTUNITY
        return counts | {"note": why}
    each, compat = rates.each, about["term"] == "compat"
    if compat and about["measure"] in averages:
        return counts | {"value": averages[about["measure"]](each.tolist()), "note": OTHERWISE}
    pooled, population = compat and rates.uneven, compat and about["measure"] in POPULATION_SD
    value = float(rates.value.sum() / rates.n.sum()) if pooled else float(each.mean())
    spread = _ratio_se(rates, value) if pooled else _se(each)
    yes_or_no = about["unit"] == "share" and not pooled and bool(np.isin(each, (0.0, 1.0)).all())
    found: Row = {"value": value, "hits": float(rates.value.sum())}
    found |= _wilson(each) if yes_or_no else _ends(each, value, spread, about["unit"])
    if population or len(each) > 1:
        found["sd"] = float(each.std(ddof=0 if population else 1))
    notes = (*_remarks(rates, pooled), found.pop("note", ""), DDOF_0 if population else "")
    return counts | found | {"note": ", ".join(filter(None, notes))}


def _remarks(rates: _Rates, pooled: bool) -> Iterator[str]:
    """What a reader of a mean must know beside it."""
    if rates.censored:
        yield f"{RESPONDED}; {rates.censored} censored"
    if negative := int((rates.value < 0).sum()):
        yield f"{negative} negative"
    if pooled:
        yield f"pooled over {rates.n.sum():.0f} numbers"


def _wilson(each: Floats) -> Row:
    """The interval of a share where every stimulus is a yes or a no."""
    found = wilson(round(each.sum()), len(each))
    if found is None or found.n < 2:
        return {"note": ONE_STIMULUS}
    return {"low": found.low, "high": found.high, "interval": "wilson"}


def _ends(each: Floats, value: float, se: float | None, unit: str) -> Row:
    """The interval of any other mean, of t. What is never below 0 has no interval there."""
    if len(each) < 2:
        return {"note": ONE_STIMULUS}
    if not se or se <= EQUAL * abs(value):
        return {"note": ALIKE}
    half = t_reach(len(each) - 1) * se
    low = value - half if (each < 0).any() else max(value - half, 0.0)
    return {"low": low, "high": min(value + half, 1.0) if unit == "share" else value + half, "interval": "t"}


def _se(each: Floats) -> float | None:
    mean = cluster_mean(each)
    return None if mean is None else mean.se


def _ratio_se(rates: _Rates, ratio: float) -> float | None:
    """The standard error of a ratio of sums over stimuli (Cochran, Sampling Techniques, §6.3)."""
    count = len(rates.n)
    if count < 2:
        return None
    residual = float(((rates.value - ratio * rates.n) ** 2).sum())
    return math.sqrt(residual * count / (count - 1)) / float(rates.n.sum())


# -- censored times --------------------------------------------------------------------------------


def _curve(rows: pd.DataFrame) -> KaplanMeier | None:
    """The curve of the trials of one agent. A time below 0, an answer before the event, counts as 0."""
    had = rows[rows["value"].isna() | (rows["n"] > 0)]  # the others had no opportunity
    times = (had["value"] / had["n"].where(had["n"] > 0)).clip(lower=0).round(SAME_TIME)
    return kaplan_meier(times.to_numpy(float), had["observed"].astype(int).to_numpy())


def _horizon(curves: Iterable[KaplanMeier | None]) -> float | None:
    """The last time at which the curves of all agents are known, so that restricted means compare."""
    known = [curve for curve in curves if curve is not None]
    open_ended = [curve.times[-1] for curve in known if curve.survival[-1]]
    return min(open_ended) if open_ended else max((curve.times[-1] for curve in known), default=None)


def _times(about: Row, agents: Mapping[str, pd.DataFrame]) -> Iterator[Row]:
    curves = {agent: _curve(rows) for agent, rows in agents.items()}
    tau = _horizon(curves.values())
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
            ends = _around(mean.value, mean.se, mean.tau)
            yield row("suite_rmst", **about, **counts, value=mean.value, at=tau, **ends, note=repeated)


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
    return {"low": max(value - half, 0.0), "high": min(value + half, most), "interval": "greenwood", "sd": se}


# -- differences -----------------------------------------------------------------------------------


def _differences(
    about: Row, agents: Mapping[str, pd.DataFrame], draws: Draws, censored: bool
) -> Iterator[Row]:
    """Every two agents. Censored times by restricted means, since those that responded are not comparable."""
    tau = _horizon(_curve(rows) for rows in agents.values()) if censored else None
    rng = draws.rng("suite_difference")
    for one, other in combinations(agents, 2):
        who = {**about, "agent": one, "partner": other}
        if tau is not None:
            yield row("suite_difference", **who, **_apart(agents[one], agents[other], tau))
            continue
        ours, theirs = _rates(agents[one]), _rates(agents[other])
        found = paired(_by_stimulus(ours, theirs), draws.permutations, rng)
        note = str(found.pop("note", "")).replace("scenario", "stimulus")
        yield row("suite_difference", **who, **found, n=found["scenarios"], note=note)


def _by_stimulus(ours: _Rates, theirs: _Rates) -> Floats:
    """Ours less theirs for each stimulus of either, NaN where one has no number."""
    one, other = (dict(zip(x.names, x.each.tolist(), strict=True)) for x in (ours, theirs))
    names = sorted(one.keys() | other.keys())
    return np.array([one.get(name, math.nan) - other.get(name, math.nan) for name in names])


def _apart(ours: pd.DataFrame, theirs: pd.DataFrame, tau: float) -> Row:
    """The difference of two restricted means as if independent, which for pairs errs on the safe side."""
    one, other = rmst(_curve(ours), tau), rmst(_curve(theirs), tau)
    if one is None or other is None:
        return {"n": 0, "note": NOTHING_KNOWN}
    value, se = one.value - other.value, math.hypot(one.se, other.se)
    found: Row = {
        "value": value,
        "at": tau,
        "n": min(one.n, other.n),
        "missing": one.n_missing + other.n_missing,
    }
    if not se:
        return found | {"note": ALIKE}
    normal = NormalDist()
    half = normal.inv_cdf(1 - LEVEL / 2) * se
    found |= {"low": value - half, "high": value + half, "interval": "greenwood"}
    p = 2 * normal.cdf(-abs(value) / se)
    return found | {"p": p, "mde": MDE_FACTOR * se, "note": "restricted means, not paired"}


def _adjusted(rows: Sequence[Row]) -> list[Row]:
    """Rows of differences with `p_adjusted`: Holm's over all of one set and mode."""
    found = list(rows)
    mine = [i for i, made in enumerate(rows) if made["table"] == "suite_difference" and made["p"] is not None]
    for family in dict.fromkeys((rows[i]["condition"], rows[i]["term"]) for i in mine):
        places = [i for i in mine if (rows[i]["condition"], rows[i]["term"]) == family]
        for i, p in zip(places, holm([rows[i]["p"] for i in places]), strict=True):
            found[i] = _concluded(rows[i] | {"p_adjusted": p})
    return found


def _concluded(made: Row) -> Row:
    low, high = made["low"], made["high"]
    if made["p_adjusted"] < LEVEL and (low is None or not low <= 0 <= high):
        return made
    return made | {"note": ", ".join(filter(None, (UNDISTINGUISHED, made["note"])))}


# -- within one agent ------------------------------------------------------------------------------


def samples(frame: pd.DataFrame) -> Iterator[tuple[Row, list[Sample]]]:
    """Yield the set, kind, mode and agent, and the values of each of its stimuli by measure."""
    rated = frame.assign(value=frame["value"] / frame["n"].where(frame["n"] > 0))
    for (mode, kind, task, agent), own in rated.groupby(["mode", "archetype", "task", "agent"], sort=True):
        table = own.pivot_table(index="scenario", columns="measure", values="value", aggfunc="mean")
        values: list[Sample] = [
            {str(name): None if math.isnan(value) else float(value) for name, value in stimulus.items()}
            for stimulus in table.to_dict("records")
        ]
        yield {"condition": task, "archetype": kind, "term": mode, "agent": agent}, values


def _tested(frame: pd.DataFrame, measures: Mapping[str, Measure], test: Test) -> Iterator[Row]:
    for about, values in samples(frame):
        for found in test(values, about["term"]):
            known = measures.get(f"{found.measure}_post")
            yield row(
                "suite_significance", **about, measure=found.measure, partner=found.before, value=found.diff,
                low=found.low, high=found.high, interval="paired t" if found.low is not None else "",
                p=found.p, p_adjusted=found.p_holm, n=found.n_used, missing=found.n_rows - found.n_used,
                unit=known.unit if known else "", note=found.note,
            )  # fmt: skip
