"""The log-rank test, against the worked example and two libraries."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import logrank

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]
VECTOR, A, B = GOLDEN["logrank"], GOLDEN["km"]["A"], GOLDEN["km"]["B"]
TIMES, EVENTS, GROUPS = A["t"] + B["t"], A["e"] + B["e"], ["A"] * 10 + ["B"] * 10
STRATA = VECTOR["stratified"]["strata_A"] + VECTOR["stratified"]["strata_B"]

samples = st.lists(
    st.tuples(st.integers(1, 8), st.booleans(), st.integers(0, 2), st.integers(0, 1)), min_size=2, max_size=30
)


@pytest.mark.parametrize(("strata", "vector"), [(None, VECTOR), (STRATA, VECTOR["stratified"])])
def test_the_worked_groups(strata, vector):
    found = logrank(TIMES, EVENTS, GROUPS, strata)
    assert found.groups == ("A", "B")
    numbers = [found.observed[0], found.expected[0], found.variance[0][0], found.chi2, found.p]
    assert numbers == pytest.approx([vector[name] for name in ("O", "E", "V", "chi2", "p")], abs=1e-6)
    assert (found.df, found.n, found.n_missing) == (1, 20, 0)


def drawn(seed, groups, n=90):
    rng = np.random.default_rng(seed)
    entry = rng.integers(0, 5, n)
    times = entry + rng.integers(1, 12, n)
    return times, rng.integers(0, 2, n), rng.integers(0, groups, n), rng.integers(0, 4, n), entry


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_against_statsmodels_with_ties_strata_and_late_entry(seed, groups):
    from statsmodels.duration.survfunc import survdiff

    times, events, group, strata, entry = drawn(seed, groups)
    for by in (None, strata):
        found = logrank(times, events, group, by)
        assert (found.chi2, found.p) == pytest.approx(survdiff(times, events, group, strata=by))
    late = logrank(times, events, group, entries=entry)  # theirs fails with strata and late entry together
    assert (late.chi2, late.p) == pytest.approx(survdiff(times, events, group, entry=entry))


@pytest.mark.parametrize("groups", [2, 4])
def test_against_lifelines(groups):
    from lifelines.statistics import multivariate_logrank_test

    times, events, group, _, _ = drawn(7, groups)
    theirs, found = multivariate_logrank_test(times, group, events), logrank(times, events, group)
    assert (found.chi2, found.p, found.df) == pytest.approx(
        (theirs.test_statistic, theirs.p_value, groups - 1)
    )


@given(samples)
def test_what_was_observed_is_what_was_expected_in_all(runs):
    times, events, groups, strata = zip(*runs, strict=True)
    found = logrank(times, events, groups, strata)
    assert sum(found.observed) == sum(events)
    assert sum(found.expected) == pytest.approx(sum(events))
    assert np.array(found.variance).sum(axis=0) == pytest.approx(np.zeros(len(found.groups)), abs=1e-9)
    assert (found.chi2 is None) is (found.p is None) is (found.df == 0)
    assert found.p is None or 0 <= found.p <= 1


def test_groups_that_never_meet_have_no_test():
    apart = logrank([1, 2, 3, 4], [1, 1, 1, 1], list("AABB"), [0, 0, 1, 1])
    assert (apart.chi2, apart.df, apart.p, apart.observed) == (None, 0, None, (2, 2))
    assert logrank([5, 5], [0, 0], list("AB")).df == 0
    assert logrank([5, 6], [1, 1], list("AA")).df == 0


def test_missing_runs_are_counted_and_empty_is_none():
    found = logrank([*TIMES, None, 3], [*EVENTS, 1, None], [*GROUPS, "A", "B"])
    assert (found.n, found.n_missing) == (20, 2)
    assert found.chi2 == pytest.approx(VECTOR["chi2"], abs=1e-6)
    assert logrank([], [], []) is logrank([None], [1], ["A"]) is None
    with pytest.raises(ValueError, match="must"):
        logrank([1, 2], [1, 2], list("AB"))
