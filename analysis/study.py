"""A finished study, read back: the rows of its runs, its labels, and all its tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dyad import registry
from dyad.errors import ConfigError
from dyad.suites.protocol import SuiteFamily
from dyad.suites.summary import summary as of_suite
from dyad.tables import COLUMNS, Draws, Row, of_judge, summary

CONVERSATIONS = "dyad"  # in place of a suite
ROOT = Path(__file__).parents[1]
NUMBERS = (
    "at", "value", "sd", "low", "high", "p", "p_adjusted", "mde", "hits", "n", "observations", "scenarios",
    "missing",
)  # fmt: skip


@dataclass(frozen=True)
class Study:
    """What `measure` wrote: the rows and labels of all judges, and which `judge` the study's tables show.

    Labels have their run's `scenario`, within which open questions can be compared.
    """

    folder: Path
    mode: str
    judge: str
    table: pd.DataFrame
    labels: pd.DataFrame

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.folder.resolve().name

    @property
    def suite(self) -> str | None:
        """The suite that was played, None for conversations."""
        (name,) = set(self.table["suite"]) or {CONVERSATIONS}
        return None if name == CONVERSATIONS else str(name)

    @property
    def runs(self) -> pd.DataFrame:
        """The run rows of the shown judge, and those that need no judge."""
        return of_judge(self.table, self.judge)


def read(folder: str | Path) -> Study:
    """Read a study's folder; a relative one may also start at the project's root, where notebooks do not.

    Raises ConfigError where it holds no table.
    """
    there = Path(folder) if Path(folder).exists() else ROOT / folder
    if not (there / "table.parquet").is_file():
        raise ConfigError(f"no table.parquet in {folder}; run: python -m dyad measure study={there.name}")
    table = pd.read_parquet(there / "table.parquet")
    mode, judge, *_ = table.attrs["settings"]
    labels = there / "labels.parquet"
    given = pd.read_parquet(labels) if labels.is_file() else pd.DataFrame(columns=["run_id"])
    given["scenario"] = given["run_id"].map(table.drop_duplicates("run_id").set_index("run_id")["scenario"])
    return Study(there, mode, judge, table, given)


def tables_of(study: Study, draws: Draws) -> list[Row]:
    """Return the rows of all tables of a study, of conversations or of a suite's trials."""
    suite = study.suite
    if suite is None:
        return summary(study.runs, draws)
    family: SuiteFamily = registry.load("suites", suite)
    averages, spread = family.averages, family.population_sd
    return of_suite(study.runs, {}, family.measures, draws, averages=averages, population_sd=spread)


def as_frame(rows: Iterable[Row]) -> pd.DataFrame:
    """Return rows of tables as a frame; what cannot be had is NaN, and `note` says why."""
    return pd.DataFrame(list(rows), columns=list(COLUMNS)).astype(dict.fromkeys(NUMBERS, float))


def rows_of(tables: pd.DataFrame, table: str, **where: str) -> pd.DataFrame:
    """Return the rows of one table, of those with the given agent, partner, term, …"""
    own = tables[tables["table"] == table]
    for column, value in where.items():
        own = own[own[column] == value]
    return own


def tidy(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return some columns of rows for reading, by archetype and measure."""
    return rows.set_index(["archetype", "measure"])[list(columns)].round(3)
