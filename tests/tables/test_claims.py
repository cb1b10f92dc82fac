"""What is concluded from tables: what the numbers allow, and a refusal where they allow nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.tables.claims import Claim, claims, conclusions
from dyad.tables.rows import Row, row
from tests.tables.said import NUMBERS, study_rows

ROWS = study_rows()
TESTED = ("contrast", "factor", "control", "stance")  # tables of differences around 0
BAD = re.compile(r"\b(nan|None|inf|null)\b|\(\)|\[\]|  | ,| \.|(?<!,) –|\(–", re.IGNORECASE)

LEAK = {"archetype": "t4_2", "measure": "leak"}
SOLVED = {"archetype": "t2", "measure": "solved"}


def text(*rows: Row, table: str = "") -> str:
    return " ".join(claim.text for claim in claims(rows) if claim.table == (table or rows[0]["table"]))


def differs(**numbers: Any) -> Row:
    known = {
        "value": 0.2,
        "low": 0.1,
        "high": 0.3,
        "p_adjusted": 0.01,
        "mde": 0.19,
        "scenarios": 20,
    } | numbers
    return row("contrast", **LEAK, agent="bold", term="bold − shy", **known)


def test_a_clear_difference_is_claimed_with_its_interval_n_and_p() -> None:
    above = "bold is 0.20 [0.10, 0.30] above shy with the same partners (20 scenarios, adjusted p 0.010)."
    assert text(differs()) == above
    below = differs(value=-0.2, low=-0.3, high=-0.1)
    assert text(below) == above.replace("above", "below")
    assert [claim.holds for claim in claims([differs(), below])] == [True]


def test_of_times_one_is_later() -> None:
    entry = {"archetype": "t1_1", "measure": "entry", "unit": "s"}
    later = text(differs(value=6.0, low=4.0, high=8.0) | entry)
    assert later.startswith("bold is 6.00 s [4.00, 8.00] later than shy")


def test_a_difference_below_the_floor_is_refused() -> None:
    (claim,) = claims([differs(value=0.1, low=-0.05, high=0.25, p_adjusted=0.3)])
    assert claim.holds is False
    assert claim.text == (
        "No two agents can be told apart: the largest difference, bold − shy = 0.10 [−0.05, 0.25] (20 "
        "scenarios, adjusted p 0.300), is below what this design could have seen (MDE 0.19): not "
        "distinguishable."
    )


def test_what_only_adjustment_takes_away_says_so() -> None:
    unclear = text(differs(p=0.02, p_adjusted=0.2))
    assert unclear.endswith("not distinguishable from 0 once all tests of the table are counted.")


def test_where_no_difference_could_be_seen_none_is_denied() -> None:
    note = "not distinguishable: too few scenarios for 3 tests"
    unclear = text(differs(p=0.0625, p_adjusted=0.1875, mde=None, scenarios=5, note=note))
    assert unclear.endswith(
        "is not distinguishable from 0; with so few scenarios no difference could have been."
    )


@pytest.mark.parametrize("table", ["matrix", "contrast"])
def test_one_scenario_says_nothing_about_others(table: str) -> None:
    one = differs(scenarios=1, low=None, high=None, observations=3) | {
        "table": table,
        "agent": "bold",
        "partner": "",
    }
    assert "With 1 scenario nothing can be said about other scenarios." in text(one, table=table)
    assert claims([one])[0].holds is False


def test_shares_that_are_equal_by_algebra_say_so() -> None:
    found = {"value": 0.47, "low": 0.4, "high": 0.49, "p_adjusted": 0.001}
    shares = [row("eta", **SOLVED, term=term, **found) for term in ("model", "partner")]
    lift = row("diallel", **SOLVED, term="lift", value=0.95, low=0.9, high=0.99)
    assert text(*shares, lift) == (
        "Model and partner shares are equal by algebra here; lift takes 95\N{NO-BREAK SPACE}% [90, 99]. "
        "Beyond chance: either of them (adjusted p 0.001)."
    )
    elsewhere = [share | LEAK for share in shares]
    assert "algebra" not in text(*elsewhere)


def test_shares_of_one_floor_are_one_share_in_turn_taking_too() -> None:
    about = {"archetype": "archetype", "measure": "occupancy"}
    shares = [row("eta", **about, term=term, value=0.34, p_adjusted=0.6) for term in ("model", "partner")]
    assert text(*shares) == (
        "Model and partner shares are equal by algebra here: each 34\N{NO-BREAK SPACE}%. "
        "Not distinguishable from chance: either of them (adjusted p 0.600)."
    )
    assert "algebra" not in text(*(share | {"measure": "tor_end"} for share in shares))


def test_a_share_needs_its_test_and_its_corrected_interval() -> None:
    share = row("eta", **LEAK, term="model", value=0.5, low=0.3, high=0.7, p_adjusted=0.01)
    others = [share | {"term": term, "p_adjusted": 0.5} for term in ("partner", "interaction")]
    assert "Beyond chance: the agent (adjusted p 0.010)." in text(share, *others)
    corrected = row("eta_corrected", **LEAK, term="model", value=0.2, low=-0.1, high=0.5)
    unclear = text(share, *others, corrected)
    assert "Beyond chance" not in unclear
    assert "Told from chance by the test, but by no interval: the agent (adjusted p 0.010)." in unclear


def test_noise_that_explains_everything_is_said() -> None:
    shares = [row("eta", **LEAK, term=term, value=0.4) for term in ("model", "partner")]
    noise = row("eta_corrected", **LEAK, term="noise", value=1.4)
    assert "Sampling noise alone would make more than all of them." in text(*shares, noise)


def test_a_median_that_is_not_reached_is_no_number() -> None:
    about = {"archetype": "t1_1", "measure": "entry", "term": "median"}
    rows = [
        row("km", **about, agent="bold", value=12.0, low=8.0, high=16.0, hits=55.0, n=60),
        row("km", **about, agent="shy", hits=4.0, n=60, note="n.r."),
    ]
    assert text(*rows) == (
        "Median time to entry: bold 12.0 s [8.00, 16.0] (55 of 60 runs) and shy not reached (4 of 60 runs)."
    )


def test_a_log_rank_test_alone_claims_nothing() -> None:
    found = [claim for claim in claims(ROWS) if claim.table == "logrank"]
    assert [claim.holds for claim in found] == [False]
    clear = row("logrank", archetype="t1_1", measure="entry", term="a − b", value=9.0, p=0.001)
    (claim,) = claims([clear])
    assert claim.holds is None
    assert claim.text.startswith("Taking runs as independent")


def test_act_and_success_stand_together() -> None:
    terms = {"act": 0.7, "score_if_act": 0.6, "score": 0.42}
    rows = [
        row("hurdle", **LEAK, agent="bold", term=term, value=value, n=60.0) for term, value in terms.items()
    ]
    space = "\N{NO-BREAK SPACE}"
    assert text(*rows) == f"bold acts in 70{space}% of runs (n 60) and then scores 0.60; together 42{space}%."
    assert text(rows[1]) == "", "a score given the act is never said without the act"
    unasked = row("hurdle", **LEAK, agent="bold", term="unprompted", value=0.1, n=60.0)
    assert text(*rows[:2], rows[2] | {"value": 0.52}, unasked) == (
        f"bold acts in 70{space}% of runs (n 60) and then scores 0.60; in 10{space}% it scores without "
        f"acting; together 52{space}%."
    )


@pytest.mark.parametrize(
    ("low", "high", "holds"), [(0.3, 0.45, True), (0.4, 0.6, False), (None, None, False)]
)
def test_a_game_favours_a_side_only_where_the_interval_leaves_out_one_half(
    low: float | None, high: float | None, holds: bool
) -> None:
    (claim,) = claims([row("balance", **LEAK, value=0.4, low=low, high=high, scenarios=20)])
    assert claim.holds is holds


def test_a_game_is_told_by_its_mix() -> None:
    assert text(*[one for one in ROWS if one["table"] == "game"]) == (
        "The acting side can secure 0.30 [0.22, 0.38] with moss (0.50) and pine (0.50) against any mix of "
        "partners, who hold it there with pine (1.00)."
    )


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (0.89, "89 % of who beats whom; no order the rest."),
        (0.9999, "over 99 % of who beats whom; no order the rest."),
        (1.0, "100 % of who beats whom."),
    ],
)
def test_where_an_order_explains_all_there_is_no_rest(part: float, said: str) -> None:
    found = text(row("rank", **LEAK, term="transitive share", value=part))
    assert found.replace("\N{NO-BREAK SPACE}", " ") == f"An order of agents explains {said}"


def test_the_first_sentences_say_what_differs_or_that_nothing_does() -> None:
    assert conclusions(ROWS)[0] == "Agents differ in 1 of 3 measures."
    assert conclusions(ROWS)[1].startswith("t1_1 adherence: pine is 0.36 [0.31, 0.41] below rush")
    assert conclusions([differs(p_adjusted=0.2)]) == ["In none of 1 measures can two agents be told apart."]
    assert conclusions([]) == ["No difference between agents could be tested."]


def test_every_table_says_something_of_its_conditions() -> None:
    two = [*ROWS, *study_rows(condition="cut")]
    found = claims(two)
    assert {claim.condition for claim in found} == {"", "cut"}
    silent = {"omega", "diallel_corrected"}
    assert {claim.table for claim in found} == {one["table"] for one in ROWS} - silent


TABLES = sorted({one["table"] for one in ROWS})
VALUE = st.none() | st.floats(-2, 2) | st.integers(0, 3)
CHANGE = st.tuples(st.sampled_from(TABLES), st.sampled_from(NUMBERS), st.integers(1, 3), VALUE)


@pytest.mark.parametrize("table", TABLES)
def test_a_number_that_is_not_there_leaves_no_hole(table: str) -> None:
    for column in NUMBERS:
        rows = [one | {column: None} if one["table"] == table else one for one in ROWS]
        assert not [claim.text for claim in claims(rows) if BAD.search(claim.text)]


@given(st.lists(CHANGE, max_size=40), st.sets(st.sampled_from(range(len(ROWS))), max_size=300))
@settings(max_examples=100, deadline=None)
def test_whatever_numbers_are_there_no_text_has_a_hole_and_no_claim_goes_beyond_them(
    changes: list[tuple[str, str, int, float | None]], gone: set[int]
) -> None:
    rows = [dict(one) for one in ROWS]
    for table, column, every, value in changes:
        for one in [one for one in rows if one["table"] == table][::every]:
            one[column] = value
    kept = [one for index, one in enumerate(rows) if index not in gone]
    for claim in claims(kept):
        assert claim.text
        assert not BAD.search(claim.text), claim.text
        assert all(sentence.endswith(".") for sentence in claim.sentences)
        if claim.holds and claim.table in TESTED:
            assert _allowed(claim, kept)


def _allowed(claim: Claim, rows: list[Row]) -> bool:
    """Some row behind the claim has an adjusted p below .05 and an interval that leaves out 0."""
    keys = ("condition", "table", "archetype", "measure")
    own = [one for one in rows if all(one[key] == getattr(claim, key) for key in keys)]
    return any(_clear(one) for one in own)


def _clear(one: Row) -> bool:
    p = one["p"] if one["p_adjusted"] is None else one["p_adjusted"]
    if None in (one["value"], one["low"], one["high"], p):
        return False
    return bool(p < 0.05 and not one["low"] <= 0 <= one["high"])


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_difference_is_claimed_exactly_where_test_and_interval_allow_it(
    value: float, below: float, above: float, p: float
) -> None:
    (claim,) = claims([differs(value=value, low=value - below, high=value + above, p_adjusted=p)])
    assert claim.holds is (p < 0.05 and not value - below <= 0 <= value + above)
