from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import aalen_johansen, at_risk, kaplan_meier, rmst

A = ([4, 8, 8, 12, 20, 31.2, 45, 60, 60, 60], [1] * 7 + [0] * 3)
B = ([9.6, 25.6, 25.6, 40, 55.2, 60, 60, 60, 60, 60], [1] * 5 + [0] * 5)
C = ([5, 8, 12, 20, 60, 60], [1, 1, 1, 1, 0, 0])
ENTRY, EXIT, EVENT = [2, 4, 10, 12, 25], [60, 30, 20, 60, 50], [0, 1, 1, 0, 1]
SIX_DIGITS = 1e-6

ticks = st.integers(1, 12)
run_lists = st.lists(st.tuples(ticks, st.integers(0, 2)), min_size=1, max_size=25)


def at_events(curve):
    """Survival at the times with an event, as the worked examples print it."""
    rows = zip(curve.times, curve.survival, curve.n_events, strict=True)
    return {t: s for t, s, d in rows if d}


def se_at_events(curve):
    return [se for se, d in zip(curve.se, curve.n_events, strict=True) if d]


@pytest.mark.parametrize(
    ("runs", "survival", "median"),
    [
        (A, "9/10 7/10 3/5 1/2 2/5 3/10", 20.0),
        (B, "9/10 7/10 3/5 1/2", 55.2),
        (C, "5/6 2/3 1/2 1/3", 12),
        (([5, 8, 60, 60, 60, 60], [1, 1, 0, 0, 0, 0]), "5/6 2/3", None),
        (([5, 8, 12, 20, 30, 60], [1, 0, 1, 1, 0, 0]), "5/6 5/8 5/12", 20),
        (([25, 30, 50, 60], [1, 1, 1, 0]), "3/4 1/2 1/4", 30),
        (([60, 25, 30, 50, 60], [0, 1, 1, 1, 0]), "4/5 3/5 2/5", 50),
        (([26, 60 - 6, 15, 48], [1, 0, 1, 1]), "3/4 1/2 1/4", 26),
    ],
)
def test_survival_and_median_are_exact(runs, survival, median):
    curve = kaplan_meier(*runs)
    assert list(at_events(curve).values()) == [F(s) for s in survival.split()]
    assert curve.median == median


def test_greenwood():
    a = [0.094868, 0.144914, 0.154919, 0.158114, 0.154919, 0.144914]
    assert se_at_events(kaplan_meier(*A)) == pytest.approx(a, abs=SIX_DIGITS)
    c = [0.152145, 0.192450, 0.204124, 0.192450]
    assert se_at_events(kaplan_meier(*C)) == pytest.approx(c, abs=SIX_DIGITS)
    assert kaplan_meier([3, 3], [1, 1]).se == (0.0,)


def test_counts_put_events_before_censorings_at_a_tie():
    curve = kaplan_meier([8, 8, 8, 20], [1, 0, 1, 0])
    assert (curve.times, curve.n_at_risk) == ((8.0, 20.0), (4, 1))
    assert (curve.n_events, curve.n_censored) == ((2, 0), (1, 1))
    assert curve.survival == (F(1, 2), F(1, 2))


def test_curve_between_and_beyond_its_times():
    curve = kaplan_meier(*C)
    assert [curve.at(t) for t in (0, 4.99, 5, 11, 60)] == [1, 1, F(5, 6), F(2, 3), F(1, 3)]
    assert curve.at(60.1) is None
    assert curve.at(-1) is None
    assert kaplan_meier([3, 4], [1, 1]).at(99) == 0


def test_rmst_of_the_worked_groups():
    a, b = rmst(kaplan_meier(*A), 60), rmst(kaplan_meier(*B), 60)
    assert (a.value, b.value) == pytest.approx((30.82, 45.60))
    assert (a.se, b.se) == pytest.approx((7.062376, 5.706417), abs=SIX_DIGITS)
    se = np.hypot(a.se, b.se)
    assert ((a.value - b.value) / se, se) == pytest.approx((-1.627813, 9.079667), abs=SIX_DIGITS)


def test_rmst_is_undefined_where_the_curve_is():
    assert rmst(kaplan_meier([5, 9], [1, 0]), 10) is None
    assert rmst(kaplan_meier([5, 9], [1, 1]), 10).value == 7
    assert rmst(kaplan_meier([5, 9], [1, 1]), 2).value == 2
    assert rmst(kaplan_meier([], []), 10) is None


