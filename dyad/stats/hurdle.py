"""Scores behind a hurdle: what is achieved with the act, and what without it."""

from __future__ import annotations

from typing import NamedTuple


class Hurdle(NamedTuple):
    """Shares of runs. `without` is None where every run has the act."""

    joint: float  # acted and scored
    unprompted: float  # scored without the act
    without: float | None  # scored, among runs without the act


def hurdle(act: float, score_if_act: float, score: float) -> Hurdle:
    """Split P(score) by whether the act took place: P(act)·P(score | act) and the rest (DyaFDB, section 4).

    All arguments are shares in [0, 1]; raises ValueError where the joint share exceeds `score`.
    """
    joint = act * score_if_act
    if joint > score + 1e-9:
        raise ValueError(f"{joint:.3f} of runs act and score, more than the {score:.3f} that score at all")
    rest = max(score - joint, 0.0)
    return Hurdle(joint, rest, rest / (1 - act) if act < 1 else None)
