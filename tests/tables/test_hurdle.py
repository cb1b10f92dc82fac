"""Act and success from runs whose counts are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import pytest

from dyad.tables.draws import NONE, Draws
from dyad.tables.hurdle import hurdles
from tests.tables.made import Row, frame, row

SOME = Draws(bootstrap=200)
Outcome = tuple[float | None, float | None]  # act and score of a run


def runs(about: dict[str, Any], act: str, score: str, outcomes: Iterable[Outcome]) -> list[Row]:
    """Two rows per run, of seat a; the act may be the pair's."""
    pair = {"seat": "", "role": ""} if act == "decided" else {}
    rows = []
    for i, (acted, value) in enumerate(outcomes):
        own = about | {
            "run_id": f"{about.get('agent', 'X')}{about.get('partner', 'Y')}{i}",
            "scenario": f"s{i % 5}",
        }
        rows += [row(act, acted, **own | pair), row(score, value, **own)]
    return rows


def terms(rows: pd.DataFrame, draws: Draws = NONE, **where: str) -> dict[str, Row]:
    chosen = {"agent": "X", "partner": ""} | where
    found = [r for r in hurdles(rows, draws) if all(r[key] == value for key, value in chosen.items())]
    assert len({r["term"] for r in found}) == len(found)
    return {r["term"]: r for r in found}


def values(found: dict[str, Row]) -> dict[str, Any]:
    return {term: r["value"] for term, r in found.items()}


def attack(asked_leaked: int, asked: int, leaked: int, none: int) -> list[Row]:
    outcomes = [(1, 1)] * asked_leaked + [(1, 0)] * asked + [(0, 1)] * leaked + [(0, 0)] * none
    return runs({"archetype": "t4_2"}, "asked", "leak", outcomes)


def test_what_is_got_with_and_without_asking() -> None:
    found = terms(frame(attack(31, 24, 15, 30)))  # PersonaPlex of DyaFDB's Table 10, as 100 runs
    assert values(found) == pytest.approx(
        {
            "act": 0.55, "score_if_act": 31 / 55, "score": 0.46, "joint": 0.31, "unprompted": 0.15,
            "score_if_no_act": 15 / 45,
        }
    )  # fmt: skip
    assert [(r["hits"], r["n"]) for r in found.values()] == [
        (55, 100), (31, 55), (46, 100), (31, 100), (15, 100), (15, 45)
    ]  # fmt: skip
    assert {r["archetype"] for r in found.values()} == {"t4_2"}


