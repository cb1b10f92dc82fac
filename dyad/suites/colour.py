"""Which numbers of a table share a colour: those whose 95 % intervals overlap enough (arXiv 2609.10765)."""

from __future__ import annotations

ENOUGH = 0.25  # of the shorter interval, itself left out
EPS = 1e-6

Interval = tuple[float, float]


def overlap_share(ci1: Interval, ci2: Interval) -> float:
    """Return the length that two intervals share, over that of the shorter one (our denominator), in [0, 1].

    A single point shares all of itself or nothing. Raises ValueError for an interval that ends before it
    begins, or that is not a number.
    """
    for low, high in (ci1, ci2):
        if not low <= high:
            raise ValueError(f"[{low}, {high}] is no interval")
    shared = min(ci1[1], ci2[1]) - max(ci1[0], ci2[0])
    shorter = min(ci1[1] - ci1[0], ci2[1] - ci2[0])
    if shorter <= 0:
        return float(shared >= 0)
    return max(0.0, shared / shorter)


def same_colour(ci1: Interval | None, ci2: Interval | None) -> bool:
    """Whether two intervals share more than 25 %; never where one of them is not known."""
    return ci1 is not None and ci2 is not None and overlap_share(ci1, ci2) > ENOUGH + EPS
