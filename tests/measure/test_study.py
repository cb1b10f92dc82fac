"""Tables of a study from rows whose answer is known: pooling, intervals, matrices, η², survival, power."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from dyad.measure.catalogue import MEASURES
from dyad.measure.rows import COLUMNS
from dyad.measure.study import (
    HEADLINE,
    SUMMARY,
    matrices,
    mde,
    of_judge,
    pool,
    summary,
    survival,
    turn_cells,
    variance,
)
from dyad.spec.scenario import task_of
from dyad.stats import wilson

Row = dict[str, Any]
HITS_0_OF_18 = [(0.0, 6.0)] * 3


def row(measure: str, value: float | None, n: float = 1.0, **about: Any) -> Row:
    base = {
        "run_id": "r", "study": "s", "suite": "dyad", "archetype": "t1_1", "scenario": "s0",
        "pairing": "p", "agent": "X", "partner": "Y", "seat": "a", "role": "a", "kind": "k", "opener": "a",
        "repetition": 0, "seed": 0, "window": 60.0, "judge": "", "mode": "paper", "measure": measure,
        "value": value, "n": n, "unit": MEASURES[measure].unit, "better": 0, "observed": True,
    }  # fmt: skip
    made = base | about
    return made | {"task": task_of(made["archetype"])}


def frame(rows: Iterable[Row]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS)).astype({"value": float})


def by_scenario(measure: str, sums: Iterable[tuple[float | None, float]]) -> pd.DataFrame:
    return frame(row(measure, value, n, scenario=f"s{i}") for i, (value, n) in enumerate(sums))


# -- pooling and intervals -------------------------------------------------------------------------


def test_cells_add_counts_and_divide_last() -> None:
    cell = pool(by_scenario("tor_end", [(1, 2), (6, 8), (None, 0), (0, 0)]), "tor_end")
    assert (cell.value, cell.hits, cell.n, cell.scenarios, cell.missing) == (0.7, 7.0, 10.0, 2, 1)


@pytest.mark.parametrize("sums", [[], [(0, 0), (0, 0)], [(None, 0)]])
def test_a_cell_without_opportunities_is_missing(sums: list[tuple[float | None, float]]) -> None:
    cell = pool(by_scenario("tor_end", sums), "tor_end")
    assert cell[:4] == (None, None, None, "")
    assert cell.missing == sum(value is None for value, _ in sums)


def test_interval_over_scenarios_is_that_of_their_means() -> None:
    """Cluster SE .127475 of .5 .25 .75 .5 0 (dyad's statistics, cells)."""
    cell = pool(by_scenario("adherence", [(2, 4), (1, 4), (3, 4), (2, 4), (0, 4)]), "adherence")
    half = student.ppf(0.975, 4) * 0.127475
    assert cell.value == pytest.approx(0.4)
    assert cell.interval == "scenarios"
    assert cell.high == pytest.approx(0.4 + half, abs=1e-5)
    assert cell.low == pytest.approx(max(0.4 - half, 0.0), abs=1e-5)


def test_unequal_scenarios_give_the_interval_of_the_ratio() -> None:
    hits, n = np.array([9.0, 1.0, 4.0]), np.array([10.0, 4.0, 6.0])
    cell = pool(by_scenario("tor_end", zip(hits, n, strict=True)), "tor_end")
    ratio = hits.sum() / n.sum()
    se = np.sqrt(3 / 2 * ((hits - ratio * n) ** 2).sum()) / n.sum()
    assert cell.value == ratio
    assert cell.high == min(1.0, ratio + student.ppf(0.975, 2) * se)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=8))
def test_a_value_lies_inside_its_interval(pairs: list[tuple[int, int]]) -> None:
    sums = [(float(min(k, n)), float(n)) for k, n in pairs]
    cell = pool(by_scenario("tor_end", sums), "tor_end")
    assert cell.value is not None
    assert cell.low is not None
    assert cell.high is not None
    assert 0 <= cell.low <= cell.value + 1e-12
    assert cell.value - 1e-12 <= cell.high <= 1
    assert cell.low < cell.high  # no data proves a share exactly


@pytest.mark.parametrize(("sums", "k"), [(HITS_0_OF_18, 0), ([(6.0, 6.0)] * 3, 18), ([(2.0, 6.0)] * 3, 6)])
def test_scenarios_that_agree_do_not_make_a_share_certain(sums: list[tuple[float, float]], k: int) -> None:
    cell = pool(by_scenario("won", sums), "won")
    expected = wilson(k, 18)
    assert expected is not None
    assert (cell.low, cell.high, cell.interval) == (expected.low, expected.high, "wilson")


