"""How often what a study rests on is drawn anew, and the random numbers of each table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Draws(NamedTuple):
    """How many resamples of scenarios intervals take, and how many permutations tests; `seed` of both."""

    bootstrap: int = 2000
    permutations: int = 10_000
    seed: int = 0

    def rng(self, table: str) -> np.random.Generator:
        """Return the random numbers of one table, which no other table can shift."""
        return np.random.default_rng([self.seed, *table.encode()])


NONE = Draws(0, 0)
