"""Adherence beside an engaged and beside a digressing partner."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import ttest_ind

from dyad.tables.stance import stance
from tests.tables.made import frame, row

ENGAGED, DIGRESSING = (0.9, 0.7, 1.0, 0.8), (0.5, 0.1, 0.4)


def held(archetype: str, rates: Any, **about: Any) -> list[dict[str, Any]]:
    return [
        row("adherence", 10 * rate, 10, archetype=archetype, scenario=f"{archetype}_{i}", **about)
        for i, rate in enumerate(rates)
    ]


def test_the_difference_is_welch_s_of_scenario_means() -> None:
    (found,) = stance(frame(held("t1_1", ENGAGED) + held("t1_2", DIGRESSING)))
    wanted = ttest_ind(ENGAGED, DIGRESSING, equal_var=False)
    low, high = wanted.confidence_interval()
    assert found["value"] == pytest.approx(0.85 - 1 / 3)
    assert (found["p"], found["low"], found["high"]) == pytest.approx((wanted.pvalue, low, high))
    assert (found["agent"], found["term"], found["scenarios"]) == ("X", "T1-1 − T1-2", 3)


def test_partners_count_the_same_however_often_they_were_met() -> None:
    often = held("t1_1", ENGAGED, partner="Z") * 5
    both = [*held("t1_2", DIGRESSING), *held("t1_2", (0.2,) * 3, partner="Z")]
    (found,) = stance(frame([*often, *held("t1_1", (0.1,) * 4), *both]))
    assert found["value"] == pytest.approx((0.85 + 0.1) / 2 - (1 / 3 + 0.2) / 2)


def test_a_partner_of_one_archetype_only_does_not_count() -> None:
    easy = held("t1_1", (1.0,) * 4, partner="Z")
    (found,) = stance(frame([*easy, *held("t1_1", ENGAGED), *held("t1_2", DIGRESSING)]))
    assert found["value"] == pytest.approx(0.85 - 1 / 3)
    assert list(stance(frame([*easy, *held("t1_2", DIGRESSING)]))) == []


def test_the_digresser_is_not_scored() -> None:
    rows = held("t1_1", ENGAGED) + held("t1_2", DIGRESSING) + held("t1_2", (1.0,) * 4, role="b")
    (found,) = stance(frame(rows))
    assert found["value"] == pytest.approx(0.85 - 1 / 3)


def test_what_cannot_be_had() -> None:
    assert list(stance(frame([]))) == list(stance(frame(held("t1_1", ENGAGED)))) == []
    (one,) = stance(frame(held("t1_1", (0.5,)) + held("t1_2", DIGRESSING)))
    assert (one["low"], one["p"], one["note"]) == (None, None, "one scenario: no interval")
    (same,) = stance(frame(held("t1_1", (1.0,) * 3) + held("t1_2", (0.5,) * 3)))
    assert (same["value"], same["low"]) == (0.5, None)
    assert same["note"] == "the same in every scenario: no interval"
    lost = [row("adherence", None, 0, archetype="t1_1")]
    assert list(stance(frame(lost + held("t1_2", DIGRESSING)))) == []
