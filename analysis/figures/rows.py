"""Which rows of a study's tables a figure shows."""

from __future__ import annotations

import math

import pandas as pd


def of_table(tables: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Return the rows of some tables that have a value."""
    return tables[tables["table"].isin(names) & tables["value"].notna()]


def agents_of(tables: pd.DataFrame) -> list[str]:
    """Return all agents in alphabetical order: their looks and places are the same in every figure."""
    return sorted(set(tables.loc[tables["table"].isin(("matrix", "turns", "km")), "agent"]) - {""})


def hurdles(tables: pd.DataFrame) -> pd.DataFrame:
    """Return act and score of each agent; of a task with two scores the first, as the table has them."""
    own = of_table(tables, "hurdle")
    own = own[own["term"].isin(("act", "score_if_act", "score"))]
    first = own.groupby(["condition", "archetype"])["measure"].transform("first")
    return own[own["measure"] == first]


def row_means(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the plain mean over partners of each agent; it has no interval."""
    return cells.groupby("agent", as_index=False)["value"].mean().assign(low=math.nan, high=math.nan)
