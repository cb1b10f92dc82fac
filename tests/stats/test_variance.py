import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dyad.stats import (
    binomial_noise,
    degrees_of_freedom,
    diallel,
    diallel_effects,
    diallel_parts,
    scenario_corrected,
    three_way,
    three_way_parts,
    two_way,
    two_way_parts,
    without_noise,
)

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
D0 = np.array(VECTORS["d0"]["d0_counts"]).reshape(20, 3, 3) / 6
SIX_DIGITS, FOUR_DIGITS = 1e-6, 5.1e-5

scores = st.integers(0, 120).map(lambda hits: hits / 120)
tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=scores)
)
squares = st.integers(1, 5).flatmap(lambda n: arrays(float, (n, n), elements=scores))


@pytest.mark.parametrize("row", VECTORS["tables"].values(), ids=VECTORS["tables"].keys())
def test_published_tables(row):
    split, round_robin, effects = two_way(row["cells"]), diallel(row["cells"]), diallel_effects(row["cells"])
    found = {
        **split.shares,
        **round_robin.shares,
        "mu": split.mean,
        "sst": split.total,
        "selfplay": effects.ss_self / split.total,
        "premium": effects.self_premium,
    }
    assert found == pytest.approx({key: row[key] for key in found}, abs=SIX_DIGITS)


def test_effects_of_the_published_attack_table():
    effects = diallel_effects(VECTORS["tables"]["T4-2@3"]["cells"])
    assert effects.lift == pytest.approx([0.0378, -0.0572, 0.0194], abs=FOUR_DIGITS)
    assert effects.edge == pytest.approx([0.0433, 0.0317, -0.0750], abs=FOUR_DIGITS)


@pytest.mark.parametrize("archetype", VECTORS["binomial"])
def test_binomial_correction(archetype):
    row, cells = VECTORS["binomial"][archetype], VECTORS["tables"][f"{archetype}@3"]["cells"]
    noise, split = binomial_noise(cells, row["n"]), two_way(cells)
    assert noise == pytest.approx(row["v"], abs=5e-9)
    assert sum(split.df.values()) * noise / split.total == pytest.approx(row["noise"], abs=FOUR_DIGITS)
    assert list(without_noise(split, noise).shares.values()) == pytest.approx(row["share"], abs=FOUR_DIGITS)


@pytest.mark.parametrize(("parts", "raw"), [(two_way_parts, two_way), (diallel_parts, diallel)])
def test_scenario_correction_of_d0(parts, raw):
    corrected, expected = scenario_corrected(D0, parts), VECTORS["d0"]
    assert corrected.ss == pytest.approx({k: expected["ss_ustat"][k] for k in corrected.ss}, abs=SIX_DIGITS)
    shares = corrected.shares
    assert shares == pytest.approx({k: expected["share_ustat"][k] for k in shares}, abs=FOUR_DIGITS)
    plain = raw(D0.mean(axis=0)).ss
    assert plain == pytest.approx({k: expected["ss_cells"][k] for k in plain}, abs=SIX_DIGITS)


def test_scenario_correction_takes_the_variance_of_the_mean_off():
    corrected, raw = scenario_corrected(D0).ss, two_way(D0.mean(axis=0)).ss
    for name, part in two_way_parts(D0).items():
        noise = part.var(axis=0, ddof=1).sum() / len(D0)
        assert corrected[name] == pytest.approx(raw[name] - noise, abs=1e-12)


def test_scenario_correction_is_unbiased_with_tied_seats():
    rng, truth = np.random.default_rng(1), np.array([[0.0, 0.4], [-0.4, 0.0]])
    noise = rng.normal(size=(4000, 4, 2, 2))
    tied = truth + noise - noise.swapaxes(-2, -1)  # as when the two seats of one run share one outcome
    found = np.array([list(scenario_corrected(x, diallel_parts).ss.values()) for x in tied])
    assert found.mean(axis=0) == pytest.approx([0, 0.32, 0, 0], abs=0.1)
    raw = np.array([diallel(x.mean(axis=0)).ss["edge"] for x in tied])
    assert raw.mean() > 1.0


def test_negative_corrected_parts_are_kept_and_only_their_shares_are_clipped():
    split = scenario_corrected([[[0, 1], [1, 0]], [[1, 0], [0, 1]], [[1, 1], [0, 0]], [[1, 1], [0, 0]]])
    assert split.ss["interaction"] < 0
    assert split.shares["interaction"] == 0
    assert sum(split.shares.values()) == pytest.approx(1)


def test_three_way_small():
    split = three_way([[[0.2, 0.4], [0.6, 0.8]], [[0.3, 0.5], [0.7, 1.1]]])
    expected = {"task": 0.07563, "model": 0.680672, "partner": 0.210084, "interaction": 0.008403}
    assert split.shares == pytest.approx({**expected, "residual": 0.02521}, abs=SIX_DIGITS)
    assert split.total == pytest.approx(0.595)


def test_three_way_63_cells():
    t, m, p = np.ogrid[:7, :3, :3]
    x = 0.01 * t + 0.10 * m + 0.05 * p + 0.04 * ((m == 0) & (p == 2)) + 0.02 * ((t == 3) & (m == 1))
    split = three_way(x)
    expected = {"task": 0.047944, "model": 0.687113, "partner": 0.254313, "interaction": 0.009343}
    assert split.shares == pytest.approx({**expected, "residual": 0.001287}, abs=SIX_DIGITS)
    assert split.total == pytest.approx(0.532765, abs=SIX_DIGITS)
    assert split.df == {"task": 6, "model": 2, "partner": 2, "interaction": 4, "residual": 48}


