"""The smallest difference that a design can see."""

from __future__ import annotations

import math

MDE_FACTOR = 2.801585  # 80 % power, α = .05 two-sided
MDE_BETWEEN, MDE_WITHIN = 0.02, 0.21  # assumed variances of a paired share (between scenarios, of a run)


def mde(scenarios: int, runs_per_cell: float) -> float | None:
    """Return the smallest difference of a share that this design sees with 80 % power, or None.

    scenarios: per archetype; runs_per_cell: per scenario. Paired by scenario, with the assumed variances
    above (dyad's power table for DyaFDB-like studies).
    """
    if scenarios < 1 or not runs_per_cell > 0:  # NaN too
        return None
    return MDE_FACTOR * math.sqrt((MDE_BETWEEN + 2 * MDE_WITHIN / runs_per_cell) / scenarios)