@given(st.lists(ticks, min_size=1, max_size=20), st.integers(1, 14))
def test_rmst_without_censoring_is_the_mean_of_shortened_times(times, tau):
    found, shortened = rmst(kaplan_meier(times, [1] * len(times)), tau), np.minimum(times, tau)
    assert found.value == pytest.approx(shortened.mean())
    assert found.se == pytest.approx(shortened.std() / np.sqrt(len(times)), abs=1e-12)


def test_left_truncation():
    curve = kaplan_meier(EXIT, EVENT, ENTRY)
    assert at_events(curve) == {20: F(3, 4), 30: F(9, 16), 50: F(3, 8)}
    assert curve.n_at_risk[:3] == (4, 4, 3)
    assert curve.start == 2
    assert curve.at(1.9) is None
    gap = kaplan_meier(np.subtract(EXIT, ENTRY), EVENT)
    assert at_events(gap) == {10: F(4, 5), 25: F(3, 5), 26: F(2, 5)}
    assert at_events(kaplan_meier(EXIT, EVENT)) == {20: F(4, 5), 30: F(3, 5), 50: F(2, 5)}


def test_late_start_spares_the_curve_a_tiny_first_risk_set():
    runs = ([10, 60, 60], [1, 0, 0], [2, 20, 30])
    assert kaplan_meier(*runs).at(10) == 0
    late = kaplan_meier(*runs, min_at_risk=2)
    assert (late.start, late.n, late.n_missing, late.at(60)) == (30, 2, 1, 1)
    assert kaplan_meier(*runs, min_at_risk=3) is None


def test_late_start_conditions_on_runs_still_going():
    late = kaplan_meier(EXIT, EVENT, ENTRY, min_at_risk=4)
    assert (late.start, late.n) == (12, 5)
    assert at_events(late) == at_events(kaplan_meier(EXIT, EVENT, ENTRY))
    assert rmst(late, 60).value == pytest.approx(8 + 10 * 3 / 4 + 20 * 9 / 16 + 10 * 3 / 8)


def test_exit_not_after_entry_is_missing():
    curve = kaplan_meier([10, 5, 20], [1, 1, 0], [2, 5, 21])
    assert (curve.n, curve.n_missing) == (1, 2)


def test_missing_times_are_counted_and_change_nothing():
    curve = kaplan_meier([*C[0], None, float("nan"), 7, float("inf")], [*C[1], 1, 0, None, 0])
    assert (curve.n, curve.n_missing) == (6, 4)
    assert curve.survival == kaplan_meier(*C).survival


def test_empty_is_none():
    assert kaplan_meier([], []) is kaplan_meier([None], [1]) is kaplan_meier([], [], []) is None
    assert aalen_johansen([], []) is aalen_johansen([3], [None]) is None
    assert at_risk([], []) == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda: kaplan_meier([1, 2], [1]),
        lambda: kaplan_meier([1, 2], [1, 0], [0]),
        lambda: kaplan_meier([-1], [1]),
        lambda: kaplan_meier([1], [2]),
        lambda: aalen_johansen([1], [0.5]),
    ],
)
def test_bad_input(call):
    with pytest.raises(ValueError, match="must"):
        call()


def test_at_risk_table():
    assert at_risk([0, 4, 8, 45, 60, 61], A[0]) == (10, 10, 9, 4, 3, 0)
    assert at_risk([2, 20, 30, 50, 60], EXIT, ENTRY) == (0, 4, 4, 3, 2)


def test_aalen_johansen():
    times, causes = [12, 12, 15, 20, 30, 33, 41, 60, 60, 60], [1, 1, 2, 1, 2, 1, 1, 0, 0, 0]
    found = aalen_johansen(times, causes)
    assert [found.at(1, t) for t in (0, 12, 20, 33, 41)] == [0, F(1, 5), F(3, 10), F(2, 5), F(1, 2)]
    assert [found.at(2, t) for t in (14.9, 15, 30, 60)] == [0, F(1, 10), F(1, 5), F(1, 5)]
    assert found.survival[-1] == F(3, 10)
    assert (found.at(7, 30), found.at(1, 61)) == (0, None)
    naive = kaplan_meier(times, [cause == 1 for cause in causes])
    assert 1 - float(naive.survival[-1]) == pytest.approx(0.588571, abs=SIX_DIGITS)


