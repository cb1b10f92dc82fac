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
| `suite_status_compat` | the same in compat, of agents and sets where it is not the same |
| `suite_unscored` | one of them that was not scored: its stimulus as `partner`, why as `note` |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, get_args

from dyad.measure.catalogue import Measure
from dyad.spec.suite import KINDS
from dyad.tables.draws import Draws
from dyad.tables.rows import Row, row

from .differences import adjusted, differences
from .means import how_of, mean, rates_of
from .protocol import Average, Compared, Mode, Sample, Status
from .times import times

if TYPE_CHECKING:
    import pandas as pd

STATUSES: tuple[Status, ...] = get_args(Status)
PARTS = ("_pre", "_post", "_clean")  # of a recording: compared within an agent, not between two

Statuses = Mapping[tuple[str, str], Mapping[Status, int]]  # agent and set → planned trials by status
Test = Callable[[Sequence[Sample], Mode], Iterable[Compared]]


def summary(
    frame: pd.DataFrame,
    statuses: Statuses,
    measures: Mapping[str, Measure],
    draws: Draws | None = None,
    *,
    test: Test | None = None,
    averages: Mapping[str, Average] | None = None,
    population_sd: Set[tuple[str, str]] = frozenset(),
) -> list[Row]:
    """Return the rows of all tables of a suite, from the trials' rows of one judge.

    `frame` has `dyad.measure.rows.COLUMNS`: one row per trial, measure and mode; a value that is not there is
    missing and is counted, n = 0 is no opportunity. Sets come in the order of their kinds, measures in that
    of `measures`; others are left out. Shares have Wilson's interval, means that of Student's t over stimuli.
    In compat a mean is Σ value / Σ n, as that of the authors' lists, or what `averages` has for a measure,
    and the sd of (kind, measure) in `population_sd` has ddof 0. `test` is what a suite tests within an
    agent, on the values of each sample.
    """
    found = list(status_rows(frame, statuses))
    for about, own in _sets(frame, measures):
        agents = {str(agent): rows for agent, rows in own.groupby("agent", sort=True)}
        censored = about["unit"] == "s" and not own["observed"].astype(bool).all()
        how = how_of(about, measures[about["measure"]], averages or {}, population_sd)
        for agent, rows in agents.items():
            found.append(row("suite", **about, agent=agent, **mean(rates_of(rows), about, how)))
        if censored:
            found += times(about, agents)
        if not about["measure"].endswith(PARTS):
            found += differences(about, agents, draws or Draws(), censored, how.bounds)
    if test is not None:
        found += _tested(frame, measures, test)
    return adjusted(found)


def status_rows(frame: pd.DataFrame, statuses: Statuses, table: str = "suite_status") -> Iterator[Row]:
    """Yield what became of the planned trials of each agent and set."""
    kinds = dict(zip(frame["task"], frame["archetype"], strict=True))
    for (agent, task), counts in statuses.items():
        about = {"condition": task, "archetype": kinds.get(task, ""), "agent": agent}
        planned = sum(counts.values())
        for status in STATUSES:
            yield row(table, **about, term=status, value=counts.get(status, 0), n=planned)


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
            known, outliers = measures.get(f"{found.measure}_post"), found.n_valid - found.n_used
            note = ", ".join(filter(None, (found.note, f"outliers left out: {outliers}" if outliers else "")))
            yield row(
                "suite_significance", **about, measure=found.measure, partner=found.before, value=found.diff,
                low=found.low, high=found.high, interval="paired t" if found.low is not None else "",
                p=found.p, p_adjusted=found.p_holm, n=found.n_used, missing=found.n_rows - found.n_valid,
                unit=known.unit if known else "", note=note,
            )  # fmt: skip