def test_one_scenario_has_wilson_and_unlike_ticks_nothing() -> None:
    assert pool(by_scenario("adherence", [(55, 120)]), "adherence").low == pytest.approx(0.3719, abs=5e-5)
    assert pool(by_scenario("occupancy", [(300, 700)]), "occupancy")[1:4] == (None, None, "")
    assert pool(by_scenario("backchannels", [(0, 3), (0, 2)]), "backchannels")[1:4] == (None, None, "")


def test_a_rate_per_minute_is_never_negative_and_may_exceed_one() -> None:
    cell = pool(by_scenario("backchannels", [(0, 1), (0, 1), (9, 1)]), "backchannels")
    assert (cell.value, cell.low, cell.interval) == (3.0, 0.0, "scenarios")
    assert cell.high == pytest.approx(3 + student.ppf(0.975, 2) * 3)


def test_a_share_of_the_gap_may_be_negative() -> None:
    cell = pool(by_scenario("gap_share", [(-0.4, 1), (0.1, 1), (1.5, 1)]), "gap_share")
    assert cell.low is not None
    assert cell.low < -0.4
    assert cell.high is not None
    assert cell.high > 1


# -- matrices --------------------------------------------------------------------------------------


def cells(frame_: pd.DataFrame) -> dict[tuple[str, str, str], Row]:
    return {(r["archetype"], r["agent"], r["partner"]): r for r in matrices(frame_)}


def pair(value: float | None, agents: str, scenario: str = "s0") -> Row:
    about = {"archetype": "t2", "seat": "", "role": "", "scenario": scenario}
    return row("solved", value, 0.0 if value is None else 1.0, agent=agents[0], partner=agents[1], **about)


def test_a_score_of_the_pair_counts_for_both_agents_and_once_in_self_play() -> None:
    found = cells(frame([pair(1, "XY"), pair(0, "YX"), pair(1, "XY"), pair(1, "XX"), pair(None, "XX")]))
    assert {k[1:]: (r["hits"], r["n"], r["missing"]) for k, r in found.items()} == {
        ("X", "Y"): (2.0, 3.0, 0),
        ("Y", "X"): (2.0, 3.0, 0),
        ("X", "X"): (1.0, 1.0, 1),
    }


def test_tables_show_one_judge() -> None:
    said = {"mechanical": [1.0, 1.0], "model": [0.0, None], "human:AB": [0.0]}
    rows = [
        row("adherence", value, judge=judge, run_id=f"r{i}")
        for judge, values in said.items()
        for i, value in enumerate(values)
    ]
    table = frame([*rows, row("occupancy", 3, 4)])
    shown = {judge: summary(of_judge(table, judge)) for judge in said}
    cells = {judge: next(r for r in own if r["table"] == "matrix") for judge, own in shown.items()}
    assert {judge: (x["value"], x["n"], x["missing"]) for judge, x in cells.items()} == {
        "mechanical": (1.0, 2.0, 0), "model": (0.0, 1.0, 1), "human:AB": (0.0, 1.0, 0),
    }  # fmt: skip
    assert all([r["value"] for r in own if r["measure"] == "occupancy"] == [0.75] for own in shown.values())
    with pytest.raises(ValueError, match="several judges"):
        summary(table)


def test_scores_of_a_seat_stay_with_it() -> None:
    about = {"archetype": "t4_1"}
    found = cells(
        frame(
            [
                row("won", 1, **about),
                row("won", 0, agent="Y", partner="X", seat="b", role="b", **about),
                row("won", 1, agent="X", partner="X", **about),
                row("won", 0, agent="X", partner="X", seat="b", role="b", **about),
            ]
        )
    )
    assert {k[1:]: r["value"] for k, r in found.items()} == {
        ("X", "Y"): 1.0,
        ("Y", "X"): 0.0,
        ("X", "X"): 0.5,
    }


def test_only_the_scored_role_makes_an_asymmetric_matrix() -> None:
    about = {"archetype": "t1_2"}
    found = cells(
        frame(
            [
                row("adherence", 1, **about),
                row("adherence", 0, role="b", **about),
            ]
        )
    )
    assert found["t1_2", "X", "Y"]["value"] == 1.0


