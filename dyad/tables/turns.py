"""Turn-taking once more, as the mean of runs: beside the pooled events, where talkative runs count more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .cells import Cell, pool_each
from .draws import NONE, Draws
from .rows import ALIKE, ONE_SCENARIO, Row, row
from .scores import TURN_TAKING

if TYPE_CHECKING:
    import pandas as pd

WHO = ("measure", "agent", "partner")


def run_means(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Mean over seats of each seat's own rate, beside the pooled rates of `turns`: all seats count the same.

    Seats without an opportunity have no rate; they are left out and counted in `note`. `n` is the number of
    the others.
    """
    for measure in TURN_TAKING:
        own = part[part["measure"] == measure]
        had = own["n"] > 0
        rates = own.assign(value=(own["value"] / own["n"]).where(had), n=had.astype(float))
        lacked = own.assign(value=(own["value"].notna() & ~had).astype(float), n=2.0)  # of a pair both
        for (about, cell), (_, lacking) in zip(pool_each(rates, WHO), pool_each(lacked, WHO), strict=True):
            without = round(lacking.hits)
            found = _unpooled(cell)._replace(missing=cell.missing - without)
            yield row("turns_mean", **about, **_noted(found, without)._asdict())


def _unpooled(cell: Cell) -> Cell:
    """Wilson's interval is of counts: rates have none of their own."""
    if cell.interval != "wilson":
        return cell
    return cell._replace(
        low=None, high=None, interval="", note=ONE_SCENARIO if cell.scenarios == 1 else ALIKE
    )


def _noted(cell: Cell, lacking: int) -> Cell:
    """Say how many had no opportunity, which explains why there is no value."""
    without = f"{lacking} without an opportunity" if lacking else ""
    why = "" if lacking and cell.value is None else cell.note
    return cell._replace(note=", ".join(filter(None, (without, why))))
