"""The true effects behind a study of made-up rows, and the true means that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from dyad.stats import diallel_parts
from dyad.stats.values import Floats

Tie = Literal["free", "symmetric", "complementary"]

REFERENCE_S = 60.0  # means are those of this window; in others, scores in T1 follow who has entered by then
CUT = "gain 0 both ways"  # the channel over which nobody hears the other


@dataclass(frozen=True)
class Effects:
    """True effects on one score, in its unit. One number per model, repeated where there are more models.

    Cell (i, j) is base + lift_i + lift_j + edge_i - edge_j + chemistry_ij + cycle_ij (`dyad.stats.diallel`).
    """

    base: float = 0.4
    lift: tuple[float, ...] = (0.05, -0.01, -0.04)
    edge: tuple[float, ...] = (-0.04, 0.01, 0.03)
    chemistry: tuple[float, ...] = (0.0,)  # what each gains from playing with itself
    premium: float = 0.0  # what all gain from it
    cycle: float = 0.0  # each against the next one, and the last against the first
    opener: float = (
        0.0  # score of the seat that opens minus score of the other; of a pair, of seat a's opening
    )
    role: float = 0.0  # score in role a minus score in role b, where each seat has a score
    heard: float = 0.1  # what the score loses when the channel is cut; shares of the floor (T3) do not
    icc: float = 0.1  # variance between scenarios over all variance of runs, in each cell
    act: tuple[float, ...] = (0.55, 0.7, 0.6)  # chance of the act before the score, by model
    entry_per_s: tuple[float, ...] = (0.03, 0.05, 0.07)  # hazard of speaking in role (T1)
    deviation_per_s: tuple[float, ...] = (0.003, 0.006, 0.012)  # hazard of dropping out of it (T1)
    leak_per_s: float = 0.05  # hazard, among the runs that leak within the window (T4-2)
    ended: float = 0.1  # share of the runs without a leak that end early (T4-2)


EFFECTS: Mapping[str, Effects] = {
    "t1_1": Effects(base=0.55),
    "t1_2": Effects(base=0.5, edge=(-0.12, 0.02, 0.1)),
    "t2": Effects(base=0.25),
    "t3_1": Effects(base=0.5, edge=(-0.05, -0.08, 0.13)),
    "t3_2": Effects(base=0.5, edge=(-0.02, -0.1, 0.12), lift=(0.01, 0.01, -0.02)),
    "t4_1": Effects(base=0.22, lift=(-0.02, 0.01, 0.01)),
    "t4_2": Effects(base=0.38, edge=(0.04, 0.03, -0.07)),
    "t4_3": Effects(base=0.55, edge=(-0.12, 0.02, 0.1)),
    "t4_4": Effects(base=0.6, edge=(-0.06, 0.0, 0.06)),
    "tor_pause": Effects(base=0.3, lift=(0.0,), edge=(-0.1, 0.0, 0.1)),
    "tor_end": Effects(base=0.6, edge=(0.1, 0.0, -0.1)),
    "barge_in": Effects(base=0.5, edge=(-0.1, 0.05, 0.05)),
    "backchannels": Effects(base=0.4, edge=(0.12, -0.12, 0.0)),  # times `outcomes.BACKCHANNELS_PER_MIN`
    "occupancy": Effects(base=0.5, edge=(-0.05, -0.02, 0.07)),  # where it is not the headline
}


class Condition(NamedTuple):
    """What is never pooled over: the length of a recording in s and the channel between its seats."""

    window_s: float = REFERENCE_S
    channel: str = "clean"


def truth(score: str, effects: Effects | None = None, models: int = 3) -> Floats:
    """Return the true means [models, models] of an archetype's headline or of a turn-taking measure.

    Row: acting model. Pooling (t2) is symmetric and shares of the floor add to 1, whatever the effects say;
    what contradicts that is left out. Raises ValueError where a mean would leave (0, 1).
    """
    e = EFFECTS[score] if effects is None else effects
    lift, edge, own = (_centred(values, models) for values in (e.lift, e.edge, e.chemistry))
    beats = np.roll(np.eye(models), 1, axis=1)
    table = e.base + np.add.outer(lift + edge, lift - edge) + e.cycle * (beats - beats.T)
    table = table + diallel_parts(np.diag(own + e.premium))["chemistry"]
    if tie(score) == "symmetric":
        table = (table + table.T) / 2
    elif tie(score) == "complementary":
        table = 0.5 + (table - table.T) / 2
    reach = (abs(e.opener) + abs(e.role)) / 2
    most = (table + table.T).max() if score == "t4_1" else table.max() + reach
    if table.min() <= reach or most >= 1:
        raise ValueError(f"{score}: a mean would leave (0, 1); choose smaller effects or another base")
    return table


def tie(score: str) -> Tie:
    """Return how the scores of the two seats of a run hang together."""
    if score in ("t3_1", "occupancy"):
        return "complementary"
    return "symmetric" if score == "t2" else "free"


def _centred(values: Sequence[float], models: int) -> Floats:
    per_model: Floats = np.resize(np.asarray(values, float), models)
    centred: Floats = per_model - per_model.mean()
    return centred
