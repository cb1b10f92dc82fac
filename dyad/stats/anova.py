"""Two-way analysis of variance of single runs, from the sums of each cell.

Runs inside a cell tell how much is noise. That holds where they are independent: runs of one scenario, and
two seats of one run, are alike, which only the correction over scenarios (`scenario_corrected`) allows for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyad.stats.values import Floats, floats

ROUNDING = 1e-13  # a sum of squares below this share of the squared values is rounding


@dataclass(frozen=True)
class Anova:
    """Sums of squares over `n` runs; None where they are undefined, and `reason` says why.

    `ss` of model, partner and interaction are of type II. In a balanced design, with as many runs in each
    cell, they are the plain ones and add up to `total` with `residual`.
    """

    ss: Mapping[str, float] | None
    df: Mapping[str, int]
    residual: float | None
    df_residual: int
    total: float | None
    n: int
    balanced: bool
    reason: str = ""

    @property
    def mse(self) -> float | None:
        """Mean square of the residual, the variance of runs inside cells; None without any freedom."""
        return None if self.residual is None or self.df_residual < 1 else self.residual / self.df_residual

    @property
    def f(self) -> dict[str, float] | None:
        """F ratio of each source; None where runs of a cell do not vary."""
        if self.ss is None or not self.mse:
            return None
        return {name: ss / self.df[name] / self.mse for name, ss in self.ss.items() if self.df[name]}

    @property
    def omega2(self) -> dict[str, float] | None:
        """Omega squared of each source, (SS - df MSE) / (SST + MSE); may be negative."""
        return self._beyond_noise(plus_mse=True)

    @property
    def epsilon2(self) -> dict[str, float] | None:
        """Epsilon squared of each source, (SS - df MSE) / SST; may be negative."""
        return self._beyond_noise(plus_mse=False)

    @property
    def cell_shares(self) -> dict[str, float] | None:
        """Share of each source in what cells differ by beyond noise, (SS - df MSE) / sum of the same."""
        if self.ss is None or self.mse is None:
            return None
        beyond = {name: ss - self.df[name] * self.mse for name, ss in self.ss.items()}
        whole = sum(beyond.values())
        return {name: value / whole for name, value in beyond.items()} if whole > 0 else None

    def _beyond_noise(self, plus_mse: bool) -> dict[str, float] | None:
        if self.ss is None or self.mse is None or not self.total:
            return None
        whole = self.total + (self.mse if plus_mse else 0.0)
        return {name: (ss - self.df[name] * self.mse) / whole for name, ss in self.ss.items()}


def anova(n: Any, sums: Any, squares: Any) -> Anova | None:
    """Analyse runs by model and partner, from the number of runs, sum and sum of squares of cells [M, P].

    Type II: the model's sum of squares is what it explains beside the partner, and the other way round; the
    interaction's is what is left between cells. None for an empty table; ValueError for shapes that differ.
    """
    counts, totals, squared = floats(n), floats(sums), floats(squares)
    if not counts.shape == totals.shape == squared.shape or counts.ndim != 2:
        raise ValueError(f"tables of shapes {counts.shape}, {totals.shape} and {squared.shape} must match")
    if not counts.size:
        return None
    models, partners = counts.shape
    df = {"model": models - 1, "partner": partners - 1, "interaction": (models - 1) * (partners - 1)}
    runs, holes = int(np.nansum(counts)), int((~(counts > 0)).sum())
    balanced = bool((counts == counts[0, 0]).all())
    if holes:
        return Anova(None, df, None, 0, None, runs, balanced, f"cells without runs: {holes}")
    zero = ROUNDING * float(squared.sum())
    ss = {name: _rounded(value, zero) for name, value in _type_two(counts, totals / counts).items()}
    residual = _rounded(float((squared - totals**2 / counts).sum()), zero)
    total = _rounded(float(squared.sum() - totals.sum() ** 2 / runs), zero)
    reason = "one run per cell" if runs == counts.size else "" if total else "nothing varies"
    return Anova(ss, df, residual, runs - counts.size, total, runs, balanced, reason)


def _type_two(counts: Floats, means: Floats) -> dict[str, float]:
    """Type II sums of squares of cell means that weigh as much as they have runs."""
    of_model, of_partner = np.indices(counts.shape).reshape(2, -1)
    model, partner = np.eye(counts.shape[0])[of_model], np.eye(counts.shape[1])[of_partner]
    both = _left(np.hstack([model, partner]), counts, means)
    return {
        "model": _left(partner, counts, means) - both,
        "partner": _left(model, counts, means) - both,
        "interaction": both,
    }


def _left(design: Floats, counts: Floats, means: Floats) -> float:
    """Weighted sum of squares of cell means [M, P] that a design [M P, columns] does not explain."""
    root = np.sqrt(counts.ravel())
    rows, seen = design * root[:, None], means.ravel() * root
    fitted = rows @ np.linalg.lstsq(rows, seen, rcond=None)[0]
    return float(((seen - fitted) ** 2).sum())


def _rounded(ss: float, zero: float) -> float:
    return ss if abs(ss) > zero else 0.0
