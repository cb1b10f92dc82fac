"""Turn-taking once more, as the mean of runs: beside the pooled events, where talkative runs count more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .cells import Cell, each_cell, pool
from .draws import NONE, Draws
from .rows import Row, row
from .scores import TURN_TAKING

if TYPE_CHECKING:
    import pandas as pd

ONE_SCENARIO = "one scenario: no interval"


def run_means(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Mean over seats of each seat's own rate, beside the pooled rates of `turns`: all seats count the same.

    Seats without an opportunity have no rate; they are left out and counted in `note`. `n` is the number of
    the others.
    """
    for measure in TURN_TAKING:
        for agent, partner, rows in each_cell(part[part["measure"] == measure]):
            known = rows[rows["value"].notna()]
            had = known[known["n"] > 0]
            rates = had.assign(value=had["value"] / had["n"], n=1.0)
            cell = _unpooled(pool(rates, measure))._replace(missing=len(rows) - len(known))
            note = _note(cell, len(known) - len(had))
            about = {"measure": measure, "agent": agent, "partner": partner, "note": note}
            yield row("turns_mean", **about, **cell._asdict())


def _unpooled(cell: Cell) -> Cell:
    """Wilson's interval is of counts: rates have none of their own."""
    return cell if cell.interval != "wilson" else cell._replace(low=None, high=None, interval="")


def _note(cell: Cell, without: int) -> str:
    said = [f"{without} without an opportunity"] if without else []
    return ", ".join([*said, ONE_SCENARIO] if cell.scenarios == 1 else said)
