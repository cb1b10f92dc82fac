"""Effects of opener and role."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dyad.tables.draws import Draws
from dyad.tables.factors import factors
from tests.tables.leaks import D0, leaks
from tests.tables.made import frame, pair, row

SWAP = {"a": "b", "b": "a"}
DRAWS = Draws(0, 1000)


def test_whoever_opens_leaks_more() -> None:
    """The first runs leaked, and openers take turns: with an odd number the opening seat leads by one."""
    (found,) = factors(leaks(D0), DRAWS)
    assert (found["table"], found["term"], found["archetype"], found["measure"]) == (
        "factor",
        "opener",
        "t4_2",
        "leak",
    )
    assert found["value"] == pytest.approx((D0 % 2).mean() / 3)
    assert (found["scenarios"], found["missing"], found["agent"]) == (20, 0, "")
    assert found["p"] == 1 / 1001
    assert found["low"] < found["value"] < found["high"]
    assert found["mde"] > 0


def test_swapped_openers_flip_the_sign() -> None:
    rows = leaks(D0)
    (one,), (other,) = factors(rows, DRAWS), factors(rows.assign(opener=rows["opener"].map(SWAP)), DRAWS)
    assert other["value"] == -one["value"]
    assert (other["low"], other["high"], other["p"]) == (-one["high"], -one["low"], one["p"])


def test_one_opener_is_nothing_to_compare() -> None:
    assert not list(factors(leaks(D0).assign(opener="a"), DRAWS))
    assert not list(factors(frame([]), DRAWS))


def test_roles_that_are_scored_alike() -> None:
    def seat(s: int, role: str, value: float, who: str = "XY") -> dict[str, object]:
        about = {"archetype": "t4_1", "seat": role, "role": role, "opener": "ab"[s % 2], "scenario": f"s{s}"}
        return row("won", value, agent=who[0], partner=who[1], run_id=f"{s}{role}{who}", **about)

    runs = [
        seat(s, role, float(role == "a"), who)
        for s in range(4)
        for role in "ab"
        for who in ("XX", "XY", "YX")
    ]
    found = {r["term"]: r for r in factors(frame(runs), DRAWS)}
    assert found["role"]["value"] == 1
    assert found["role"]["note"] == "the same in every scenario: no interval"
    assert found["opener"]["value"] == 0  # half of the scenarios are opened by a
    turned = frame(runs)
    turned["role"] = turned["role"].map(SWAP)
    assert {r["term"]: r["value"] for r in factors(turned, DRAWS)} == {"role": -1, "opener": 0}


def test_a_score_of_the_pair_has_no_opener() -> None:
    assert not list(factors(frame([pair(1.0, "XY"), pair(0.0, "XX")]), DRAWS))


def test_turn_taking_is_compared_inside_of_a_pairing() -> None:
    """An agent that opens more often than another makes no effect of opening."""
    opened = (("X", "a"), ("X", "a"), ("X", "b"), ("Y", "a"), ("Y", "b"), ("Y", "b"))
    runs = [
        row("tor_end", 4.0 if agent == "X" else 1.0, 8.0, agent=agent, opener=opener, scenario=f"s{s}")
        for s, (agent, opener) in product(range(3), opened)
    ]
    (found,) = factors(frame(runs), DRAWS)
    assert (found["measure"], found["archetype"], found["value"]) == ("tor_end", "", 0)
    assert np.isfinite(found["p"])
