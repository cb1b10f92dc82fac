"""Samples of times: the rows of one curve as arrays in ticks, so that equal times are equal numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.measure.conversation import seconds
from dyad.spec import TICK_S
from dyad.stats import Bootstrap, KaplanMeier, kaplan_meier
from dyad.stats.curves import RiskTable, risk_table
from dyad.stats.events import read_events
from dyad.stats.values import Floats

from .draws import Draws, spread
from .rows import ONE_SCENARIO, Row

if TYPE_CHECKING:
    import pandas as pd


class Who(NamedTuple):
    """Whose curve it is; no partner stands for all of them."""

    archetype: str
    agent: str
    partner: str = ""


@dataclass(frozen=True)
class Sample:
    """Times in ticks [n] and whether each is an event, by scenario; `missing` seats had no time.

    With `entries` [n] each is at risk from then on only.
    """

    times: Floats
    events: NDArray[np.bool_]
    scenarios: NDArray[Any]
    missing: int = 0
    entries: Floats | None = None

    @property
    def names(self) -> list[str]:
        """The scenarios, sorted."""
        return [str(name) for name in np.unique(self.scenarios)]

    def curve(self, min_at_risk: int = 1) -> KaplanMeier | None:
        """Return the exact curve; of delayed entries from when `min_at_risk` are at risk."""
        return kaplan_meier(self.times, self.events, self.entries, min_at_risk)

    def counts(self, start: float = 0.0) -> RiskTable:
        """Return runs at risk and events by scenario, in the order of `names`."""
        units = np.unique(self.scenarios, return_inverse=True)[1]
        runs = read_events(self.times, self.events, self.entries)
        return risk_table(runs, units, len(self.names), start)

    def of(self, scenarios: Sequence[str]) -> Sample:
        """Return what belongs to some of the scenarios."""
        kept = np.isin(self.scenarios, list(scenarios))
        entries = None if self.entries is None else self.entries[kept]
        return Sample(self.times[kept], self.events[kept], self.scenarios[kept], self.missing, entries)


def sample(rows: pd.DataFrame) -> Sample:
    """Return the times of the rows of one measure; `observed` says which are events."""
    known = rows[rows["value"].notna()]
    return Sample(
        ticks(known["value"]),
        known["observed"].to_numpy(bool),
        known["scenario"].to_numpy(str),
        len(rows) - len(known),
    )


def ticks(seconds_: pd.Series[float]) -> Floats:
    """Return the ticks of times in s; what is missing stays missing."""
    return np.asarray(np.round(seconds_.to_numpy(float) / TICK_S))


def window_ticks(rows: pd.DataFrame) -> int:
    """Return the length of the recordings of one condition."""
    return round(float(rows["window"].max()) / TICK_S)


def groups(own: pd.DataFrame) -> Iterator[tuple[Who, pd.DataFrame]]:
    """Yield the rows of each agent in each archetype, over all partners and then with each of them."""
    for (archetype, agent), rows in own.groupby(["archetype", "agent"], sort=True):
        yield Who(str(archetype), str(agent)), rows
        for partner, cell in rows.groupby("partner", sort=True):
            yield Who(str(archetype), str(agent), str(partner)), cell


def to_seconds(at_ticks: float | None) -> float | None:
    """Return a time on the grid in s; None where there is none, or none that was reached."""
    return None if at_ticks is None or not np.isfinite(at_ticks) else seconds(at_ticks)


def drawn_ends(drawn: Bootstrap | None, scenarios: int, draws: Draws, scale: float = 1.0) -> Row:
    """Return the columns of a scenario bootstrap, in `scale` units; the note says why there is none."""
    if drawn is None:
        return {"note": ONE_SCENARIO if draws.bootstrap and scenarios < 2 else ""}
    return spread(drawn, scale)


def seats_in_role(part: pd.DataFrame) -> pd.DataFrame:
    """Return one line per seat with a row of entry: `entry`, `deviation` and `end` in ticks.

    All on the clock of the conversation; entry and deviation are NaN where they did not happen, the end where
    that is not known. Rows of deviation count from the entry, except in mode `paper`.
    """
    keys = ["run_id", "seat"]
    entries = part[part["measure"] == "entry"]
    deviations = part.loc[part["measure"] == "deviation", [*keys, "value", "observed"]]
    seats = entries.merge(deviations, "left", keys, suffixes=("", "_later"))
    first, later = ticks(seats["value"]), ticks(seats["value_later"])
    later = later + np.where(seats["mode"] == "paper", 0.0, first)
    entered = seats["observed"].to_numpy(bool) & ~np.isnan(first)
    drifted = entered & seats["observed_later"].eq(True).to_numpy(bool) & ~np.isnan(later)
    return seats[["archetype", "agent", "partner", "scenario"]].assign(
        entry=np.where(entered, first, np.nan),
        deviation=np.where(drifted, later, np.nan),
        end=np.where(entered, np.where(drifted, ticks(seats["window"]), later), first),
    )