def test_degrees_of_freedom():
    assert degrees_of_freedom(two_way_parts, (3, 4)) == {"model": 2, "partner": 3, "interaction": 6}
    for n in (1, 2, 3, 4, 6):
        counts = {
            "lift": n - 1,
            "edge": n - 1,
            "chemistry": n * (n - 1) // 2,
            "cycle": (n - 1) * (n - 2) // 2,
        }
        assert degrees_of_freedom(diallel_parts, (n, n)) == counts


def test_against_anova_of_statsmodels():
    smf = pytest.importorskip("statsmodels.formula.api")
    anova_lm = pytest.importorskip("statsmodels.stats.anova").anova_lm
    pd = pytest.importorskip("pandas")
    x = np.random.default_rng(3).normal(size=(4, 3, 3))
    t, m, p = (axis.ravel() for axis in np.indices(x.shape))
    frame = pd.DataFrame({"y": x.ravel(), "t": t, "m": m, "p": p})
    table = anova_lm(smf.ols("y ~ C(t) + C(m) * C(p)", frame).fit())
    split = three_way(x)
    assert list(split.ss.values()) == pytest.approx(table["sum_sq"].to_numpy()[[0, 1, 2, 3, 4]])
    assert list(split.df.values()) == table["df"].to_numpy().tolist()


@given(tables)
def test_parts_are_orthogonal_and_add_up(x):
    parts = two_way_parts(x)
    assert sum(parts.values()) + x.mean() == pytest.approx(x, abs=1e-12)
    split = two_way(x)
    assert sum(split.ss.values()) == pytest.approx(split.total, abs=1e-12)
    assert split.shares is None if np.ptp(x) == 0 else sum(split.shares.values()) == pytest.approx(1)


@given(arrays(float, (3, 2, 3), elements=scores))
def test_three_way_adds_up(x):
    split = three_way(x)
    assert sum(split.ss.values()) == pytest.approx(split.total, abs=1e-12)
    assert sum(three_way_parts(x).values()) + x.mean() == pytest.approx(x, abs=1e-12)


@given(tables)
def test_transposing_swaps_model_and_partner(x):
    here, there = two_way(x).ss, two_way(x.T).ss
    swapped = {"model": there["partner"], "partner": there["model"], "interaction": there["interaction"]}
    assert here == pytest.approx(swapped, abs=1e-12)


@given(squares)
def test_diallel_identities(x):
    split, both = diallel(x).ss, two_way(x).ss
    assert split["lift"] + split["edge"] == pytest.approx(both["model"] + both["partner"], abs=1e-12)
    assert split["chemistry"] + split["cycle"] == pytest.approx(both["interaction"], abs=1e-12)
    assert diallel(x.T).ss == pytest.approx(split, abs=1e-12)
    effects = diallel_effects(x)
    assert split["lift"] == pytest.approx(2 * len(x) * np.square(effects.lift).sum(), abs=1e-12)
    assert split["edge"] == pytest.approx(2 * len(x) * np.square(effects.edge).sum(), abs=1e-12)


@given(squares)
def test_cooperation_has_no_edge_and_competition_no_lift(x):
    shared = diallel((x + x.T) / 2)
    assert shared.ss["edge"] == shared.ss["cycle"] == 0
    zero_sum = diallel((x - x.T + 1) / 2)
    assert zero_sum.ss["lift"] == pytest.approx(0, abs=1e-25)
    assert zero_sum.ss["chemistry"] == pytest.approx(0, abs=1e-25)


@given(squares, st.permutations(range(5)))
def test_order_of_models_does_not_matter(x, order):
    order = [i for i in order if i < len(x)]
    assert diallel(x[np.ix_(order, order)]).ss == pytest.approx(diallel(x).ss, abs=1e-12)


@given(arrays(float, (3, 3), elements=scores), st.integers(2, 5))
def test_identical_scenarios_need_no_correction(x, n):
    assume(np.ptp(x) > 0)
    assert scenario_corrected(np.stack([x] * n)).ss == pytest.approx(two_way(x).ss, abs=1e-12)


def test_nothing_varies():
    for split in (two_way(np.full((3, 3), 0.1)), scenario_corrected(np.full((4, 3, 3), 0.1))):
        assert set(split.ss.values()) == {0.0}
        assert split.shares is None


def test_empty_is_none():
    assert two_way([]) is three_way([]) is diallel([]) is diallel_effects([]) is None
    assert (
        scenario_corrected([])
        is scenario_corrected(np.empty((3, 0, 0)))
        is scenario_corrected(D0[:1])
        is None
    )
    assert binomial_noise([], 6) is binomial_noise([[0.5]], 1) is None


def test_undefined_cell_makes_the_split_undefined_and_is_counted():
    table = [[0.1, None], [0.3, float("nan")]]
    for split in (two_way(table), diallel(table), scenario_corrected([table, [[1, 2], [3, 4]]])):
        assert (split.ss, split.total, split.mean, split.shares, split.n_missing) == (
            None,
            None,
            None,
            None,
            2,
        )
        assert without_noise(split, 0.1) is split
    effects = diallel_effects(table)
    assert (effects.lift, effects.self_premium, effects.n_missing) == (None, None, 2)
    assert binomial_noise(table, 6) is None


def test_one_model_has_no_premium():
    effects = diallel_effects([[0.4]])
    assert (effects.lift, effects.edge, effects.self_premium, effects.ss_self) == ((0.0,), (0.0,), None, None)


@pytest.mark.parametrize(
    "call", [lambda: two_way([1, 2]), lambda: diallel([[1, 2]]), lambda: three_way([[1]])]
)
def test_wrong_shapes(call):
    with pytest.raises(ValueError, match="shape"):
        call()
