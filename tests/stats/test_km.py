"""Exact Kaplan-Meier curves."""

import json
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import at_risk, band, kaplan_meier, rmst

VECTORS = json.loads((Path(__file__).parents[1] / "golden/statistics.json").read_text("utf-8"))["vectors"]
KM, DEVIATION, TRUNCATED = (VECTORS[name] for name in ("km", "deviation", "left_truncation"))
A, B, C = ((KM[name]["t"], KM[name]["e"]) for name in "ABC")
ENTRY, EXIT, EVENT = (TRUNCATED[name] for name in ("entry", "exit", "event"))
WINDOW = 60
SIX_DIGITS = 1e-6

ticks = st.integers(1, 12)
run_lists = st.lists(st.tuples(ticks, st.integers(0, 2)), min_size=1, max_size=25)


def at_events(curve):
    """Survival at the times with an event, as the worked examples print it."""
    rows = zip(curve.times, curve.survival, curve.n_events, strict=True)
    return {t: s for t, s, d in rows if d}


def se_at_events(curve):
    return [se for se, d in zip(curve.se, curve.n_events, strict=True) if d]


@pytest.mark.parametrize("name", KM)
def test_survival_and_median_are_exact(name):
    vector = KM[name]
    curve = kaplan_meier(vector["t"], vector["e"])
    assert list(at_events(curve).values()) == [F(s) for s in vector["S"]]
    assert curve.median == vector["median"]


def deviations(rule):
    """Exits and events of the worked runs (entry, deviation), by the rule that a vector is named after."""
    kept = [run for run in DEVIATION["runs"] if run[0] is not None or rule == "never_entered_as_censored"]
    since = [(entry or 0) if rule == "gap_time" else 0 for entry, _ in kept]
    exits = [WINDOW if off is None else off for _, off in kept]
    return np.subtract(exits, since), [off is not None for _, off in kept]


@pytest.mark.parametrize("rule", ["paper", "never_entered_as_censored", "gap_time"])
def test_deviation_by_each_rule(rule):
    vector, curve = DEVIATION[rule], kaplan_meier(*deviations(rule))
    assert at_events(curve) == {t: F(s) for t, s in zip(vector["t"], vector["S"], strict=True)}
    assert curve.median == vector["median"]


def test_greenwood():
    for name in "AC":
        curve = kaplan_meier(KM[name]["t"], KM[name]["e"])
        assert se_at_events(curve) == pytest.approx(KM[name]["se"], abs=SIX_DIGITS)
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
    assert (a.value, b.value) == pytest.approx([KM[name]["rmst60"] for name in "AB"])
    assert (a.se, b.se) == pytest.approx([KM[name]["rmst_se"] for name in "AB"], abs=SIX_DIGITS)
    difference, se = a.value - b.value, np.hypot(a.se, b.se)
    expected = VECTORS["rmst_difference"]
    assert (difference, se, difference / se) == pytest.approx(
        (expected["diff"], expected["se"], expected["z"]), abs=SIX_DIGITS
    )


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
    assert at_events(curve) == {int(t): F(s) for t, s in TRUNCATED["S"].items()}
    assert list(curve.n_at_risk[:3]) == TRUNCATED["risk"]
    assert curve.start == 2
    assert curve.at(1.9) is None
    gap = kaplan_meier(np.subtract(EXIT, ENTRY), EVENT)
    assert at_events(gap) == {int(t): F(s) for t, s in TRUNCATED["gap_time"].items()}
    ignoring = kaplan_meier(EXIT, EVENT)
    assert at_events(ignoring) == {int(t): F(s) for t, s in TRUNCATED["ignoring_entry"].items()}


def test_late_start_spares_the_curve_a_tiny_first_risk_set():
    runs = [TRUNCATED["pitfall"][name] for name in ("exit", "event", "entry")]
    assert kaplan_meier(*runs).at(10) == F(TRUNCATED["pitfall"]["S"]["10"])
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
    assert at_risk([], []) == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda: kaplan_meier([1, 2], [1]),
        lambda: kaplan_meier([1, 2], [1, 0], [0]),
        lambda: kaplan_meier([-1], [1]),
        lambda: kaplan_meier([1], [2]),
    ],
)
def test_bad_input(call):
    with pytest.raises(ValueError, match="must"):
        call()


def test_at_risk_table():
    assert at_risk([0, 4, 8, 45, 60, 61], A[0]) == (10, 10, 9, 4, 3, 0)
    assert at_risk([2, 20, 30, 50, 60], EXIT, ENTRY) == (0, 4, 4, 3, 2)


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


@given(st.lists(ticks, min_size=1, max_size=30))
def test_without_censoring_the_curve_is_one_minus_the_share_that_had_the_event(times):
    curve = kaplan_meier(times, [1] * len(times))
    for t in range(13):
        assert curve.at(t) == 1 - F(sum(x <= t for x in times), len(times))


@given(run_lists)
def test_the_band_holds_the_curve_and_widens_with_the_level(runs):
    curve = kaplan_meier([t for t, _ in runs], [k > 0 for _, k in runs])
    for s, narrow, wide in zip(curve.survival, band(curve, 0.5), band(curve, 0.99), strict=True):
        assert (narrow is None) is (wide is None) is (s in (0, 1))
        if narrow and wide:
            assert 0 <= wide[0] <= narrow[0] <= s <= narrow[1] <= wide[1] <= 1


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
        bounds = theirs.confidence_interval_.loc[list(ours.times)].to_numpy()
        for found, (low, high) in zip(band(ours), bounds, strict=True):
            assert found is None or found == pytest.approx((low, high))
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
    times, events = rng.integers(1, 20, 60), rng.integers(0, 2, 60)
    function = duration.SurvfuncRight(times, events)
    ours = kaplan_meier(times, events)
    inner = slice(0, -1)  # at its last time theirs may be NaN
    events = at_events(ours)
    assert [float(s) for s in events.values()] == pytest.approx(function.surv_prob.tolist())
    assert se_at_events(ours)[inner] == pytest.approx(function.surv_prob_se[inner].tolist())
