"""Tests by exchanging what the null hypothesis makes exchangeable: labels inside a block, signs of scenarios.

All exchanges are made when there are few of them; else p = (1 + hits) / (1 + draws) of random ones, which
is valid for any number of draws (Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from dyad.stats.values import Floats, complete_scenarios
from dyad.stats.variance import ROUNDING, Parts

PERMUTATIONS = 10_000
ENUMERATED = 100_000  # up to so many exchanges are made one by one
BLOCK = 250  # exchanges at once
TOLERANCE = 1e-12  # two statistics closer than this, as a share of the largest possible one, are equal

Draw: TypeAlias = Callable[[int, int], Floats]
"""From a range [start, stop) of exchanges to the mean table [stop - start, ...] of each."""


@dataclass(frozen=True)
class Test:
    """A statistic, and the share `p` of exchanges that make it at least as large.

    `n` scenarios were used; `n_missing` lacked a value. `exact`: all exchanges were made, `draws` of them.
    """

    value: float
    p: float
    n: int
    draws: int
    exact: bool
    n_missing: int = 0


def partner_test(x: Any, rng: np.random.Generator, draws: int = PERMUTATIONS) -> Test | None:
    """Test whether it matters who the partner is, from tables [S, M, P] of scenario x model x partner.

    Partner labels are permuted inside each (scenario, model) block; the statistic is the sum over partners
    of (mean of the partner - mean)^2. The null hypothesis is exchangeability, so that a pure interaction
    can reject it too. None without a complete scenario or for 0 draws.
    """
    tables, missing = complete_scenarios(x)
    if not tables.size or draws < 1:
        return None
    blocks = tables.reshape(-1, tables.shape[-1])
    centred = blocks - blocks.mean(axis=1, keepdims=True)
    total = math.factorial(centred.shape[1]) ** len(centred)
    drawn = _every_order(centred) if total <= ENUMERATED else _random_orders(centred, rng)
    return _test(centred, blocks, drawn, total, draws, (len(tables), missing))


def model_test(x: Any, rng: np.random.Generator, draws: int = PERMUTATIONS) -> Test | None:
    """Test whether it matters who acts: `partner_test` with model and partner exchanged, x [S, M, P]."""
    return partner_test(np.swapaxes(np.asarray(x), -1, -2), rng, draws)


def component_test(
    x: Any, parts: Parts, name: str, rng: np.random.Generator, draws: int = PERMUTATIONS
) -> Test | None:
    """Test whether one part of a decomposition is zero, from tables [S, ...] of `parts`' shape.

    The sign of the whole part of each scenario is flipped; the statistic is the squared norm of the mean
    part over scenarios. None without a complete scenario or for 0 draws; KeyError for an unknown name.
    """
    tables, missing = complete_scenarios(x)
    if not tables.size or draws < 1:
        return None
    return _sign_flip(parts(tables)[name], tables, rng, draws, missing)


def paired_test(differences: Any, rng: np.random.Generator, draws: int = PERMUTATIONS) -> Test | None:
    """Test whether the mean of per-scenario differences [S] is zero, by flipping their signs; two-sided.

    The statistic is the squared mean. Missing differences are left out and counted. None without any or
    for 0 draws.
    """
    known, missing = complete_scenarios(differences)
    return _sign_flip(known, known, rng, draws, missing) if known.size and draws > 0 else None


def _sign_flip(part: Floats, raw: Floats, rng: np.random.Generator, draws: int, missing: int) -> Test:
    n, total = len(part), 2 ** len(part)
    flat = part.reshape(n, -1)

    def drawn(start: int, stop: int) -> Floats:
        flips = _digits(start, stop, 2, n) if total <= ENUMERATED else rng.integers(2, size=(stop - start, n))
        mean: Floats = (1 - 2 * flips) @ flat / n
        return mean

    return _test(flat, raw, drawn, total, draws, (n, missing))


def _every_order(blocks: Floats) -> Draw:
    """The means over blocks [R, P] for every order of the values of every block."""
    orders = np.array(list(permutations(range(blocks.shape[1]))))
    ordered = blocks[:, orders]
    each = np.arange(len(blocks))
    return lambda start, stop: ordered[each, _digits(start, stop, len(orders), len(blocks))].mean(axis=1)


def _random_orders(blocks: Floats, rng: np.random.Generator) -> Draw:
    def drawn(start: int, stop: int) -> Floats:
        mean: Floats = rng.permuted(np.broadcast_to(blocks, (stop - start, *blocks.shape)), axis=-1).mean(
            axis=1
        )
        return mean

    return drawn


def _digits(start: int, stop: int, base: int, length: int) -> Any:
    """The numbers of a range, each as `length` digits: every way of choosing one of `base` that often."""
    return np.arange(start, stop)[:, None] // base ** np.arange(length) % base


def _test(units: Floats, raw: Floats, drawn: Draw, total: int, draws: int, counts: tuple[int, int]) -> Test:
    """Compare the squared norm of the mean of units [R, ...] with those of exchanges of them."""
    observed = _squared(units.mean(axis=0)[None])[0]
    # No exchange can have a larger mean than the units have themselves; what is smaller than the rounding
    # of the raw values is zero.
    largest = float((units * units).sum()) / len(units)
    least = observed - TOLERANCE * largest - ROUNDING * float((raw * raw).sum())
    exact = total <= ENUMERATED
    made = total if exact else draws
    hits = sum(int((_squared(drawn(i, j)) >= least).sum()) for i, j in _ranges(made))
    p = hits / made if exact else (1 + hits) / (1 + made)
    return Test(float(observed), p, counts[0], made, exact, counts[1])


def _ranges(size: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + BLOCK, size)) for start in range(0, size, BLOCK))


def _squared(tables: Floats) -> Floats:
    """Squared norm of each of tables [B, ...]."""
    squared: Floats = (tables * tables).reshape(len(tables), -1).sum(axis=1)
    return squared
