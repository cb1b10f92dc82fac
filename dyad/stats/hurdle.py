"""Scores behind a hurdle: what is achieved with the act, and what without it.

A score among the runs with the act says little alone: who rarely acts may do so only where it is easy.
"""

from __future__ import annotations

from typing import NamedTuple

from dyad.stats.values import Floats


class Hurdle(NamedTuple):
    """Shares of runs. `without` is None where every run has the act."""

    joint: float  # acted and scored
    unprompted: float  # scored without the act
    without: float | None  # scored, among runs without the act


class Sums(NamedTuple):
    """What a rate behind a hurdle is divided from, as arrays of one shape: it is hits / n."""

    hits: Floats
    n: Floats


def hurdle(act: float, score_if_act: float, score: float) -> Hurdle:
    """Split P(score) by whether the act took place: P(act)·P(score | act) and the rest (DyaFDB, section 4).

    All arguments are shares in [0, 1]; raises ValueError where the joint share exceeds `score`.
    """
    joint = act * score_if_act
    if joint > score + 1e-9:
        raise ValueError(f"{joint:.3f} of runs act and score, more than the {score:.3f} that score at all")
    rest = max(score - joint, 0.0)
    return Hurdle(joint, rest, rest / (1 - act) if act < 1 else None)


def hurdle_sums(acted: Floats, scored: Floats, others: Floats, unprompted: Floats) -> dict[str, Sums]:
    """Return hits and n of P(act), P(score | act), P(score | no act) and of what they add up to.

    acted: runs with the act, and `scored` what these score in all; others: runs without it, and `unprompted`
    what those score. So score = act · score_if_act + unprompted, in sums as in rates.
    """
    runs = acted + others
    return {
        "act": Sums(acted, runs),
        "score_if_act": Sums(scored, acted),
        "score": Sums(scored + unprompted, runs),
        "joint": Sums(scored, runs),
        "unprompted": Sums(unprompted, runs),
        "score_if_no_act": Sums(unprompted, others),
    }


def win_bounds(won: float, decided: float, n: float) -> tuple[float, float] | None:
    """Return the least and the greatest P(win): all undecided runs lost, or all of them won; None if n is 0.

    Bounds of what is known and no confidence interval (Manski, Partial Identification, 2003). Raises
    ValueError unless 0 <= won <= decided <= n.
    """
    if not 0 <= won <= decided <= n:
        raise ValueError(f"{won:g} won of {decided:g} decided of {n:g} runs: each must hold the one before")
    return (won / n, (won + n - decided) / n) if n else None


def chance_corrected(share: float, chance: float) -> float:
    """Return (share − chance) / (1 − chance): 0 at what guessing gets, 1 if all is right.

    Raises ValueError unless 0 <= chance < 1.
    """
    if not 0 <= chance < 1:
        raise ValueError(f"chance {chance:g} must be at least 0 and less than 1")
    return (share - chance) / (1 - chance)
