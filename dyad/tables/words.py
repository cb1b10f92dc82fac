"""Numbers as people read them, the same in every table, sentence and page."""

from __future__ import annotations

import math

from dyad.library import INFO

from .rows import Row

MISSING = "–"
NOT_REACHED = "n.r."
OUTSIDE = "(outside its interval)"
ROUNDING = 1e-9  # shares closer than this to 0 or 1 differ from it by floating point alone
PERCENT = "\N{NO-BREAK SPACE}%"


def named(archetype: str) -> str:
    """Return an archetype with its name: `t2 information pooling`; what is none as it is."""
    names = {str(key): info.name for key, info in INFO.items()}
    return f"{archetype} {names[archetype]}" if archetype in names else archetype


def number(value: float | None) -> str:
    """Return about three significant digits, an int in full, a dash for missing or not finite."""
    if value is None or not math.isfinite(value):
        return MISSING
    size = abs(value)
    decimals = 0 if isinstance(value, int) or size >= 100 else 1 if size >= 10 else 2
    text = f"{value:,.{decimals}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def count(value: float | None) -> str:
    """Return a whole number, also where a table has made a float of it."""
    return number(value if value is None or not math.isfinite(value) else round(value))


def amount(value: float | None) -> str:
    """Return a sum of counts: a whole one without decimals, minutes and shares with theirs."""
    return number(int(value) if value is not None and math.isfinite(value) and value == int(value) else value)


def interval(low: float | None, high: float | None) -> str:
    """Return `[low, high]`, or nothing where there is no interval; an end that is not reached is a dash."""
    return "" if low is None else f"[{number(low)}, {number(high)}]"


def estimate(row: Row) -> str:
    """Return the value of a row with its interval; bounds without a value are an interval alone."""
    known = () if row["value"] is None and row["low"] is not None else (value_of(row),)
    ends = OUTSIDE if outside(row) else interval(row["low"], row["high"])
    return " ".join(filter(None, (*known, ends)))


def outside(row: Row) -> bool:
    """Whether a value lies outside its own interval, which then says nothing of it: its note says why."""
    value, low, high = row["value"], row["low"], row["high"]
    return None not in (value, low, high) and not low - ROUNDING <= value <= high + ROUNDING


def value_of(row: Row) -> str:
    """Return the value of a row; a median that is not reached says so."""
    unreached = row["value"] is None and row["note"] == NOT_REACHED
    return NOT_REACHED if unreached else number(row["value"])


def share(value: float) -> str:
    """Return a share as a whole percentage; what is nearly nothing or nearly all is not rounded to it.

    It is rounded as `number` rounds it, so that a sentence and its figure say the same.
    """
    if ROUNDING < value < 0.005:
        return f"under 1{PERCENT}"
    if 0.995 < value < 1 - ROUNDING:
        return f"over 99{PERCENT}"
    return f"{round(100 * round(value, 2))}{PERCENT}".replace("-", "−")


def probability(p: float | None) -> str:
    """Return a p value with three decimals, never 0."""
    if p is None or not math.isfinite(p):
        return MISSING
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


def listed(names: list[str]) -> str:
    """Return names as a sentence lists them: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def unit_words(unit: str) -> str:
    """Return a unit as people read it: `per_min` is `per min`."""
    return unit.replace("_", " ")