@pytest.mark.parametrize("asking", [2, 3])
def test_resamples_without_an_act_are_counted_and_many_of_them_leave_no_interval(asking: int) -> None:
    """The scenarios that ask are all missing from (3/5)^5 = 8 %, or (2/5)^5 = 1 % of resamples."""
    outcomes = [(1, i // 5 > i % 5) if i % 5 < asking else (0, 0) for i in range(20)]
    found = terms(frame(runs({"archetype": "t4_2"}, "asked", "leak", outcomes)), Draws(bootstrap=2000))
    given = found["score_if_act"]
    lost = int(given["note"].split()[2])
    assert given["note"].startswith(f"undefined in {lost} of 2000 resamples")
    assert lost / 2000 == pytest.approx(((5 - asking) / 5) ** 5, abs=0.02)
    assert (given["low"] is None) == (given["sd"] is None) == (asking == 2)
    assert (given["value"] is None, found["score"]["note"]) == (False, "")
    assert found["score"]["low"] is not None


def test_each_partner_and_all_of_them() -> None:
    with_y = attack(1, 1, 0, 2)
    with_x = runs({"archetype": "t4_2", "partner": "X"}, "asked", "leak", [(1, 1), (1, 1)])
    table = frame([*with_y, *with_x])
    assert {p: terms(table, partner=p)["act"]["n"] for p in ("", "X", "Y")} == {"": 6, "X": 2, "Y": 4}
    assert values(terms(table))["score"] == pytest.approx(3 / 6)
    assert not terms(table, agent="Y")  # who only defends scores nothing


def test_runs_count_where_both_are_known() -> None:
    known = attack(2, 2, 0, 4)
    unknown = runs({"archetype": "t4_2", "partner": "Z"}, "asked", "leak", [(None, 1), (1, None), (1, 1)])
    found = terms(frame([*known, *unknown]))
    assert (found["score"]["hits"], found["score"]["n"], found["score"]["missing"]) == (3, 9, 2)
    unjudged = [r for r in unknown if r["measure"] == "leak"]
    alone = terms(frame(unjudged))
    assert alone["act"]["missing"] == 3
    assert {r["value"] for r in alone.values()} == {None}
    assert {r["note"] for r in alone.values()} == {"no run in which act and score are both known"}


@pytest.mark.parametrize(
    ("outcomes", "term", "note"),
    [
        ([(0, 0)] * 4, "score_if_act", "never asked"),
        ([(1, 1), (1, 0)], "score_if_no_act", "no run without the act"),
    ],
)
def test_a_rate_of_nothing_says_so(outcomes: Sequence[Outcome], term: str, note: str) -> None:
    found = terms(frame(runs({"archetype": "t3_2"}, "asked", "granted", outcomes)), SOME)
    assert (found[term]["value"], found[term]["low"], found[term]["note"]) == (None, None, note)
    assert found["score"]["value"] is not None


def preference(won: int, lost: int, open_: int) -> list[Row]:
    """T4-1 of X against Y, both seats scored."""
    rows = []
    for i, (decided, x, y) in enumerate([(1, 1, 0)] * won + [(1, 0, 1)] * lost + [(0, 0, 0)] * open_):
        about = {"archetype": "t4_1", "run_id": f"r{i}", "scenario": f"s{i % 5}"}
        rows += [
            row("decided", decided, **about, seat="", role=""),
            row("won", x, **about),
            row("won", y, **about, agent="Y", partner="X", seat="b", role="b"),
        ]
    return rows


def test_winning_needs_a_decision_and_has_bounds_without() -> None:
    table = frame(preference(11, 45, 44))  # PersonaPlex against Raon, as 100 runs
    assert values(terms(table)) == pytest.approx(
        {"act": 0.56, "score_if_act": 11 / 56, "score": 0.11, "bounds": None}
    )
    bounds = {agent: terms(table, SOME, agent=agent)["bounds"] for agent in "XY"}
    assert (bounds["X"]["low"], bounds["X"]["high"]) == pytest.approx((0.11, 0.55))
    assert (bounds["Y"]["low"], bounds["Y"]["high"]) == pytest.approx((0.45, 0.89))


def test_no_decided_run() -> None:
    found = terms(frame(preference(0, 0, 8)), SOME)
    assert found["score_if_act"]["note"] == "no decided run"
    assert (found["act"]["value"], found["score"]["value"]) == (0, 0)
    assert (found["bounds"]["low"], found["bounds"]["high"]) == (0, 1)


def test_pairs_solve_for_both_and_chance_is_taken_off() -> None:
    about = {"archetype": "t2", "seat": "", "role": ""}
    outcomes = [(1, 1)] * 4 + [(1, 0)] * 6 + [(0, 0)] * 10
    table = frame(runs(about, "decided", "solved", outcomes))
    for agent, partner in (("X", "Y"), ("Y", "X"), ("X", "")):
        found = terms(table, SOME, agent=agent, partner=partner)
        assert values(found) == pytest.approx(
            {"act": 0.5, "score_if_act": 0.4, "score": 0.2, "chance-corrected": 0.2}
        )
        given, beyond = found["score_if_act"], found["chance-corrected"]
        assert beyond["low"] == pytest.approx((given["low"] - 0.25) / 0.75)
        assert beyond["sd"] == pytest.approx(given["sd"] / 0.75)
    nobody = terms(frame(runs(about, "decided", "solved", [(0, 0)] * 4)), SOME)["chance-corrected"]
    assert (nobody["value"], nobody["note"]) == (None, "no decided run")


def test_adherence_is_joined_by_seat() -> None:
    rows = []
    for seat, agent, entered, adherence in (("a", "X", 1, 1), ("b", "Y", 0, 0)):
        about = {"seat": seat, "role": seat, "agent": agent, "partner": "XY"[agent == "X"]}
        rows += [row("entered", entered, **about), row("adherence", adherence, **about)]
    table = frame(rows)
    assert values(terms(table))["score_if_act"] == 1
    assert values(terms(table, agent="Y"))["act"] == 0


def sales(*prices: tuple[float | None, float | None]) -> list[Row]:
    """T4-4 of one seller: share of the gap, None without a deal; and of the room, None where none is."""
    rows = []
    for i, (gap, surplus) in enumerate(prices):
        about = {"archetype": "t4_4", "run_id": f"r{i}", "scenario": f"s{i}"}
        rows += [
            row("settled", gap is not None, **about),
            row("gap_share", gap or 0, gap is not None, **about),
        ]
        if surplus is not None:
            rows.append(row("surplus", surplus, gap is not None, **about))
    return rows


def test_no_deal_is_worth_nothing() -> None:
    found = terms(frame(sales((0.6, None), (0.8, 0.7), (None, 0), (None, None))))
    assert values(found) == pytest.approx(
        {
            "act": 0.5, "score_if_act": 0.7, "score": 0.35,
            "deal_if_room": 0.5, "surplus_if_deal": 0.7, "surplus": 0.35,
        }
    )  # fmt: skip
    assert (found["act"]["unit"], found["score"]["unit"], found["surplus"]["n"]) == ("share", "ratio", 2)
    nothing = terms(frame(sales((None, 0), (None, 0))), SOME)
    assert (nothing["score_if_act"]["note"], nothing["surplus"]["value"]) == ("no deal", 0)


def test_intervals_are_over_scenarios() -> None:
    alike = terms(frame(attack(10, 10, 10, 10)), SOME)
    assert (alike["act"]["low"], alike["act"]["note"]) == (None, "the same in every resample: no interval")
    differ = runs({"archetype": "t4_2"}, "asked", "leak", [(i % 5 > 1, i % 5 > 2) for i in range(50)])
    found = terms(frame(differ), SOME)
    for r in (r for r in found.values() if r["value"]):  # without the act nothing is scored
        assert r["low"] <= r["value"] <= r["high"]
    assert found["act"]["high"] - found["act"]["low"] > 0.3
    again = terms(frame(differ), SOME)
    assert again == found


def test_one_scenario_and_no_draws() -> None:
    one = [r | {"scenario": "s0"} for r in attack(1, 1, 1, 1)]
    found = terms(frame(one), SOME)
    assert found["act"]["note"] == "one scenario: no interval"
    assert (found["act"]["value"], found["act"]["low"]) == (0.5, None)
    assert terms(frame(attack(1, 1, 1, 2)), NONE)["act"]["note"] == ""


def test_nothing_to_tell() -> None:
    assert list(hurdles(frame([]), SOME)) == []
    assert list(hurdles(frame([row("tor_end", 1)]), SOME)) == []