def test_aalen_johansen_tied_causes():
    found = aalen_johansen([12, 12, 15, 20, 20, 33, 41, 60, 60, 60], [1, 2, 2, 1, 2, 1, 1, 0, 0, 0])
    assert (found.at(1, 60), found.at(2, 60), found.survival[-1]) == (F(2, 5), F(3, 10), F(3, 10))


def test_a_full_study_is_exact_and_quick():
    rng = np.random.default_rng(0)
    curve = kaplan_meier(rng.integers(1, 750, 1080), rng.integers(0, 2, 1080))
    assert 0 < curve.survival[-2] < curve.survival[0] < 1
    assert np.isfinite(curve.se).all()


@given(run_lists)
def test_survival_only_falls_and_counts_add_up(runs):
    times, events = [t for t, _ in runs], [k > 0 for _, k in runs]
    curve = kaplan_meier(times, events)
    assert all(0 <= low <= high <= 1 for high, low in zip((1, *curve.survival), curve.survival, strict=False))
    assert sum(curve.n_events) + sum(curve.n_censored) == curve.n == len(runs)
    assert curve.n_at_risk == at_risk(curve.times, times)
    assert curve.median is None or curve.at(curve.median) <= F(1, 2)


@given(run_lists, st.randoms())
def test_order_of_runs_does_not_matter(runs, random):
    shuffled = random.sample(runs, len(runs))
    assert kaplan_meier(*zip(*((t, k > 0) for t, k in runs), strict=True)) == kaplan_meier(
        *zip(*((t, k > 0) for t, k in shuffled), strict=True)
    )


@given(st.lists(st.tuples(ticks, st.integers(0, 1)), min_size=1, max_size=20))
def test_entry_before_everything_truncates_nothing(runs):
    times, events = zip(*runs, strict=True)
    truncated = kaplan_meier(times, events, [0] * len(runs))
    assert truncated == kaplan_meier(times, events)


@given(run_lists)
def test_causes_and_survival_add_to_one(runs):
    times, causes = zip(*runs, strict=True)
    found = aalen_johansen(times, causes)
    for i, survival in enumerate(found.survival):
        assert survival + sum(steps[i] for steps in found.incidence.values()) == 1
    assert found.survival == kaplan_meier(times, [cause > 0 for cause in causes]).survival


@pytest.fixture(scope="module")
def lifelines():
    return pytest.importorskip("lifelines")


@pytest.mark.parametrize("seed", range(5))
def test_against_lifelines(lifelines, seed):
    rng = np.random.default_rng(seed)
    entry = rng.integers(0, 8, 40)
    times, events = entry + rng.integers(1, 20, 40), rng.integers(0, 2, 40)
    for late in (None, entry):
        ours = kaplan_meier(times, events, late)
        theirs = lifelines.KaplanMeierFitter().fit(times, events, entry=late)
        expected = theirs.survival_function_at_times(ours.times).to_numpy()
        assert [float(s) for s in ours.survival] == pytest.approx(expected)
        table = theirs.event_table.loc[list(ours.times)]
        assert list(ours.n_events) == table["observed"].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_rmst_against_lifelines(lifelines, seed):
    from lifelines.utils import restricted_mean_survival_time

    rng = np.random.default_rng(seed)
    times, events = rng.integers(1, 30, 50), rng.integers(0, 2, 50)
    theirs = restricted_mean_survival_time(lifelines.KaplanMeierFitter().fit(times, events), t=20)
    assert rmst(kaplan_meier(times, events), 20).value == pytest.approx(theirs)


@pytest.mark.parametrize("seed", range(3))
def test_against_statsmodels(seed):
    duration = pytest.importorskip("statsmodels.duration.survfunc")
    rng = np.random.default_rng(seed)
    times, causes = rng.integers(1, 20, 60), rng.integers(0, 3, 60)
    function = duration.SurvfuncRight(times, causes > 0)
    ours = kaplan_meier(times, causes > 0)
    inner = slice(0, -1)  # at its last time theirs may be NaN
    events = at_events(ours)
    assert [float(s) for s in events.values()] == pytest.approx(function.surv_prob.tolist())
    assert se_at_events(ours)[inner] == pytest.approx(function.surv_prob_se[inner].tolist())
    theirs, found = duration.CumIncidenceRight(times, causes), aalen_johansen(times, causes)
    for cause, expected in zip((1, 2), theirs.cinc, strict=True):
        steps = [float(found.at(cause, t)) for t in theirs.times]
        assert steps == pytest.approx(expected.tolist())
