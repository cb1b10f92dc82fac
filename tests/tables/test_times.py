"""Survival curves from rows whose answer is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from dyad.tables.times import survival
from tests.tables.made import Row, frame, row

HITS_0_OF_18 = [(0.0, 6.0)] * 3


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
