"""Rows of trials become tables: the stimulus is the unit, nothing missing is 0, no column mixes modes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.measure.catalogue import Measure
from dyad.measure.rows import COLUMNS
from dyad.suites.means import ALIKE, NOBODY, ONE_STIMULUS
from dyad.suites.summary import samples, summary
from dyad.tables.draws import Draws
from dyad.tables.rows import Row

MEASURES = {
    "tor": Measure("share", 0, "takes the turn"),
    "latency": Measure("s", -1, "wait"),
    "bc_freq": Measure("per_s", 1, "backchannels"),
    "jsd": Measure("ratio", -1, "distance"),
    "rating": Measure("level", 1, "rating"),
    "stop_latency": Measure("s", 0, "stops"),
    "wpm_pre": Measure("level", 0, "before"),
    "wpm_post": Measure("level", 0, "after"),
}
FEW = Draws(permutations=200)
SETS = {"pause": "candor_pause_handling", "backchannel": "icc_backchannel",
        "turn_taking": "candor_turn_taking", "overlap": "user_interruption"}  # fmt: skip


def trial(measure: str, value: float | None, scenario: int = 0, **given: Any) -> Row:
    kind = given.pop("kind", "turn_taking")
    about = {"task": SETS[kind], "archetype": kind, "agent": "one", "mode": "strict", "n": 1.0}
    about |= {"observed": True, "measure": measure, "value": value, "scenario": f"clip.{scenario}"}
    about |= {"better": MEASURES[measure].better if measure in MEASURES else 0}
    return dict.fromkeys(COLUMNS, "") | about | given


def trials(measure: str, values: list[float | None], **given: Any) -> list[Row]:
    return [trial(measure, value, i, **given) for i, value in enumerate(values)]


def rows(*made: list[Row], table: str = "suite", **where: Any) -> list[Row]:
    found = summary(pd.DataFrame([x for part in made for x in part]), {}, MEASURES, FEW)
    return [x for x in found if x["table"] == table and all(x[k] == v for k, v in where.items())]


def only(*made: list[Row], **where: Any) -> Row:
    (found,) = rows(*made, **where)
    return found


class Wanted(NamedTuple):
    hits: int
    n: int
    low: float
    high: float


@pytest.mark.parametrize(
    "wanted", [Wanted(81, 120, 0.5869, 0.7522), Wanted(0, 20, 0, 0.1611), Wanted(20, 20, 0.8389, 1)]
)
def test_shares_have_wilsons_interval(wanted: Wanted):
    found = only(trials("tor", [1.0] * wanted.hits + [0.0] * (wanted.n - wanted.hits)))
    assert (found["value"], found["n"], found["interval"]) == (wanted.hits / wanted.n, wanted.n, "wilson")
    assert (found["low"], found["high"]) == pytest.approx((wanted.low, wanted.high), abs=5e-5)


def test_repetitions_of_a_stimulus_count_once():
    # stimulus 0 was asked three times, 1 and 2 once: the mean is that of 2/3, 0 and 1
    found = only([trial("tor", v, s) for v, s in ((1, 0), (1, 0), (0, 0), (0, 1), (1, 2))])
    assert found["value"] == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert (found["n"], found["observations"], found["interval"]) == (3, 5, "t")
    assert 0 <= found["low"] <= found["high"] <= 1


def test_a_mean_has_the_interval_of_student():
    found = only(trials("latency", [0.4, 0.8, 1.2, 1.6]))
    sd = math.sqrt(((0.6**2) + (0.2**2)) * 2 / 3)
    assert (found["value"], found["sd"]) == pytest.approx((1.0, sd))
    assert found["high"] - found["value"] == pytest.approx(3.182446 * sd / 2, rel=1e-6)


def test_missing_is_counted_and_is_not_0():
    found = only(trials("tor", [1.0, None, 0.0, float("nan")]))
    assert (found["value"], found["n"], found["missing"]) == (0.5, 2, 2)


def test_no_opportunity_is_neither_a_value_nor_missing():
    found = only(trials("latency", [0.5, 0.7]), [trial("latency", 0.0, 9, n=0.0)])
    assert (found["value"], found["n"], found["missing"]) == (0.6, 2, 0)


@pytest.mark.parametrize(
    ("values", "note"), [([None, None], "nothing is known"), ([0.7], ONE_STIMULUS), ([0.7, 0.7], ALIKE)]
)
def test_where_there_is_no_interval_the_note_says_why(values: list[float | None], note: str):
    found = only(trials("latency", values))
    assert (found["low"], found["high"], found["note"]) == (None, None, note)
    assert found["value"] == values[0]


def test_nothing_at_all_gives_no_rows():
    assert summary(pd.DataFrame(columns=COLUMNS), {}, MEASURES) == []


def test_sets_keep_their_order_within_a_kind():
    order = (("z", "overlap"), ("b", "pause"), ("a", "pause"))
    made = [trial("tor", 1.0, task=task, archetype=kind) for task, kind in order]
    assert [x["condition"] for x in rows(made)] == ["b", "a", "z"]


def test_modes_are_never_pooled():
    found = rows(trials("tor", [1.0, 1.0], mode="compat"), trials("tor", [0.0, 0.0]))
    assert [(x["term"], x["value"]) for x in found] == [("compat", 1.0), ("strict", 0.0)]


def test_which_way_is_better_is_what_the_rows_of_a_set_say():
    pauses, turns = (
        trials("tor", [1.0, 0.0], kind=k, better=b) for k, b in (("pause", -1), ("turn_taking", 1))
    )
    assert [x["better"] for x in rows(pauses, turns)] == [-1, 1]


@pytest.mark.parametrize("name", ["tor", "bc_freq", "jsd"])
def test_backchannels_of_compat_have_the_sd_that_their_authors_print(name: str):
    from dyad.suites.fdb.family import POPULATION_SD

    values = [0.523792, 0.724981, 0.605970, 1.0]
    made = [x for mode in ("compat", "strict") for x in trials(name, values, kind="backchannel", mode=mode)]
    compat, strict = summary(pd.DataFrame(made), {}, MEASURES, FEW, population_sd=POPULATION_SD)
    assert compat["sd"] == pytest.approx(np.std(values))
    assert strict["sd"] == pytest.approx(np.std(values, ddof=1))
    assert "ddof 0" in compat["note"]


@pytest.mark.parametrize(
    ("measure", "values", "ends"),
    [
        (Measure("ratio", -1, "distance", (0.0, 1.0)), [0.9, 1.0, 0.6], (None, 1.0)),
        (Measure("share", 0, "share"), [0.1, 0.0, 0.5], (0.0, None)),
        (Measure("level", 1, "rating", (0.0, 5.0)), [5.0, 5.0, 4.0], (None, 5.0)),
        (Measure("s", 0, "time"), [0.1, 0.0, 2.0], (0.0, None)),
        (Measure("s", 0, "signed time", (-math.inf, math.inf)), [0.1, 0.0, 2.0], (None, None)),
        (Measure("level", 0, "decibels"), [1.0, 40.0, 90.0], (None, None)),
    ],
)
def test_intervals_end_where_values_do(
    measure: Measure, values: list[float], ends: tuple[float | None, float | None]
):
    (found,) = summary(pd.DataFrame(trials("jsd", [*values])), {}, {"jsd": measure}, FEW)
    half = 4.302653 * np.std(values, ddof=1) / math.sqrt(3)
    whole = (np.mean(values) - half, np.mean(values) + half)
    wanted = [bound if end is None else end for bound, end in zip(whole, ends, strict=True)]
    assert [found["low"], found["high"]] == pytest.approx(wanted, rel=1e-6)


def test_negative_times_are_counted_by_trial():
    found = only([trial("latency", v, 0) for v in (-0.4, 0.9, -0.1)], trials("latency", [0.0, 1.0])[1:])
    assert "2 negative" in found["note"]


def test_frequency_is_a_mean_of_rates_not_a_pooled_rate():
    found = only([trial("bc_freq", 2.0, 0, n=20.0), trial("bc_freq", 0.0, 1, n=100.0)])
    assert found["value"] == pytest.approx(0.05)


def test_times_of_overlaps_are_pooled_over_intervals_in_compat_alone():
    made = [
        trial("stop_latency", 3.0, 0, n=3.0, kind="overlap"),
        trial("stop_latency", 4.0, 1, kind="overlap"),
    ]
    compat = only([x | {"mode": "compat"} for x in made])
    assert (compat["value"], compat["n"]) == (7 / 4, 2)
    assert "pooled over 4 numbers" in compat["note"]
    assert only(made)["value"] == (1 + 4) / 2


def test_a_takeover_that_the_script_counts_again_weighs_more_in_compat():
    # true [1, 1, 0], one of them appended twice more after replies that could not be read: 4 of 5
    made = [trial("tor", 1.0, 0), trial("tor", 3.0, 1, n=3.0), trial("tor", 0.0, 2)]
    found = only([x | {"mode": "compat"} for x in made])
    assert (found["value"], found["n"], found["interval"]) == (4 / 5, 3, "t")


def test_acoustic_means_of_compat_are_those_of_the_authors():
    from dyad.suites.fdb.acoustics import trimmed_mean

    values = [*map(float, range(1, 10)), 100.0]
    made = pd.DataFrame(trials("wpm_pre", values, mode="compat") + trials("wpm_pre", values))
    found = summary(made, {}, MEASURES, FEW, averages={"wpm_pre": trimmed_mean})
    assert [(x["term"], x["value"], x["n"]) for x in found] == [("compat", 5.5, 10), ("strict", 14.5, 10)]
    assert found[0]["low"] is None


# -- censored times --------------------------------------------------------------------------------

CENSORED = [trial("latency", v, i, observed=o) for i, (v, o) in enumerate(
    [(1.0, True), (2.0, True), (3.0, True), (4.0, False), (4.0, False), (4.0, False)])]  # fmt: skip


def test_censored_times_have_a_median_and_a_restricted_mean():
    mean, median, area = (only(CENSORED, table=t) for t in ("suite", "suite_median", "suite_rmst"))
    assert (mean["value"], mean["n"]) == (2.0, 3)  # of those that responded
    assert "3 censored" in mean["note"]
    assert (median["value"], median["hits"], median["n"]) == (3.0, 3, 6)  # survival is 1/2 at 3
    assert area["value"] == pytest.approx(1 + 5 / 6 + 4 / 6 + 3 / 6)
    assert area["at"] == 4.0
    assert area["low"] < area["value"] < area["high"] <= 4


def test_a_median_that_is_not_reached_says_so():
    late = [trial("latency", 4.0, i, observed=i == 0) for i in range(4)]
    found = only(late, table="suite_median")
    assert (found["value"], found["note"]) == (None, "n.r.")
    nobody = [x | {"observed": False} for x in late]
    assert only(nobody)["note"] == NOBODY


def test_restricted_means_of_all_agents_end_at_one_time():
    other = [x | {"agent": "two", "value": x["value"] / 2} for x in CENSORED]
    assert {x["at"] for x in rows(CENSORED, other, table="suite_rmst")} == {2.0}
    found = only(CENSORED, other, table="suite_difference")
    assert (found["agent"], found["partner"], found["at"]) == ("one", "two", 2.0)
    assert found["mde"] > 0
    # without censoring before 2 s the pseudo-values are min(T, 2): 1 and 0.5, 2 and 1, 2 and 1.5, 2 and 2 …
    assert found["value"] == pytest.approx((0.5 + 1 + 0.5) / 6)
    assert (found["n"], found["interval"]) == (6, "scenarios")


@pytest.mark.parametrize("stimuli", [2, 3])
def test_differences_of_bounded_measures_have_bounded_intervals(stimuli: int):
    one = [trial("tor", float(i != 0), i) for i in range(stimuli)]
    found = only(one, [trial("tor", 0.0, i, agent="two") for i in range(stimuli)], table="suite_difference")
    assert -1 <= found["low"] < found["value"] < found["high"] == 1


@pytest.mark.parametrize("stimuli", [1, 2, 3])
def test_few_censored_times_claim_nothing(stimuli: int):
    """Two stimuli show no difference, however far apart their times are."""
    one = [trial("latency", 5.0 + i / 100, i, observed=i > 0) for i in range(stimuli)]
    other = [trial("latency", 0.1 + i / 1000, i, agent="two") for i in range(stimuli)]
    found = only(one, other, table="suite_difference")
    assert found["p"] == pytest.approx(2 ** (1 - stimuli))
    assert "not distinguishable" in found["note"]
    for x in rows(one, other, table="suite_rmst"):
        assert (x["low"], x["note"]) == (None, "fewer than 5 trials: no interval")


def test_pseudo_values_keep_the_difference_of_curves():
    """With censoring on the way their mean differs little from that of the restricted means themselves."""
    rng = np.random.default_rng(5)
    times, ends = rng.exponential([[1.0], [2.0]], (2, 60)), rng.uniform(2, 6, 60)
    made = [
        trial("latency", float(min(t, c)), i, agent=agent, observed=bool(t < c))
        for agent, own in zip(("one", "two"), times, strict=True)
        for i, (t, c) in enumerate(zip(own, ends, strict=True))
    ]
    one, two = rows(made, table="suite_rmst")
    found = only(made, table="suite_difference")
    assert found["value"] == pytest.approx(one["value"] - two["value"], abs=0.02)
    assert found["p"] < 0.05


def test_an_answer_before_the_event_does_not_break_the_curve():
    early = [trial("latency", -0.4, 7), *CENSORED]
    assert "1 negative" in only(early)["note"]
    assert only(early, table="suite_median")["n"] == 7


def test_times_that_are_all_seen_have_no_curve():
    assert rows(trials("latency", [0.4, 0.9]), table="suite_median") == []


# -- differences -----------------------------------------------------------------------------------


def test_differences_are_paired_by_stimulus():
    one = trials("latency", [1.0, 2.0, 3.0, 4.0])
    two = [
        x | {"agent": "two", "value": x["value"] - d} for x, d in zip(one, (0.4, 0.6, 0.5, 0.5), strict=True)
    ]
    found = only(one, two, [trial("latency", 9.0, 77)], table="suite_difference")
    assert found["value"] == pytest.approx(0.5)
    assert (found["n"], found["missing"]) == (4, 1)  # stimulus 77 has one side only
    assert found["low"] > 0
    assert found["mde"] is None  # four stimuli cannot reach p < .05 by sign flips
    assert found["note"] == "not distinguishable: too few stimuli for 1 test"


def test_holm_is_taken_over_a_set_and_a_mode():
    rng = np.random.default_rng(3)
    made = [
        trial("latency", float(v), i, agent=agent)
        for agent, shift in (("a", 0.0), ("b", 0.5), ("c", 0.0))
        for i, v in enumerate(rng.normal(3 + shift, 0.3, 12))
    ]
    found = rows(made, table="suite_difference")
    assert len(found) == 3
    assert all(x["p_adjusted"] >= x["p"] for x in found)
    assert min(x["p_adjusted"] for x in found) == pytest.approx(3 * min(x["p"] for x in found))


# -- statuses and tests within an agent ------------------------------------------------------------


def test_statuses_add_up_to_the_plan():
    counts = {"scored": 7, "missing": 2, "error": 1}
    found = summary(
        pd.DataFrame(trials("tor", [1.0], kind="pause")), {("one", SETS["pause"]): counts}, MEASURES
    )
    own = [x for x in found if x["table"] == "suite_status"]
    assert {x["term"]: x["value"] for x in own} == counts | {"invalid": 0}
    assert sum(x["value"] for x in own) == 10
    assert {(x["n"], x["archetype"]) for x in own} == {(10, "pause")}


def test_what_a_suite_tests_within_an_agent_becomes_rows():
    from dyad.suites.fdb.significance import compare

    before, after = (100, 110, 120, 130, 140), (105, 113, 128, 131, 149)
    made = [
        trial(name, value, i, kind="overlap", mode="compat")
        for i, pair in enumerate(zip(before, after, strict=True))
        for name, value in (("wpm_pre", pair[0]), ("wpm_post", pair[1]), ("respond", 1.0))
    ]
    found = summary(pd.DataFrame(made), {}, MEASURES, FEW, test=lambda own, mode: compare(own, mode))
    (own,) = [x for x in found if x["table"] == "suite_significance"]
    assert (own["measure"], own["partner"], own["n"]) == ("wpm", "pre", 5)
    assert (own["value"], own["p"]) == pytest.approx((5.2, 0.02548), abs=1e-4)
    assert (own["low"], own["high"]) == pytest.approx((1.0446, 9.3554), abs=1e-4)


def test_outliers_within_an_agent_are_not_missing():
    from dyad.suites.fdb.significance import compare

    after: list[float | None] = [105.0, 113.0, 128.0, 131.0, 149.0, 900.0, None]
    made = [
        trial(name, value, i, kind="overlap")
        for i, late in enumerate(after)
        for name, value in (("wpm_pre", 100.0 + 10 * i), ("wpm_post", late), ("respond", 1.0))
    ]
    found = summary(pd.DataFrame(made), {}, MEASURES, FEW, test=compare)
    (own,) = [x for x in found if x["table"] == "suite_significance"]
    assert (own["n"], own["missing"], own["note"]) == (5, 1, "outliers left out: 1")


def test_parts_of_a_recording_are_not_compared_between_agents():
    made = [x | {"agent": agent} for agent in ("one", "two") for x in trials("wpm_pre", [90.0, 120.0])]
    assert rows(made, table="suite_difference") == []
    assert len(rows(made)) == 2


def test_samples_keep_what_is_missing_as_missing():
    made = [*trials("tor", [1.0, 0.0]), *trials("rating", [4.0, None])]
    ((about, values),) = samples(pd.DataFrame(made))
    assert about["agent"] == "one"
    assert values == [{"rating": 4.0, "tor": 1.0}, {"rating": None, "tor": 0.0}]


VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(VALUES)
def test_counts_add_up_and_intervals_hold_their_value(values: list[float | None]):
    found = only(trials("tor", values))
    assert found["n"] + found["missing"] == len(values)
    if found["low"] is not None:
        assert 0 <= found["low"] <= found["value"] + 1e-12
        assert found["value"] - 1e-12 <= found["high"] <= 1
