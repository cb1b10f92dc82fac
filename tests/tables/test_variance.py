"""Shares of variance from rows whose answer is known."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dyad.stats import component_test, scenario_corrected, three_way, three_way_parts, two_way_parts
from dyad.tables.draws import NONE, Draws
from dyad.tables.rows import Row
from dyad.tables.variance import variance
from tests.tables.made import design, frame, occupancy, pair, row

D0 = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]["d0"]
TWO_WAY = ["model", "partner", "interaction"]


def runs_of_d0() -> pd.DataFrame:
    counts = np.array(D0["d0_counts"]).reshape(20, 3, 3)
    return frame(
        row(
            "leak",
            float(k < counts[s, a, p]),
            archetype="t4_2",
            scenario=f"s{s}",
            agent="XYZ"[a],
            partner="XYZ"[p],
        )
        for s, a, p, k in product(range(20), range(3), range(3), range(6))
    )


def rows_of(
    frame_: pd.DataFrame, table: str, archetype: str, measure: str, draws: Draws = NONE
) -> dict[str, Row]:
    key = (table, archetype, measure, "", "")
    columns = ("table", "archetype", "measure", "agent", "partner")
    found = [r for r in variance(frame_, draws) if tuple(r[c] for c in columns) == key]
    assert len({r["term"] for r in found}) == len(found)
    return {r["term"]: r for r in found}


def shares(frame_: pd.DataFrame, archetype: str, measure: str, table: str = "eta") -> dict[str, float]:
    """Values by term; nothing where there is only a row that says why not."""
    found = rows_of(frame_, table, archetype, measure)
    assert all(bool(r["note"]) for r in found.values() if r["value"] is None)
    return {term: r["value"] for term, r in found.items() if r["value"] is not None}


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
    (left,) = {r["note"] for r in rows_of(incomplete, "eta", "t1_1", "adherence").values()}
    assert left == "only Y, Z, who all met each other"


def test_turn_taking_of_one_archetype_is_split_two_ways() -> None:
    data = design(np.random.default_rng(4), archetypes=("t0",))
    own = data[data["measure"] == "tor_end"].groupby(["agent", "partner"])[["value", "n"]].sum()
    table = (own["value"] / own["n"]).unstack().to_numpy()
    by_agent = 3 * ((table.mean(axis=1) - table.mean()) ** 2).sum() / ((table - table.mean()) ** 2).sum()
    found = shares(data, "archetype", "tor_end")
    assert found.keys() == {"model", "partner", "interaction"}
    assert found["model"] == pytest.approx(by_agent)


def tied_rows() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    pairs = ["XX", "XY", "XZ", "YY", "YZ", "ZZ"]
    solved = [pair(float(rng.integers(0, 2)), ab, f"s{k}") for ab in pairs for k in range(5)]
    floor = [r for ab in pairs for k in range(5) for r in occupancy(*rng.integers(50, 400, 2), ab, f"s{k}")]
    return frame([*solved, *floor])


@pytest.mark.parametrize(("archetype", "measure"), [("t2", "solved"), ("t3_1", "occupancy")])
def test_model_and_partner_are_equal_by_algebra_where_rows_say_what_columns_say(archetype, measure) -> None:
    data, draws = tied_rows(), Draws(20, 2000)
    found = rows_of(data, "eta", archetype, measure, draws)
    assert found["model"]["value"] == pytest.approx(found["partner"]["value"], rel=1e-12)
    for term in ("model", "partner"):
        assert "model = partner by algebra, see diallel" in found[term]["note"]
    assert found["interaction"]["note"] == ""
    own = data[data["measure"] == measure]
    both = pd.concat([own, own.rename(columns={"agent": "partner", "partner": "agent"})[own.columns]])
    both = own if archetype == "t3_1" else both
    rates = both.groupby(["scenario", "agent", "partner"])[["value", "n"]].sum()
    x = (rates["value"] / rates["n"]).to_numpy().reshape(5, 3, 3)
    for term in ("model", "partner"):  # 2^5 signs are enumerated
        test = component_test(x, two_way_parts, term, np.random.default_rng(0))
        assert (found[term]["p"], test.exact) == (pytest.approx(test.p), True)
    noted = rows_of(data, "omega", archetype, measure)["model"]["note"]
    assert "every run of two agents counts in two cells" in noted


def test_the_floor_of_all_tasks_is_tied_too_but_has_no_diallel() -> None:
    data = tied_rows()
    found = rows_of(data[data["archetype"] == "t3_1"], "eta", "archetype", "occupancy")
    assert found["model"]["note"] == "model = partner by algebra"


def test_d0_from_single_runs_to_shares_tests_and_intervals() -> None:
    data, draws = runs_of_d0(), Draws(2000, 10_000, seed=1)
    raw = rows_of(data, "eta", "t4_2", "leak", draws)
    assert [raw[t]["value"] for t in TWO_WAY] == pytest.approx(D0["eta2_cells"], abs=1e-6)
    assert [raw[t]["sd"] for t in TWO_WAY] == pytest.approx(D0["monte_carlo"]["bootstrap_sd_eta2"], abs=0.008)
    p = [D0["monte_carlo"][name] for name in ("p_model", "p_partner", "p_interaction_signflip")]
    assert [raw[t]["p"] for t in TWO_WAY] == pytest.approx(p, abs=1e-3)
    assert {(r["n"], r["scenarios"], r["missing"], r["interval"]) for r in raw.values()} == {
        (9, 20, 0, "bootstrap")
    }
    found = rows_of(data, "eta_corrected", "t4_2", "leak", draws)
    expected = {term: D0["share_ustat"][term] for term in TWO_WAY}
    noise = 1 - sum(D0["ss_ustat"][t] for t in TWO_WAY) / sum(D0["ss_cells"][t] for t in TWO_WAY)
    assert {t: r["value"] for t, r in found.items()} == pytest.approx(expected | {"noise": noise}, abs=5e-5)
    for term in TWO_WAY:
        assert found[term]["low"] < found[term]["value"] < found[term]["high"]


@pytest.mark.parametrize(("table", "vector"), [("omega", "omega2"), ("epsilon", "epsilon2")])
def test_d0_on_the_level_of_runs(table: str, vector: str) -> None:
    found = rows_of(runs_of_d0(), table, "t4_2", "leak")
    assert [found[t]["value"] for t in TWO_WAY] == pytest.approx(D0[vector], abs=1e-6)
    assert {(r["n"], r["note"]) for r in found.values()} == {(1080, "")}


def test_unbalanced_runs_have_sums_of_type_two() -> None:
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    data = runs_of_d0().sample(frac=0.7, random_state=2)
    table = anova_lm(ols("value ~ C(agent) * C(partner)", data).fit(), typ=2)
    mse = table["sum_sq"]["Residual"] / table["df"]["Residual"]
    total = ((data["value"] - data["value"].mean()) ** 2).sum()
    expected = (table["sum_sq"] - table["df"] * mse)[:3] / (total + mse)
    found = rows_of(data, "omega", "t4_2", "leak")
    assert [found[t]["value"] for t in TWO_WAY] == pytest.approx(expected.to_numpy())
    assert found["model"]["note"].startswith("type II")


def leaning(seed: int, scenarios: int) -> pd.DataFrame:
    """Random turn-taking, but X does everything less."""
    data = design(np.random.default_rng(seed), scenarios=scenarios)
    return data.assign(value=data["value"].where(data["agent"] != "X", 0.2 * data["value"]))


def test_turn_taking_is_corrected_within_archetypes() -> None:
    data = leaning(4, scenarios=4)
    found = shares(data, "archetype", "tor_end", "eta_corrected")
    own = data[data["measure"] == "tor_end"].sort_values(["archetype", "scenario", "agent", "partner"])
    x = (own["value"] / own["n"]).to_numpy().reshape(12, 3, 3)
    split = scenario_corrected(x, three_way_parts, np.repeat(["t1_1", "t3_1", "t3_2"], 4))
    raw = three_way(x.reshape(3, 4, 3, 3).mean(axis=1))
    assert found.pop("noise") == pytest.approx(1 - split.total / raw.total)
    assert {term: max(value, 0.0) for term, value in found.items()} == pytest.approx(split.shares)
    assert min(found.values()) < 0


def test_intervals_need_two_scenarios_and_can_be_repeated() -> None:
    data = design(np.random.default_rng(5))
    first = list(variance(data, Draws(200, 50)))
    assert first == list(variance(data, Draws(200, 50)))
    assert first != list(variance(data, Draws(200, 50, seed=1)))
    assert all(0 < r["sd"] < 0.5 for r in first if r["table"] == "eta")
    assert all(r["sd"] is None for r in variance(data, NONE))
    assert all(r["p"] is None for r in variance(data, NONE))
    single = rows_of(design(np.random.default_rng(5), scenarios=1), "eta", "t1_1", "adherence", Draws(200, 0))
    assert {(r["sd"], r["note"]) for r in single.values()} == {(None, "one scenario: no interval")}


def test_no_table_shifts_the_random_numbers_of_another() -> None:
    data, draws = design(np.random.default_rng(5)), Draws(200, 50)
    alone = rows_of(data[data["measure"] == "tor_end"], "eta", "archetype", "tor_end", draws)
    assert alone == rows_of(data, "eta", "archetype", "tor_end", draws)


def test_identical_scenarios_have_no_spread() -> None:
    one = design(np.random.default_rng(6), scenarios=1)
    twice = pd.concat([one, one.assign(scenario=one["scenario"] + "_again")])
    found = [r for r in variance(twice, Draws(100, 0)) if r["table"] in ("eta", "eta_corrected")]
    assert {(r["sd"], r["low"]) for r in found} == {(None, None)}
    notes = {r["note"] for r in found if r["term"] != "noise"}
    assert notes == {"the same in every resample: no interval"}
    assert all(r["value"] == pytest.approx(0, abs=1e-12) for r in found if r["term"] == "noise")


def test_a_value_outside_its_interval_is_explained() -> None:
    """Interactions that cancel over all scenarios, and in no resample: all intervals lie beyond the value."""
    sways = [sign * size for size in np.sqrt([2, 3, 5, 7, 11, 13]) for sign in (-1, 1)]
    leaks = [
        row(
            "leak",
            50 + 20 * (a == "X") + (sway if a == p else -sway),
            100,
            archetype="t4_2",
            scenario=f"s{s}",
            agent=a,
            partner=p,
        )
        for (s, sway), a, p in product(enumerate(sways), "XY", "XY")
    ]
    found = rows_of(frame(leaks), "eta", "t4_2", "leak", Draws(200, 0))
    assert [r["value"] for r in found.values()] == [1.0, 0.0, 0.0]  # model, partner, interaction
    assert found["interaction"]["low"] > 0
    assert found["model"]["high"] < 1
    assert ["see the corrected share" in r["note"] for r in found.values()] == [True, False, True]


# -- what cannot be had ----------------------------------------------------------------------------


def test_one_agent_has_no_variance_to_split() -> None:
    assert list(variance(design(np.random.default_rng(2), agents="X"))) == []
    assert list(variance(frame([]))) == []


def test_two_agents_are_enough() -> None:
    assert set(shares(design(np.random.default_rng(2), agents="XY"), "t1_1", "adherence")) == set(TWO_WAY)


def test_holes_are_named() -> None:
    data = design(np.random.default_rng(8))
    everywhere = data["agent"].eq("X") & data["task"].eq("t3") & data["measure"].eq("tor_end")
    data.loc[everywhere, ["value", "n"]] = 0.0
    found = rows_of(data, "eta", "task", "tor_end")
    assert found[""]["note"] == "no opportunity: X with X in t3, X with Y in t3, X with Z in t3"


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_constant_scores(value: float) -> None:
    data = runs_of_d0().assign(value=value)
    for table in ("eta", "omega", "epsilon"):
        assert rows_of(data, table, "t4_2", "leak", Draws(50, 50))[""]["note"] == "nothing varies"
    corrected = rows_of(data, "eta_corrected", "t4_2", "leak", Draws(50, 50))
    assert {r["value"] for r in corrected.values()} == {None}
    assert all(r["note"] == "nothing beyond noise" for term, r in corrected.items() if term != "noise")


def test_missing_values_only() -> None:
    found = list(variance(runs_of_d0().assign(value=np.nan), Draws(50, 50)))
    assert [r["value"] for r in found] == [None]
    assert "not all agents met" in found[0]["note"]


def test_scenarios_with_an_empty_cell_are_counted() -> None:
    data = runs_of_d0()
    hole = data["scenario"].isin(["s3", "s7"]) & (data["agent"] == "X") & (data["partner"] == "Y")
    found = rows_of(data[~hole], "eta", "t4_2", "leak", Draws(50, 50))
    assert {r["missing"] for r in found.values()} == {2}
    assert "p: 2 scenario(s) with an empty cell left out" in found["model"]["note"]
    corrected = rows_of(data[~hole], "eta_corrected", "t4_2", "leak", Draws(50, 50))
    assert {(r["scenarios"], r["missing"]) for r in corrected.values()} == {(18, 2)}
    few = data[~hole & data["scenario"].isin(["s1", "s3", "s7"])]
    alone = rows_of(few, "eta_corrected", "t4_2", "leak", Draws(50, 50))[""]
    assert alone["note"].endswith("fewer than two scenarios without an empty cell")


def test_blocks_of_agents_with_the_same_partners_have_rows_of_their_own() -> None:
    data = runs_of_d0()
    models = pd.concat([data, data[data["agent"] == "X"].assign(agent="W")])  # three partners, four models
    found = [r for r in variance(models) if r["table"] == "eta"]
    keys = {(r["agent"], r["partner"], r["note"]) for r in found}
    assert keys == {
        ("", "", "only X, Y, Z, who all met each other"),
        ("W, X, Y, Z", "X, Y, Z", "W, X, Y, Z with X, Y, Z"),
    }
    block = {r["term"]: r["value"] for r in found if r["agent"]}
    counts = np.array(D0["d0_counts"]).reshape(20, 3, 3).sum(axis=0)
    table = np.vstack([counts[0], counts]) / 120
    by_model = 3 * ((table.mean(axis=1) - table.mean()) ** 2).sum() / ((table - table.mean()) ** 2).sum()
    assert block["model"] == pytest.approx(by_model)