def occupancy(a: float, b: float, agents: str, scenario: str = "s0") -> list[Row]:
    x, y = agents
    about = {"archetype": "t3_1", "scenario": scenario}
    return [
        row("occupancy", a, a + b, agent=x, partner=y, **about),
        row("occupancy", b, a + b, agent=y, partner=x, seat="b", role="b", **about),
    ]


def test_floor_shares_are_half_in_self_play_and_add_to_one() -> None:
    rows = [*occupancy(300, 100, "XX", "s0"), *occupancy(20, 500, "XX", "s1"), *occupancy(90, 210, "XY")]
    found = cells(frame(rows))
    diagonal = found["t3_1", "X", "X"]
    assert (diagonal["value"], diagonal["low"], diagonal["interval"]) == (0.5, None, "pinned")
    assert diagonal["hits"] / diagonal["n"] == 0.5  # by construction, not by force
    assert found["t3_1", "X", "Y"]["value"] + found["t3_1", "Y", "X"]["value"] == pytest.approx(1.0)
    assert cells(frame([])) == {}


def test_every_row_has_every_column() -> None:
    rows = summary(design(np.random.default_rng(1)))
    assert {r["table"] for r in rows} == {"matrix", "turns", "eta"}
    assert all(set(r) == set(SUMMARY) for r in rows)
    assert summary(frame([])) == []


def test_turn_taking_pools_all_tasks() -> None:
    rows = [row("tor_pause", 1, 4), row("tor_pause", 2, 4, archetype="t2"), row("tor_pause", None, 0)]
    (cell,) = turn_cells(frame(rows))
    assert (cell["value"], cell["missing"], cell["archetype"], cell["unit"]) == (0.375, 1, "", "share")


def test_draws_of_a_free_conversation_stand_in_for_scenarios() -> None:
    free = [row("tor_end", k, 4, archetype="t0", repetition=k, run_id=f"r{k}") for k in (1, 2, 3)]
    told = [row("tor_end", 1, 4, archetype="t2", repetition=k, run_id=f"q{k}") for k in (1, 2, 3)]
    pooled = {
        name: next(r for r in summary(frame(rows)) if r["table"] == "turns")
        for name, rows in (("free", free), ("told", told))
    }
    assert (pooled["free"]["scenarios"], pooled["free"]["interval"]) == (3, "scenarios")
    assert (pooled["told"]["scenarios"], pooled["told"]["interval"]) == (1, "wilson")
    half = student.ppf(0.975, 2) * 0.25 / math.sqrt(3)  # of the means .25, .5 and .75
    assert pooled["free"]["high"] == pytest.approx(min(0.5 + half, 1.0))
    assert pooled["free"]["low"] == pytest.approx(max(0.5 - half, 0.0))


def test_a_free_conversation_has_no_matrix() -> None:
    tables = {r["table"] for r in summary(frame([row("occupancy", 1, 4, archetype="t0")]))}
    assert tables == {"turns"}


# -- η² --------------------------------------------------------------------------------------------


def design(
    rng: np.random.Generator,
    archetypes: tuple[str, ...] = ("t1_1", "t3_1", "t3_2"),
    agents: str = "XYZ",
    scenarios: int = 3,
) -> pd.DataFrame:
    """Random counts of turn-taking and T1-1 scores in a full design."""
    rows = []
    for archetype, agent, partner, s in product(archetypes, agents, agents, range(scenarios)):
        about = {"archetype": archetype, "agent": agent, "partner": partner, "scenario": f"{archetype}_{s}"}
        for measure in ("tor_pause", "tor_end", "barge_in"):
            n = int(rng.integers(4, 20))
            rows.append(row(measure, float(rng.integers(0, n + 1)), n, **about))
        rows.append(row("backchannels", float(rng.poisson(3)), 1.0, **about))
        if archetype == "t1_1":
            rows.append(row("adherence", float(rng.integers(0, 2)), 1.0, **about))
    return frame(rows)


def shares(frame_: pd.DataFrame, archetype: str, measure: str, draws: int = 0) -> dict[str, float]:
    found = [r for r in variance(frame_, draws) if (r["archetype"], r["measure"]) == (archetype, measure)]
    return {r["term"]: r["value"] for r in found}


