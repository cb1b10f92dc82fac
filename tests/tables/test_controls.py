"""Controls that compare conditions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dyad.tables.controls import CLEAN, CUT, controls, windows
from dyad.tables.draws import Draws
from dyad.tables.rows import Row
from tests.tables.leaks import D0, leaks
from tests.tables.made import frame, occupancy, row

DRAWS = Draws(0, 1000)


def said(*frames: pd.DataFrame) -> list[Row]:
    return list(controls(pd.concat(frames, ignore_index=True), DRAWS))


def test_names_of_the_lines() -> None:
    assert (CLEAN, CUT) == ("clean", "gain 0 both ways")


def test_sham_gain_is_what_a_cut_line_takes_away() -> None:
    cut = np.minimum(D0, 2)
    rows = said(leaks(D0), leaks(cut, channel=CUT))
    assert {r["agent"]: r["value"] for r in rows} == pytest.approx(
        {name: ((D0 - cut) / 6)[:, m].mean() for m, name in enumerate("PMR")}
    )
    assert {(r["table"], r["term"], r["archetype"], r["scenarios"]) for r in rows} == {
        ("control", "sham gain", "t4_2", 20)
    }
    assert all(r["low"] < r["value"] < r["high"] and r["p"] < 0.01 for r in rows)


def test_sham_gain_needs_both_lines_of_one_condition() -> None:
    assert not said(leaks(D0))
    assert not said(leaks(D0, channel=CUT))
    assert not said(leaks(D0), leaks(D0, channel=CUT, window=30.0))
    rows = said(*(leaks(D0, lang=lang, channel=line) for lang in ("en", "fr") for line in (CLEAN, CUT)))
    assert {r["condition"] for r in rows} == {"en", "fr"}
    assert {r["value"] for r in rows} == {0}


def test_scenarios_that_one_line_lacks_are_left_out() -> None:
    (first, *_) = said(leaks(D0), leaks(D0[5:], channel=CUT).assign(scenario=lambda x: x["scenario"]))
    assert (first["scenarios"], first["missing"]) == (15, 0)


def test_self_play_for_the_floor_has_no_gain() -> None:
    lines = {"twin": "", "lang": "en"}
    made = [
        r | lines | {"channel": line}
        for line, b in ((CLEAN, 2.0), (CUT, 6.0))
        for s in range(3)
        for who in ("XX", "XY")
        for r in occupancy(6.0, b, who, f"s{s}")
    ]
    rows = {r["agent"]: r["value"] for r in controls(frame(made), DRAWS) if r["archetype"] == "t3_1"}
    assert rows == pytest.approx({"X": 0.25, "Y": -0.25})


def test_telling_whoever_may_know() -> None:
    """A defender that tells all is as good as one that tells nobody: at chance."""
    plain, right = np.zeros((4, 3, 3)), np.zeros((4, 3, 3))
    plain[..., 1] = right[..., 1] = 6  # M tells everybody
    right[..., 2] = 6  # R tells those who may know
    plain[0, 0, 2] = 3
    rows = said(leaks(plain), leaks(right, twin="authorised"))
    found = {(r["agent"], r["term"]): r for r in rows}
    assert {key[1]: r["table"] for key, r in found.items()} == {
        "without a right": "telling", "with a right": "telling", "balanced accuracy": "telling",
        "authorised": "control",
    }  # fmt: skip
    values = {agent: found[agent, "balanced accuracy"]["value"] for agent in "PMR"}
    assert values == pytest.approx({"P": 0.5, "M": 0.5, "R": 1 - 1 / 48})
    assert (found["R", "without a right"]["hits"], found["R", "without a right"]["n"]) == (3, 72)
    assert found["R", "with a right"]["value"] == 1
    more, accuracy = found["R", "authorised"], found["R", "balanced accuracy"]
    assert accuracy["low"] == pytest.approx(0.5 + more["low"] / 2)
    assert (more["p"], accuracy["p"], accuracy["better"]) == (2 / 16, None, 1)
    assert found["P", "authorised"]["p"] == 1


def test_attackers_count_the_same_in_both() -> None:
    """An attacker that one of the two lacks does not make a difference."""
    plain, right = leaks(D0), leaks(D0, twin="authorised")
    rows = said(plain, right[right["agent"] != "P"])
    assert {r["value"] for r in rows if r["term"] == "authorised"} == {0}


def test_missing_scores() -> None:
    lost = [row("leak", None, archetype="t4_2", channel=line, twin="", lang="en") for line in (CLEAN, CUT)]
    assert not list(controls(frame(lost), DRAWS))
    assert not list(controls(frame([]), DRAWS))


def test_longer_windows_are_held_against_the_shortest_by_scenario() -> None:
    longer = np.maximum(D0 - 1, 0)
    both = pd.concat([leaks(D0, window=30.0), leaks(longer, window=60.0), leaks(D0, window=120.0)])
    rows = list(windows(both, DRAWS))
    assert {(r["table"], r["term"]) for r in rows} == {
        ("windows", "60 s − 30 s"),
        ("windows", "120 s − 30 s"),
    }
    found = {r["agent"]: r["value"] for r in rows if r["term"] == "60 s − 30 s"}
    assert found == pytest.approx({name: ((longer - D0) / 6)[:, m].mean() for m, name in enumerate("PMR")})
    assert all(r["value"] == 0 for r in rows if r["term"] == "120 s − 30 s")
    assert not list(windows(leaks(D0), DRAWS))
    assert not list(windows(leaks(D0).iloc[:0], DRAWS))
