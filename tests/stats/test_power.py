import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import USUAL, Sought, components, mde, paired_test, quantiles, runs_needed, scenarios_needed

GOLDEN = Path(__file__).parents[1] / "golden" / "statistics.json"
POWER = json.loads(GOLDEN.read_text(encoding="utf-8"))["vectors"]["power"]
VARIANCES = {"w.02_s.21": (0.02, 0.21), "w.05_s.20": (0.05, 0.20), "w0_s.25": (0.0, 0.25)}
RUNS = st.lists(st.integers(0, 1), min_size=2, max_size=4)
DESIGNS = [(row, name) for row in POWER["mde"] for name in VARIANCES]


def test_constant():
    assert quantiles() == pytest.approx(POWER["constant"], abs=1e-6)
    assert quantiles(0.01, 0.9) == pytest.approx(2.575829 + 1.281552, abs=1e-6)


@pytest.mark.parametrize("scenarios", [20, 49, 50, 400])
@pytest.mark.parametrize("tests", [1, 3])
def test_what_is_seen_is_that_of_students_t(scenarios, tests):
    from statsmodels.stats.power import TTestPower

    theirs = TTestPower().solve_power(nobs=scenarios, alpha=0.05 / tests, power=0.8) * math.sqrt(scenarios)
    assert Sought(tests=tests).seen(scenarios) == pytest.approx(theirs, rel=2e-3)
    assert Sought(tests=tests).seen(scenarios) > quantiles(0.05 / tests)


@pytest.mark.parametrize(("tests", "least"), [(1, 6), (2, 7), (3, 7), (25, 10), (26, 11)])
def test_nothing_is_seen_where_no_p_is_small_enough(tests, least):
    assert Sought(tests=tests).seen(least - 1) is mde(least - 1, 6, sought=Sought(tests=tests)) is None
    assert 0 < mde(least, 6, sought=Sought(tests=tests)) < math.inf
    assert scenarios_needed(0.9, 24, 0.0, 0.01, Sought(tests=tests)) == least


@pytest.mark.parametrize(
    ("difference", "runs", "tests"), [(0.5, 3, 1), (0.35, 6, 3), (0.24, 12, 3), (0.2, 24, 27)]
)
def test_what_is_planned_is_seen_as_often_as_planned(difference, runs, tests):
    """Simulated studies with the scenarios that the planner answers: power within 5 points of 80 %."""
    r, between, run, studies = np.random.default_rng(1), 0.02, 0.21, 600
    scenarios = scenarios_needed(difference, runs, between, run, Sought(tests=tests))
    true = r.normal(difference, math.sqrt(between), (studies, scenarios))
    differences = true + r.normal(0, math.sqrt(2 * run / runs), true.shape)
    p = [paired_test(study, r, 9999).p for study in differences]
    assert np.mean(np.array(p) < 0.05 / tests) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(("row", "name"), DESIGNS)
def test_smallest_difference(row, name):
    as_normal = mde(row["S"], row["K"], *VARIANCES[name]) * POWER["constant"] / USUAL.seen(row["S"])
    assert as_normal == pytest.approx(row[name], abs=5e-4)


@pytest.mark.parametrize("runs", [6, 12])
def test_scenarios(runs):
    for difference, expected in POWER["scenarios_needed_w.02_s.21"][f"K{runs}"].items():
        found = scenarios_needed(float(difference), runs)
        assert found == expected + 2  # Student's t instead of the normal distribution


def test_runs():
    assert runs_needed(0.15, 20) == 14
    assert mde(20, 14) <= 0.15 < mde(20, 13)
    assert runs_needed(0.05, 20) is None  # however many: scenarios differ too much
    assert mde(20, math.inf) > 0.05
    assert runs_needed(0.9, 20) == 1
    assert runs_needed(0.1, 20, 0.0, 0.0) == 1


def test_no_design_sees_no_difference():
    assert mde(0, 6) is mde(20, 0) is mde(20, math.nan) is None
    assert scenarios_needed(0.0, 6) is scenarios_needed(0.1, 0) is None
    assert scenarios_needed(0.1, 6, 0.0, 0.0) == 6  # with five, p is .0625 at least
    assert runs_needed(0.9, 5) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantiles(0.05, 1.0)


