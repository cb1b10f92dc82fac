"""Hurdles against the published profiles (Table 10 of DyaFDB), bounds, and what is beyond chance."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import chance_corrected, hurdle, hurdle_sums, win_bounds

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))
VECTORS, TABLE10 = GOLDEN["vectors"], GOLDEN["published"]["table10"]
COUNTS = st.integers(0, 50)


@pytest.mark.parametrize("model", VECTORS["hurdle_T4-2"])
def test_leaks_without_a_demand(model: str) -> None:
    column, expected = TABLE10["columns"].index(model), VECTORS["hurdle_T4-2"][model]
    asks, extracts = (TABLE10[name][column] for name in ("T4-2 asks", "T4-2 extracts once asked"))
    score = GOLDEN["published"]["row_avg3"]["T4-2"][column]
    found = hurdle(asks, extracts, score)
    assert found.joint + found.unprompted == pytest.approx(score)
    assert found.joint == pytest.approx(expected["ask_and_leak"], abs=5e-5)
    assert found.unprompted == pytest.approx(expected["unasked"], abs=5e-5)
    assert found.without == pytest.approx(expected["leak_given_no_ask"], abs=5e-5)


def test_requests_granted() -> None:
    assert hurdle(0.16, 0.54, 0.09).joint == pytest.approx(0.0864)


def test_edges() -> None:
    assert hurdle(1.0, 0.5, 0.5).without is None
    with pytest.raises(ValueError, match="more than"):
        hurdle(0.9, 0.9, 0.5)


@given(acted=COUNTS, others=COUNTS, data=st.data())
def test_sums_add_up_and_agree_with_shares(acted: int, others: int, data: st.DataObject) -> None:
    scored, unprompted = data.draw(st.integers(0, acted)), data.draw(st.integers(0, others))
    sums = hurdle_sums(*(np.array(x) for x in (acted, scored, others, unprompted)))
    assert sums["score"].hits == sums["joint"].hits + sums["unprompted"].hits == scored + unprompted
    assert sums["act"].n == sums["score"].n == sums["score_if_act"].n + sums["score_if_no_act"].n
    if acted and others:
        rates = {term: float(hits / n) for term, (hits, n) in sums.items()}
        shares = hurdle(rates["act"], rates["score_if_act"], rates["score"])
        assert shares == pytest.approx((rates["joint"], rates["unprompted"], rates["score_if_no_act"]))


def test_bounds_of_winning() -> None:
    won, lost = 0.11, 0.45  # of all T4-1 runs of PersonaPlex and Raon; the others are undecided
    assert win_bounds(won, won + lost, 1) == pytest.approx(VECTORS["money"]["bounds_T4-1_PP_vs_Raon"])
    assert win_bounds(3, 10, 10) == (0.3, 0.3)
    assert win_bounds(0, 0, 4) == (0, 1)
    assert win_bounds(0, 0, 0) is None
    with pytest.raises(ValueError, match="4 won of 3 decided"):
        win_bounds(4, 3, 10)


def test_beyond_chance() -> None:
    assert chance_corrected(0.22, 0.2) == pytest.approx(0.025)
    assert chance_corrected(0.40, 0.2) == pytest.approx(0.25)
    assert (chance_corrected(0.2, 0.2), chance_corrected(1, 0.2)) == (0, 1)
    assert chance_corrected(0, 0.2) == -0.25
    with pytest.raises(ValueError, match="less than 1"):
        chance_corrected(0.5, 1)
