"""How often what a study rests on is drawn anew, and the random numbers of each table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dyad.stats import Bootstrap

from .rows import EQUAL, UNMOVED


class Draws(NamedTuple):
    """How many resamples of scenarios intervals take, and how many permutations tests; `seed` of both."""

    bootstrap: int = 2000
    permutations: int = 10_000
    seed: int = 0

    def rng(self, table: str) -> np.random.Generator:
        """Return the random numbers of one table, which no other table can shift."""
        return np.random.default_rng([self.seed, *table.encode()])


NONE = Draws(0, 0)


def spread(drawn: Bootstrap | None, scale: float = 1.0) -> dict[str, Any]:
    """Return the columns of a bootstrap in `scale` units, and a note of the resamples that are undefined.

    Of draws that are all alike, a note alone: they do not say that a value is certain, but nothing about how
    far off it may be. Where too many are undefined, what is left says too little.
    """
    if drawn is None:
        return {}
    if drawn.sd is not None and drawn.sd <= EQUAL * abs(drawn.value):
        return {"note": UNMOVED}
    lost = f"undefined in {drawn.n_missing} of {drawn.draws} resamples" if drawn.n_missing else ""
    if drawn.sd is None or drawn.low is None or drawn.high is None:
        return {"note": f"{lost}: no interval"}
    sd, low, high = (x * scale for x in (drawn.sd, drawn.low, drawn.high))
    return {"sd": sd, "low": low, "high": high, "interval": "bootstrap"} | ({"note": lost} if lost else {})