def test_variances_by_hand():
    """Differences .5, 0 and 1; runs vary by .5 in the scenarios of the first where they differ."""
    first, second = [[1, 0], [1, 1], [1, 1]], [[0, 0], [1, 1], [0, 0]]
    found = components(first, second)
    assert found.run == pytest.approx((0.5 / 3 + 0) / 2)
    assert found.between == pytest.approx(0.25 - 0.5 / 3 / 2)
    assert (found.total, found.runs, found.scenarios) == (0.25, 2, 3)


def test_what_runs_add_is_no_difference_of_scenarios():
    r = np.random.default_rng(1)
    made = [known_components(r, scenarios=20, runs=6, between=0.02, run=0.21) for _ in range(300)]
    assert np.mean([found.between for found in made]) == pytest.approx(0.02, abs=0.004)
    assert np.mean([found.run for found in made]) == pytest.approx(0.21, abs=0.004)
    assert min(found.between for found in made) < 0  # unbiased, so not clipped here


def test_unequal_numbers_of_runs_and_unequal_models():
    r = np.random.default_rng(2)
    made = []
    for _ in range(400):
        true = r.normal(0, 0.2, 12)
        first = [d + r.normal(0, 0.6, r.integers(1, 5)) for d in true]
        second = [r.normal(0, 0.2, r.integers(3, 9)) for _ in true]
        made.append(components(first, second))
    assert np.mean([found.between for found in made]) == pytest.approx(0.04, abs=0.008)
    assert np.mean([found.run for found in made]) == pytest.approx((0.36 + 0.04) / 2, abs=0.01)


def known_components(r, scenarios, runs, between, run):
    true = r.normal(0, math.sqrt(between), scenarios)
    first = [centre + r.normal(0, math.sqrt(run), runs) for centre in true]
    second = [r.normal(0, math.sqrt(run), runs) for _ in true]
    return components(first, second)


def test_what_cannot_be_estimated():
    assert components([], []) is None
    assert components([[1.0], []], [[], [0.0]]) is None
    single = components([[1.0], [0.0]], [[1.0], [1.0]])
    assert (single.between, single.run, single.runs, single.scenarios) == (None, None, 1, 2)
    assert single.total == 0.5
    one = components([[1.0, 0.0]], [[0.0, 0.0, None]])
    assert (one.between, one.run, one.scenarios) == (None, 0.25, 1)
    with pytest.raises(ValueError, match="zip"):
        components([[1.0]], [])


@given(st.floats(0.02, 0.9), st.integers(1, 40), st.floats(0, 0.2), st.floats(0.01, 0.4))
def test_needed_scenarios_are_just_enough(difference, runs, between, run):
    needed = scenarios_needed(difference, runs, between, run)
    assert mde(needed, runs, between, run) <= difference * (1 + 1e-6)
    assert (mde(needed - 1, runs, between, run) or math.inf) > difference * (1 - 1e-6)


@given(st.floats(0.02, 0.9), st.integers(6, 200), st.floats(0, 0.2), st.floats(0.01, 0.4))
def test_needed_runs_are_just_enough(difference, scenarios, between, run):
    needed = runs_needed(difference, scenarios, between, run)
    if needed is None:
        assert mde(scenarios, math.inf, between, run) >= difference * (1 - 1e-6)
    else:
        assert mde(scenarios, needed, between, run) <= difference * (1 + 1e-6)
        assert needed == 1 or mde(scenarios, needed - 1, between, run) > difference * (1 - 1e-6)


@given(
    st.lists(st.tuples(*[st.lists(st.integers(0, 1), min_size=2, max_size=4)] * 2), min_size=2, max_size=5)
)
def test_exchanging_the_models_changes_no_variance(pairs):
    first, second = zip(*pairs, strict=True)
    found, swapped = components(first, second), components(second, first)
    assert swapped.between == pytest.approx(found.between)
    assert swapped.run == pytest.approx(found.run)
