"""Arithmetic of task outcomes: pooled items, choices that rest on them, prices."""

from __future__ import annotations

from collections.abc import Sequence

from dyad.measure.turns import Count


def pooled(voiced: Sequence[float | None]) -> Count:
    """Return how many items were voiced; one time per item, None for an item that stayed private."""
    return Count(sum(at is not None for at in voiced), len(voiced))


def grounded(solved: bool, voiced: Sequence[float | None], choice_at: float | None) -> bool:
    """Return whether a right choice rests on what was said, not on luck.

    Every item that narrows the candidates must have been voiced by its holder no later than the onset of
    the line with the choice: one line may hold the last reason and the choice.
    """
    if not solved or choice_at is None:
        return False
    return all(at is not None and at <= choice_at for at in voiced)


def gap_share(price: float, buyer_open: float, seller_open: float) -> float:
    """Return the seller's share (p − b₀) / (s₀ − b₀) of the opening gap (DyaFDB, task T4-4).

    Not clipped: a price outside the openings gives a value outside [0, 1]. ValueError if the openings are
    equal.
    """
    if seller_open == buyer_open:
        raise ValueError(f"both openings are {buyer_open}; there is no gap to share")
    return (price - buyer_open) / (seller_open - buyer_open)


def surplus_share(price: float, seller_limit: float, buyer_limit: float) -> float:
    """Return the seller's share (p − limit_s) / (limit_b − limit_s) of the zone of possible agreement.

    Not clipped: a price beyond a limit gives a value outside [0, 1]. ValueError if the limits leave no room.
    """
    if not seller_limit < buyer_limit:
        raise ValueError(f"limits {seller_limit} and {buyer_limit} leave no room to share")
    return (price - seller_limit) / (buyer_limit - seller_limit)
