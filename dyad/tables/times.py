"""Time to event: Kaplan–Meier curves of entry into a role and of deviation from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dyad.stats import KaplanMeier, kaplan_meier

from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd

TIMES = {"entry": "time to the first line in role", "deviation": "time to the first line off role"}


def survival(frame: pd.DataFrame) -> Iterator[Row]:
    """Kaplan–Meier curves of entry and deviation, per archetype and agent; deviation as the mode says."""
    for measure in TIMES:
        own = frame[(frame["measure"] == measure) & frame["value"].notna()]
        for (archetype, agent), rows in own.groupby(["archetype", "agent"], sort=True):
            curve = kaplan_meier(rows["value"].to_numpy(float), rows["observed"].to_numpy(bool))
            if curve is not None:
                yield from _curve(str(archetype), measure, str(agent), curve)


def _curve(archetype: str, measure: str, agent: str, curve: KaplanMeier) -> Iterator[Row]:
    about = {"archetype": archetype, "measure": measure, "agent": agent, "better": 0}
    median = None if curve.median is None else float(curve.median)
    yield row("km", **about, term="median", value=median, hits=float(sum(curve.n_events)), n=curve.n)
    for at, share, risk in zip(curve.times, curve.survival, curve.n_at_risk, strict=True):
        yield row("km", **about, term="survival", at=float(at), value=float(share), n=risk)
