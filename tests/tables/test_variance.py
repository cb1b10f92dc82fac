"""η² from rows whose answer is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dyad.tables.variance import variance
from tests.tables.made import design, frame, occupancy, pair

HITS_0_OF_18 = [(0.0, 6.0)] * 3


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
