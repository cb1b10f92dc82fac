"""What rows say of differences inside scenarios."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import USUAL, Sought, cluster_mean, holm
from dyad.tables.paired import UNDISTINGUISHED, adjusted, mean_known, paired
from dyad.tables.rows import Row, row
from tests.tables.leaks import D0

NAN = float("nan")
DIFFERENCES = st.lists(st.integers(-6, 6).map(lambda k: k / 6), min_size=2, max_size=12)


def said(differences: list[float], permutations: int = 500) -> Row:
    return row("contrast", **paired(np.array(differences), permutations, np.random.default_rng(0)))


def test_paired_contrast_of_d0() -> None:
    d = (D0[:, 0, 2] - D0[:, 0, 0]) / 6
    found = paired(d, 10_000, np.random.default_rng(0))
    assert found["value"] == pytest.approx(0.216667, abs=1e-6)
    assert (found["high"] - found["low"]) / 2 == pytest.approx(2.093024 * 0.048516, abs=2e-6)  # t of 19
    assert found["mde"] == pytest.approx(2.953588 * 0.048516, abs=2e-6)  # 80 % power of t
    assert found["p"] == pytest.approx(0.001, abs=1e-3)
    assert (found["scenarios"], found["missing"], found["interval"]) == (20, 0, "scenarios")


def test_too_little_to_say() -> None:
    one, none = said([0.5, NAN]), said([NAN, NAN])
    assert (one["value"], one["low"], one["p"], one["scenarios"], one["missing"]) == (0.5, None, 1, 1, 1)
    assert one["note"] == "one scenario: no interval"
    assert (none["value"], none["p"], none["scenarios"], none["missing"]) == (None, None, 0, 2)
    assert none["note"] == "nothing to compare"
    assert said([])["note"] == "nothing to compare"
    assert said([0.1, 0.2], permutations=0)["p"] is None


@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3])
def test_scenarios_that_are_all_alike_have_no_interval(value: float) -> None:
    found = said([value] * 7)
    assert found["value"] == pytest.approx(value)
    assert (found["low"], found["high"], found["mde"]) == (None, None, None)
    same = "the same in every scenario: no interval" if value else "no difference in any scenario"
    assert found["note"] == same
    assert found["p"] == (1 if value == 0 else 2 / 2**7)


@given(DIFFERENCES)
def test_the_other_way_round(differences: list[float]) -> None:
    found, turned = said(differences), said([-d for d in differences])
    assert turned["value"] == -found["value"]
    assert [turned[key] for key in ("p", "mde", "note")] == [found[key] for key in ("p", "mde", "note")]
    if found["low"] is not None:
        assert (turned["low"], turned["high"]) == pytest.approx((-found["high"], -found["low"]))
        seen = USUAL.seen(len(differences))
        assert (found["mde"] is None) == (seen is None) == (len(differences) < 6)
        if seen is not None:
            assert found["mde"] == pytest.approx(seen * (cluster_mean(differences).se or 0), rel=1e-6)


def test_mean_of_what_is_known() -> None:
    values = np.array([[[0.0, 1.0], [NAN, 0.5]], [[NAN, NAN], [NAN, NAN]]])
    np.testing.assert_equal(mean_known(values), [0.5, NAN])
    assert mean_known(np.empty((0, 3, 3))).shape == (0,)
    np.testing.assert_equal(mean_known(np.array([0.25, NAN])), [0.25, NAN])


def test_tables_and_conditions_are_adjusted_apart() -> None:
    ps = [0.01, 0.04, 0.03, 0.005]
    rows = [row("contrast", condition=condition, p=p) for condition in ("", "fr") for p in ps]
    rows += [row("eta", p=0.01), row("matrix")]
    found = [found["p_adjusted"] for found in adjusted(rows)]
    assert found == [*holm(ps), *holm(ps), 0.01, None]
    assert [r["p"] for r in rows] == [*ps, *ps, 0.01, None]  # what went in is as it was
    assert all(r["p_adjusted"] is None for r in rows)


@pytest.mark.parametrize(
    ("table", "p", "ends", "note", "expected"),
    [
        ("contrast", 0.01, (0.1, 0.3), "", ""),
        ("contrast", 0.05, (0.1, 0.3), "", UNDISTINGUISHED),
        ("stance", 0.05, (0.1, 0.3), "", UNDISTINGUISHED),
        ("difference", 0.01, (-0.1, 0.3), "", UNDISTINGUISHED),  # inside of its own noise
        ("factor", 0.5, (None, None), "one scenario", f"{UNDISTINGUISHED}, one scenario"),
        ("contrast", 0.01, (None, None), "the same", "the same"),
        ("eta", 0.5, (0.1, 0.3), "", ""),
        ("contrast", None, (-0.1, 0.3), "", ""),
    ],
)  # fmt: skip
def test_what_may_be_told_apart(
    table: str, p: float | None, ends: tuple[float | None, float | None], note: str, expected: str
) -> None:
    (found,) = adjusted([row(table, p=p, low=ends[0], high=ends[1], note=note)])
    assert found["note"] == expected


@pytest.mark.parametrize(
    ("table", "scenarios", "tests", "blind"),
    [
        ("contrast", 5, 1, True),  # 2 / 2**5 > .05
        ("contrast", 6, 1, False),
        ("factor", 6, 2, True),
        ("difference", 10, 25, False),
        ("difference", 10, 26, True),
        ("stance", 2, 26, False),  # its test flips no signs
    ],
)
def test_too_few_scenarios_for_so_many_tests_are_named(
    table: str, scenarios: int, tests: int, blind: bool
) -> None:
    one = row(table, p=0.9, low=-0.1, high=0.3, scenarios=scenarios)
    found = adjusted([one] * tests + [row(table, scenarios=scenarios)])  # what has no p is no test
    why = f": too few scenarios for {tests} test{'s' if tests > 1 else ''}" if blind else ""
    assert {r["note"] for r in found[:-1]} == {UNDISTINGUISHED + why}


def test_with_five_scenarios_no_difference_is_seen_and_the_row_says_so() -> None:
    (found,) = adjusted([said([0.28, 0.29, 0.31, 0.32, 0.35])])
    assert (found["value"], found["p"], found["mde"]) == (pytest.approx(0.31), 0.0625, None)
    assert found["low"] > 0.27
    assert found["note"] == f"{UNDISTINGUISHED}: too few scenarios for 1 test"


@pytest.mark.parametrize(
    ("archetype", "term", "blind"),
    [("t1_1", "model", True), ("t4_2", "interaction", True), ("t4_2", "model", False)],
)
def test_shares_whose_signs_are_too_few_to_flip_say_so(archetype: str, term: str, blind: bool) -> None:
    few, enough = (
        row("eta", archetype=archetype, term=term, p=0.0625, scenarios=s, missing=2, note="x") for s in (7, 8)
    )
    said = "x; p: too few scenarios for 1 test" if blind else "x"
    assert adjusted([few])[0]["note"] == said
    assert adjusted([enough])[0]["note"] == "x"


@pytest.mark.parametrize("tests", [1, 3, 27])
def test_the_smallest_difference_is_that_of_one_of_all_tests(tests: int) -> None:
    alone = said([0.1, -0.2, 0.3, 0.2, 0.1, 0.0, 0.2, 0.1, -0.1, 0.2, 0.3])
    stance = row("stance", value=0.1, low=-0.1, high=0.3, p=0.3, mde=0.2, scenarios=11)
    lone = row("mde", term="mde", value=0.2, mde=0.2, scenarios=11)
    blind = row("mde", term="mde", value=0.2, mde=0.2, scenarios=6)
    contrasts = [alone | {"archetype": "t2"}] * tests
    *found, welch, of_scores, none = adjusted([*contrasts, stance, lone, blind])
    seen, once = Sought(tests=tests).seen(11), USUAL.seen(11)
    assert [r["mde"] for r in found] == pytest.approx([alone["mde"] * seen / once] * tests)
    assert welch["mde"] == 0.2  # a family of its own
    assert of_scores["value"] == of_scores["mde"] == pytest.approx(0.2 * seen / once)
    assert (none["mde"] is None) == (tests > 1)
    assert none["note"] == ("" if tests == 1 else f"too few scenarios for {tests} tests")


@pytest.mark.parametrize("scenarios", [5, 6, 10])
@pytest.mark.parametrize("tests", [1, 2, 25, 26])
def test_few_scenarios_are_too_few_exactly_where_the_largest_effect_is_not_seen(
    scenarios: int, tests: int
) -> None:
    clear = row("contrast", **paired(np.linspace(0.9, 1.0, scenarios), 10_000, np.random.default_rng(0)))
    notes = {r["note"] for r in adjusted([clear] * tests)}
    if tests * clear["p"] < 0.05:
        assert notes == {""}
    else:
        (note,) = notes
        assert note.startswith(f"{UNDISTINGUISHED}: too few scenarios for {tests} test")