def by_anova(frame_: pd.DataFrame, measure: str, factor: str, formula: str) -> dict[str, float]:
    """Sums of squares over cell rates, by statsmodels, as shares of their total."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    own = frame_[frame_["measure"] == measure]
    sums = own.groupby([factor, "agent", "partner"], as_index=False)[["value", "n"]].sum()
    table = sums.rename(columns={factor: "level"}).assign(y=sums["value"] / sums["n"])
    found = anova_lm(ols(formula, table).fit())["sum_sq"]
    return (found / found.sum()).to_dict()


THREE_WAY = "y ~ C(level) + C(agent) * C(partner)"
TERMS = {
    "task": "C(level)",
    "model": "C(agent)",
    "partner": "C(partner)",
    "interaction": "C(agent):C(partner)",
    "residual": "Residual",
}


@pytest.mark.parametrize("measure", ["tor_pause", "tor_end", "backchannels", "barge_in"])
def test_three_way_shares_by_archetype(measure: str) -> None:
    data = design(np.random.default_rng(7))
    expected = by_anova(data, measure, "archetype", THREE_WAY)
    assert shares(data, "archetype", measure) == pytest.approx(
        {term: expected[name] for term, name in TERMS.items()}
    )
    assert shares(data, "task", measure) == {}


def test_three_way_shares_by_task_where_an_archetype_leaves_a_hole() -> None:
    data = design(np.random.default_rng(8))
    hole = (data["archetype"] == "t3_1") & (data["agent"] == "X") & (data["measure"] == "tor_end")
    data.loc[hole, ["value", "n"]] = 0.0
    expected = by_anova(data, "tor_end", "task", THREE_WAY)
    assert shares(data, "archetype", "tor_end") == {}
    assert shares(data, "task", "tor_end") == pytest.approx({k: expected[name] for k, name in TERMS.items()})
    everywhere = data["agent"].eq("X") & data["task"].eq("t3") & data["measure"].eq("tor_end")
    data.loc[everywhere, ["value", "n"]] = 0.0
    assert shares(data, "archetype", "tor_end") == shares(data, "task", "tor_end") == {}
    assert shares(data, "archetype", "tor_pause")  # one hole drops one measure


def test_two_way_shares_of_a_score_matrix() -> None:
    data = design(np.random.default_rng(9))
    own = data[data["measure"] == "adherence"]
    table = own.groupby(["agent", "partner"])["value"].mean().unstack().to_numpy()
    parts = {
        "model": table.mean(axis=1, keepdims=True) - table.mean() + 0 * table,
        "partner": table.mean(axis=0, keepdims=True) - table.mean() + 0 * table,
    }
    total = ((table - table.mean()) ** 2).sum()
    expected = {name: (part**2).sum() / total for name, part in parts.items()}
    found = shares(data, "t1_1", "adherence")
    assert found == pytest.approx(expected | {"interaction": 1 - sum(expected.values())})
    incomplete = data[~((data["agent"] == "X") & (data["partner"] == "X"))]
    assert shares(incomplete, "t1_1", "adherence") == {}


def test_turn_taking_of_one_archetype_is_split_two_ways() -> None:
    data = design(np.random.default_rng(4), archetypes=("t0",))
    own = data[data["measure"] == "tor_end"].groupby(["agent", "partner"])[["value", "n"]].sum()
    table = (own["value"] / own["n"]).unstack().to_numpy()
    by_agent = 3 * ((table.mean(axis=1) - table.mean()) ** 2).sum() / ((table - table.mean()) ** 2).sum()
    found = shares(data, "archetype", "tor_end")
    assert found.keys() == {"model", "partner", "interaction"}
    assert found["model"] == pytest.approx(by_agent)


def test_symmetric_and_complementary_scores_split_evenly() -> None:
    rng = np.random.default_rng(3)
    solved = [
        pair(float(rng.integers(0, 2)), a + b, f"s{k}") for a, b in ["XX", "XY", "YY", "YX"] for k in range(5)
    ]
    found = shares(frame(solved), "t2", "solved")
    assert found["model"] == pytest.approx(found["partner"])
    floor = [
        r
        for a, b in ["XX", "XY", "XZ", "YY", "YZ", "ZZ"]
        for r in occupancy(*rng.integers(50, 400, 2), a + b)
    ]
    found = shares(frame(floor), "t3_1", "occupancy")
    assert found["model"] == pytest.approx(found["partner"])


def test_spread_of_shares_needs_two_scenarios_and_can_be_repeated() -> None:
    data = design(np.random.default_rng(5))
    first = list(variance(data, 200))
    assert first == list(variance(data, 200))
    assert all(0 < r["sd"] < 0.5 for r in first)
    assert all(r["sd"] is None for r in variance(data, 0))
    single = design(np.random.default_rng(5), scenarios=1)
    assert [r["sd"] for r in variance(single, 200)].count(None) == len(list(variance(single)))


def test_identical_scenarios_have_no_spread() -> None:
    one = design(np.random.default_rng(6), scenarios=1)
    twice = pd.concat([one, one.assign(scenario=one["scenario"] + "_again")])
    assert all(r["sd"] == pytest.approx(0, abs=1e-12) for r in variance(twice, 100))


def test_one_agent_has_no_variance_to_split() -> None:
    assert list(variance(design(np.random.default_rng(2), agents="X"))) == []


# -- survival --------------------------------------------------------------------------------------


def times(values: Iterable[tuple[float | None, bool]], **about: Any) -> list[Row]:
    return [row("entry", at, observed=seen, **about) for at, seen in values]


CURVE_A = [(t, True) for t in (4, 8, 8, 12, 20, 31.2, 45)] + [(60, False)] * 3


def test_kaplan_meier_rows_agree_with_lifelines_and_have_the_exact_median() -> None:
    from lifelines import KaplanMeierFitter

    rows = list(survival(frame(times([*CURVE_A, (None, True)]))))
    (median,) = [r for r in rows if r["term"] == "median"]
    assert (median["value"], median["hits"], median["n"]) == (20.0, 7.0, 10)  # naive libraries say 31.2
    fitted = KaplanMeierFitter().fit([at for at, _ in CURVE_A], [seen for _, seen in CURVE_A])
    points = {r["at"]: (r["value"], r["n"]) for r in rows if r["term"] == "survival"}
    expected = fitted.survival_function_["KM_estimate"].drop(0.0)
    assert {at: value for at, (value, _) in points.items()} == pytest.approx(expected.to_dict())
    at_risk = fitted.event_table["at_risk"].drop(0.0)
    assert {at: n for at, (_, n) in points.items()} == at_risk.to_dict()


def test_a_median_that_is_not_reached_is_missing() -> None:
    rows = list(survival(frame(times([(5, True), (60, False), (60, False)]))))
    assert [r["value"] for r in rows if r["term"] == "median"] == [None]


def test_curves_are_kept_apart_by_archetype_measure_and_agent() -> None:
    rows = [*times(CURVE_A), *times(CURVE_A, agent="Y"), *times(CURVE_A, archetype="t1_2")]
    rows += [r | {"measure": "deviation"} for r in times(CURVE_A)]
    medians = [r for r in survival(frame(rows)) if r["term"] == "median"]
    keys = {(r["archetype"], r["measure"], r["agent"]) for r in medians}
    assert keys == {
        ("t1_1", "entry", "X"), ("t1_1", "entry", "Y"), ("t1_2", "entry", "X"), ("t1_1", "deviation", "X"),
    }  # fmt: skip
    assert all(r["value"] == 20.0 for r in medians)


# -- power -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenarios", "runs", "expected"),
    [
        (20, 3, 0.251), (20, 6, 0.188), (20, 12, 0.147), (40, 3, 0.177), (40, 6, 0.133), (60, 2, 0.173),
        (60, 6, 0.109), (100, 2, 0.134),
    ],
)  # fmt: skip
def test_smallest_difference_is_that_of_the_power_table(scenarios: int, runs: int, expected: float) -> None:
    found = mde(scenarios, runs)
    assert found == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(("scenarios", "runs"), [(0, 6.0), (20, 0.0), (20, math.nan)])
def test_no_design_sees_no_difference(scenarios: int, runs: float) -> None:
    assert mde(scenarios, runs) is None


def test_headlines_are_measures() -> None:
    assert set(HEADLINE.values()) <= set(MEASURES)


@pytest.mark.parametrize(
    ("column", "values", "names"),
    [
        ("twin", ("", "full"), {"no twin", "twin full"}),
        ("lang", ("en", "fr"), {"en", "fr"}),
        ("channel", ("clean", "gain 0 both ways"), {"clean", "gain 0 both ways"}),
        ("window", (30.0, 60.0), {"30 s", "60 s"}),
    ],
)
def test_nothing_is_pooled_over_conditions(column: str, values: tuple[Any, ...], names: set[str]) -> None:
    rows = [
        row("occupancy", hits, 10.0, **{column: value})
        for hits, value in zip((2.0, 8.0), values, strict=True)
    ]
    cells = [r for r in summary(frame(rows)) if r["table"] == "turns" and r["measure"] == "occupancy"]
    assert {r["condition"] for r in cells} == names
    assert sorted(r["value"] for r in cells) == [0.2, 0.8]
