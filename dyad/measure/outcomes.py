"""Arithmetic of task outcomes: pooled items, prices, decided runs, who wins a conflict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def decided_rate(won: float, won_by_partner: float) -> float:
    """Return the rate of decided T4-1 runs from both win rates, which are equal in self-play."""
    return won + won_by_partner


def balance(counts: Iterable[Count]) -> float | None:
    """Return the pooled win rate of the side that obtains something, or None without valid runs.

    For requests and attacks all valid runs count, and nothing happening is a win of the other side; for
    claims and negotiations only runs with a deal do (DyaFDB, Fig. 6).
    """
    cells = list(counts)
    return Count(sum(cell.hits for cell in cells), sum(cell.n for cell in cells)).rate
