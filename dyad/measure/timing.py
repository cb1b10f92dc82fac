"""Entry into a role and deviation from it, as arrays for time-to-event estimates.

A run is entered when its seat first speaks in role and deviates when it first speaks off role after that.
A seat that never entered is not at risk of deviating: keeping it as censored would flatter the curve. Times
are in one unit throughout; use ticks, so that equal times are equal numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Rule = Literal["paper", "gap", "truncated"]


class InRole(NamedTuple):
    """One seat of one run: entry and deviation (None: did not happen) and the end of the recording."""

    entry: float | None
    deviation: float | None
    end: float


class Times(NamedTuple):
    """Arrays of equal length: exits, whether they are events, and since when a seat is at risk."""

    times: NDArray[np.float64]
    events: NDArray[np.bool_]
    entries: NDArray[np.float64] | None = None


def entry_times(seats: Iterable[InRole]) -> Times:
    """Return times to entry, censored at the end of the recording."""
    rows = [(s.end, False, 0.0) if s.entry is None else (s.entry, True, 0.0) for s in seats]
    return _times(rows)._replace(entries=None)


def deviation_times(seats: Iterable[InRole], rule: Rule = "gap") -> Times:
    """Return times to deviation of the seats that entered, censored at the end of the recording.

    `paper`: clock of the conversation, all at risk from 0. `gap`: time since entry, the recommended one.
    `truncated`: clock of the conversation, at risk from entry on (left truncation). A deviation that is not
    after its entry is invalid and treated as none.
    """
    rows = [(*_exit(s), s.entry) for s in seats if s.entry is not None]
    if rule == "gap":
        rows = [(time - entry, event, entry) for time, event, entry in rows]
    found = _times(rows)
    return found if rule == "truncated" else found._replace(entries=None)


def valid_deviation(seat: InRole) -> float | None:
    """Return the deviation of a seat if it came after its entry, else None."""
    if seat.entry is None or seat.deviation is None or seat.deviation <= seat.entry:
        return None
    return seat.deviation


def _exit(seat: InRole) -> tuple[float, bool]:
    deviation = valid_deviation(seat)
    return (seat.end, False) if deviation is None else (deviation, True)


def _times(rows: list[tuple[float, bool, float]]) -> Times:
    times, events, entries = zip(*rows, strict=True) if rows else ((), (), ())
    return Times(np.array(times, float), np.array(events, bool), np.array(entries, float))
