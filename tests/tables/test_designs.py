"""Who met whom, from pairs that are known."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.tables.cells import Cells
from dyad.tables.designs import Block, Design, blocks, design_of, estimates, round_robin
from tests.tables.made import frame, row


def met(pairs: Iterable[tuple[str, str] | str]) -> pd.DataFrame:
    return frame(row("leak", 1.0, agent=a, partner=b, archetype="t4_2") for a, b in pairs)


def everyone(agents: str, partners: str) -> list[tuple[str, str]]:
    return list(product(agents, partners))


def found(pairs: Iterable[tuple[str, str] | str]) -> list[tuple[str, str]]:
    return [("".join(block.agents), "".join(block.partners)) for block in blocks(met(pairs))]


def design(
    table: object, agents: str = "XYZ", partners: str = "XYZ", archetype: str = "t4_1", measure: str = "won"
) -> Design:
    cells = np.array(table, float)
    rows = [
        row(measure, value, 1.0 if np.isfinite(value) else 0.0, agent=a, partner=p, archetype=archetype)
        for (a, p), value in zip(product(agents, partners), cells.ravel(), strict=True)
    ]
    return design_of(frame(rows), Block(tuple(agents), tuple(partners)), archetype=archetype, measure=measure)


def test_everyone_with_everyone_is_one_square() -> None:
    (block,) = blocks(met(everyone("XYZ", "XYZ")))
    assert (block.agents, block.square, block.note) == (("X", "Y", "Z"), True, "")
    assert block.about == {"agent": "", "partner": ""}


def test_models_against_fixed_partners_are_two_blocks() -> None:
    pairs = [*everyone("ABC", "PQ"), *everyone("PQ", "ABC")]
    assert found(pairs) == [("ABC", "PQ"), ("PQ", "ABC")]
    block = blocks(met(pairs))[0]
    assert block.about == {"agent": "A, B, C", "partner": "P, Q"}
    assert (block.square, block.note) == (False, "A, B, C with P, Q")


def test_self_play_of_models_does_not_part_those_with_the_same_partners() -> None:
    assert found([*everyone("ABC", "PQ"), "AA", "BB", "CC"]) == [("ABC", "PQ")]


def test_a_control_that_only_some_met_leaves_the_square_of_the_others() -> None:
    pairs = [*everyone("ABC", "ABC"), *everyone("ABC", "P"), *everyone("P", "ABC")]
    assert found(pairs) == [("ABC", "ABC"), ("ABC", "ABCP")]
    assert blocks(met(pairs))[0].note == "only A, B, C, who all met each other"


def test_a_missing_cell_leaves_the_largest_square() -> None:
    pairs = [pair for pair in everyone("WXYZ", "WXYZ") if pair != ("W", "Y")]
    assert found(pairs)[0] == ("WXZ", "WXZ")


def test_cross_play_alone_has_neither_but_is_a_round_robin() -> None:
    pairs = [(a, b) for a, b in everyone("VWXYZ", "VWXYZ") if a != b]
    assert found(pairs) == []
    assert round_robin(met(pairs)) == tuple("VWXYZ")
    assert round_robin(met(pair for pair in pairs if pair != ("V", "Z"))) == tuple("VWXY")


@pytest.mark.parametrize("pairs", [[], ["XX"], ["XY"], ["XY", "YX"], ["XX", "XY", "YX"]])
def test_too_little_for_a_block(pairs: list[str]) -> None:
    assert found(pairs) == []


def test_cells_without_opportunities_were_not_met() -> None:
    rows = [row("leak", value, n, agent=a, partner=p) for (a, p), (value, n) in zip(
        everyone("XY", "XY"), [(1, 1), (0, 2), (None, 1), (0, 0)], strict=True
    )]  # fmt: skip
    assert blocks(frame(rows)) == []


@given(st.sets(st.tuples(st.sampled_from("VWXYZ"), st.sampled_from("VWXYZ"))))
def test_every_block_is_full(pairs: set[tuple[str, str]]) -> None:
    for block in blocks(met(pairs)):
        assert min(len(block.agents), len(block.partners)) > 1
        assert set(product(block.agents, block.partners)) <= pairs


def test_what_follows_from_its_mirror_image_is_tied() -> None:
    table = [[0.1, 0.2, 0.3], [0.2, 0.5, 0.4], [0.3, 0.4, 0.9]]
    floor = [[0.5, 0.3, 0.1], [0.7, 0.5, 0.6], [0.9, 0.4, 0.5]]
    solved = design(table, archetype="t2", measure="solved")
    assert (solved.tied, solved.complementary) == (True, False)
    won = design(floor)  # every run decided
    assert (won.tied, won.complementary) == (True, True)
    assert not design(table, archetype="t1_1", measure="adherence").tied  # equal, but by chance
    assert not design(floor, archetype="t4_3", measure="won_if_decided").tied  # of the claimant alone
    floor[0][1] = 0.31
    assert not design(floor).tied
    assert not design([[0.1, 0.2], [0.1, 0.2]], "XY", "PQ").tied


@pytest.mark.parametrize(
    ("archetype", "measure", "agents", "partners", "twice"),
    [
        ("t4_1", "won", "XYZ", "XYZ", True),
        ("t1_1", "adherence", "XYZ", "XYZ", True),
        ("archetype", "tor_end", "XYZ", "XYZ", True),
        ("archetype", "tor_end", "XY", "XYZ", True),
        ("archetype", "tor_end", "XY", "YPQ", False),
        ("t4_2", "leak", "XYZ", "XYZ", False),  # a run scores its attacker only
    ],
)
def test_a_recording_with_two_seats_in_the_table_counts_twice(
    archetype: str, measure: str, agents: str, partners: str, twice: bool
) -> None:
    cells = np.zeros((1, len(agents), len(partners)))
    about = {"archetype": archetype, "measure": measure}
    made = Design(Cells(cells, cells + 1, tuple(agents), tuple(partners), ("s",), ("t",)), ("t",), about)
    assert made.twice is twice


def test_empty_cells_are_named() -> None:
    nan = np.nan
    assert design(np.ones((3, 3))).holes == ""
    some = design([[1, nan, 1], [1, 1, 1], [1, 1, nan]])
    assert some.holes == "no opportunity: X with Y, Z with Z"
    most = design([[1, nan, 1], [nan, 1, nan], [1, 1, nan]])
    assert most.holes == "no opportunity: X with Y, Y with X, Y with Z and 1 more"


def test_scenarios_with_an_empty_cell_are_dropped_and_counted() -> None:
    rows = [
        row("won", 1.0, float((s, a, p) != ("s1", "X", "Y")), agent=a, partner=p, scenario=s)
        for s in ("s0", "s1", "s2")
        for a, p in everyone("XY", "XY")
    ]
    kept = design_of(frame(rows), Block(("X", "Y"), ("X", "Y"))).complete
    assert (kept.tables.shape, kept.dropped, kept.levels) == ((2, 2, 2), 1, ("t1_1", "t1_1"))
    assert kept.note == "1 scenario(s) with an empty cell left out"


def test_estimates_say_why_they_have_no_interval() -> None:
    values = np.array([0.2, 0.4, 0.6])

    def statistic(weights: np.ndarray) -> dict[str, np.ndarray]:
        undefined = np.full(len(weights), np.nan)
        return {"mean": weights @ values / weights.sum(axis=1), "nothing": undefined}

    def of(archetypes: list[str], draws: int = 50) -> dict:
        return estimates(statistic, archetypes, draws, np.random.default_rng(0))

    full = of(["t2"] * 3)
    assert full["mean"]["low"] < full["mean"]["value"] < full["mean"]["high"]
    assert (full["mean"]["interval"], full["nothing"]["value"]) == ("bootstrap", None)
    assert of(["t2", "t2", "t3_1"])["mean"]["note"] == "one scenario in t3_1: no interval"
    assert of(["t2"] * 3, 0)["mean"] == {"value": pytest.approx(0.4), "scenarios": 3, "note": ""}
    alone = estimates(lambda w: {"mean": w[:, 0]}, ["t2"], 50, np.random.default_rng(0))
    assert alone["mean"] == {"value": 1.0, "scenarios": 1, "note": "one scenario: no interval"}
