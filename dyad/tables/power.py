"""The smallest differences that a study can see, from how much its own scores vary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dyad.spec import Archetype
from dyad.stats import USUAL, Components, clustering, components, mde

from .draws import NONE, Draws
from .frame import HEADLINE, scored
from .paired import too_few
from .rows import ONE_SCENARIO, Row, row

if TYPE_CHECKING:
    import pandas as pd

Runs = dict[str, list[float]]  # the rates of the runs of one cell, by scenario
SINGLE = "one run per cell and scenario: what runs and scenarios add cannot be told apart"
CLIPPED = "estimated below 0: scenarios differ no more than runs make them"
ALIKE = "one scenario, or all runs alike"


@dataclass(frozen=True)
class Variances:
    """How the score of an archetype varies, mean over all contrasts of two agents with one partner.

    `between`, not below 0, and `run` are None where there is one run per cell and scenario. `total` is the
    variance of a scenario's difference as it was seen. `runs` per cell and scenario, `deff` the design
    effect of the runs of a cell.
    """

    archetype: Archetype
    measure: str
    total: float | None
    between: float | None
    run: float | None
    runs: float
    scenarios: int
    deff: float | None
    clipped: bool

    @property
    def note(self) -> str:
        """Why `between` is not known, or not what was estimated."""
        if self.between is None:
            return SINGLE if self.run is None else ONE_SCENARIO
        return CLIPPED if self.clipped else ""

    @property
    def mde(self) -> float | None:
        """The smallest difference of two agents with one partner that one test sees with 80 % power."""
        if self.between is not None and self.run is not None:
            return mde(self.scenarios, self.runs, self.between, self.run)
        seen = USUAL.seen(self.scenarios)
        return None if self.total is None or seen is None else seen * math.sqrt(self.total / self.scenarios)


def detectable(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Variances of each headline score and the smallest difference they let a study see (`mde`).

    Of a paired contrast of two agents with one partner. `n` is the number of runs per cell and scenario.
    """
    for found in variances(part):
        about = {"archetype": found.archetype, "measure": found.measure, "better": 0}
        about |= {"n": found.runs, "scenarios": found.scenarios}
        single = SINGLE if found.run is None else ""
        alike = "" if found.deff is not None else single or ALIKE
        for term, value, note in (
            ("between variance", found.between, found.note),
            ("run variance", found.run, single),
            ("design effect", found.deff, alike),
        ):
            yield row("mde", **about, term=term, value=value, note=note, unit="")
        alone = "" if found.mde is not None else ONE_SCENARIO if found.scenarios == 1 else too_few(1)
        yield row("mde", **about, term="mde", value=found.mde, mde=found.mde, note=alone)


def variances(part: pd.DataFrame) -> Iterator[Variances]:
    """Yield the variances of each headline score in which two agents have had the same partner."""
    for archetype, measure in HEADLINE.items():
        cells = _runs(scored(part, archetype))
        found = [contrast for contrast in _contrasts(cells) if contrast is not None]
        if found:
            between = _mean([x.between for x in found])
            yield Variances(
                archetype,
                measure,
                total=_mean([x.total for x in found]),
                between=None if between is None else max(between, 0.0),
                run=_mean([x.run for x in found]),
                runs=round(len(found) / sum(1 / x.runs for x in found), 9),
                scenarios=round(float(np.median([x.scenarios for x in found]))),
                deff=_mean([_deff(runs) for runs in cells.values()]),
                clipped=between is not None and between < 0,
            )


def _runs(own: pd.DataFrame) -> dict[tuple[str, str], Runs]:
    """The runs of each cell; the seats of a run in which an agent meets itself are one run."""
    keys = ["agent", "partner", "scenario", "run_id"]
    sums = own[own["value"].notna()].groupby(keys, sort=True)[["value", "n"]].sum()
    sums = sums[sums["n"] > 0]
    cells: dict[tuple[str, str], Runs] = {}
    for (agent, partner, scenario, _), rate in zip(sums.index, sums["value"] / sums["n"], strict=True):
        cells.setdefault((agent, partner), {}).setdefault(scenario, []).append(float(rate))
    return cells


def _contrasts(cells: dict[tuple[str, str], Runs]) -> Iterator[Components | None]:
    """The variances of every two agents with the same partner."""
    agents, partners = (sorted({cell[i] for cell in cells}) for i in (0, 1))
    for one, other in combinations(agents, 2):
        for partner in partners:
            first, second = (cells.get((agent, partner), {}) for agent in (one, other))
            names = sorted(first.keys() & second.keys())
            yield components([first[name] for name in names], [second[name] for name in names])


def _deff(runs: Runs) -> float | None:
    found = clustering(list(runs.values()))
    return None if found is None else found.deff


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
