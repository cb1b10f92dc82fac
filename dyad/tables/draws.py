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
    """Return the columns of a bootstrap in `scale` units; of draws that are all alike, a note in their place.

    They do not say that a value is certain: they say nothing about how far off it may be.
    """
    if drawn is None:
        return {}
    if drawn.sd <= EQUAL * abs(drawn.value):
        return {"note": UNMOVED}
    sd, low, high = (x * scale for x in (drawn.sd, drawn.low, drawn.high))
    return {"sd": sd, "low": low, "high": high, "interval": "bootstrap"}
