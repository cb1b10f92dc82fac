"""Tidy rows: every archetype's scores from labels, missing answers, modes and the columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dyad.measure.catalogue import MEASURES
from dyad.measure.conversation import Conversation, Said
from dyad.measure.rows import COLUMNS, Row, run_rows
from dyad.measure.turns import Count, Ticks
from dyad.spec import (
    ARCHETYPES,
    AgentSpec,
    Cue,
    Evidence,
    Item,
    Label,
    Prompt,
    RunSpec,
    Scenario,
    SeatRef,
    SeatSpec,
    Sheet,
)

# Seat a speaks first; every segment is long enough for a line of its own.
SEGMENTS: dict[Any, Ticks] = {
    "a": np.array([[0, 50], [120, 170], [250, 300]]),
    "b": np.array([[60, 110], [180, 240], [310, 360]]),
}
KINDS = {"t2": ("pooler", "pooler"), "t4_2": ("attacker", "defender"), "t4_4": ("seller", "buyer")}
SYMMETRIC = {"t1_1", "t2", "t3_1", "t4_1"}


def sheet(archetype: Any, kind: Any, **fields: Any) -> Prompt:
    base = Sheet(archetype=archetype, kind=kind, name="Mo", setting="A desk.", opens=True)
    return Prompt(text="You are Mo.", sheet=base.model_copy(update=fields))


def talk(
    archetype: Any,
    texts: Sequence[str] = ("",) * 6,
    truth: Mapping[str, Any] | None = None,
    fields: tuple[dict[str, Any], dict[str, Any]] = ({}, {}),
    heard: Sequence[str | None] = (None,) * 6,
    swapped: bool = False,
) -> Conversation:
    """A run of 375 ticks in which a and b take turns; `fields` of the two sheets by seat."""
    kinds = KINDS.get(archetype, ("engaged", "engaged"))
    roles: Any = ("b", "a") if swapped else ("a", "b")
    seats = {
        seat: SeatSpec(
            agent=AgentSpec(name=f"agent_{seat}", adapter="tone"),
            role=role,
            kind=kinds["ab".index(role)],
            prompt=sheet(archetype, kinds["ab".index(role)], **own),
            rendered="",
        )
        for seat, role, own in zip("ab", roles, fields, strict=True)
    }
    scenario = Scenario(
        id=f"{archetype}_x", archetype=archetype, version=1, setting="A desk.",
        seats={"a": SeatRef(role="x"), "b": SeatRef(role="y")}, symmetric=archetype in SYMMETRIC,
        anchor=None if archetype in SYMMETRIC else "a", truth=dict(truth or {}), judge=(), provenance={},
    )  # fmt: skip
    spec = RunSpec(
        pairing="x_y", archetype=archetype, scenario=scenario.id, scenario_version=1, opener="a",
        repetition=0, seed=0, ticks=375, **seats,
    )  # fmt: skip
    starts = sorted((int(u), seat) for seat in SEGMENTS for u in SEGMENTS[seat][:, 0])
    lines = [
        Said(seat, start, text, asr) for (start, seat), text, asr in zip(starts, texts, heard, strict=True)
    ]
    return Conversation(spec, scenario, 375, SEGMENTS, lines)


def label(question: str, answer: str | None, seat: Any = None, **fields: Any) -> Label:
    return Label(question=question, seat=seat, label=answer, fields=fields)


def scores(c: Conversation, labels: Sequence[Label] = (), mode: Any = "paper") -> dict[tuple[str, str], Any]:
    """Value and n by measure and seat, of the judged scores and of the mechanical ones."""
    rows = run_rows(c, {"j": labels}, modes=(mode,))
    found = {(row["measure"], row["seat"]): (row["value"], row["n"]) for row in rows}
    once = [row for row in rows if row["measure"] != "response_time"]
    assert len({(row["measure"], row["seat"]) for row in once}) == len(once)
    return found


def times(rows: Sequence[Row], measure: str) -> list[tuple[float, bool]]:
    return [(row["value"], row["observed"]) for row in rows if row["measure"] == measure]


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_every_row_is_complete_and_known(archetype: str) -> None:
    truth = {"answer": "Amble", "secret": "copper ladder", "open": {"seller": 2, "buyer": 1}, "zopa": True}
    rows = run_rows(talk(archetype, truth=truth), {"j": []}, study="pilot")
    for row in rows:
        assert tuple(row) == COLUMNS
        assert row["measure"] in MEASURES
        assert row["judge"] == ("j" if row["value"] is None else "") or row["n"] == 0
    assert {row["mode"] for row in rows} == {"paper", "strict"}
    assert {row["study"] for row in rows} == {"pilot"}


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_the_catalogue_says_what_two_seats_have_in_common(archetype: str) -> None:
    truth = {"answer": "Amble", "secret": "copper ladder", "open": {"seller": 2, "buyer": 1}, "zopa": True}
    for landed in ("a", "c", "none"):
        rows = run_rows(talk(archetype, truth=truth), {"j": [label("t4.landed", landed)]})
        assert all((row["seat"] == "") == (MEASURES[row["measure"]].tie == "pair") for row in rows)
        for mode, name in {(row["mode"], row["measure"]) for row in rows}:
            own = [row for row in rows if (row["mode"], row["measure"]) == (mode, name)]
            if MEASURES[name].tie in ("some", "all") and len(own) == 2 and own[0]["value"] is not None:
                total = sum(row["value"] for row in own)
                assert total == own[0]["n"] if MEASURES[name].tie == "all" else total <= own[0]["n"]


@pytest.mark.parametrize("archetype", [name for name in ARCHETYPES if name != "t3_1"])
def test_a_judge_without_answers_gives_missing_scores_not_zeros(archetype: str) -> None:
    truth = {"answer": "Amble", "secret": "copper ladder", "open": {"seller": 2, "buyer": 1}}
    rows = [row for row in run_rows(talk(archetype, truth=truth), {"j": []}) if row["judge"] == "j"]
    assert rows
    assert all(row["value"] is None and row["n"] == 0 for row in rows)


def reasons(c: Conversation, labels: Sequence[Label], mode: Any = "strict") -> dict[str, str]:
    rows = run_rows(c, {"j": labels}, modes=(mode,))
    assert all((row["reason"] == "") == (row["value"] is not None) for row in rows)
    return {row["measure"]: row["reason"] for row in rows if row["reason"]}


def test_every_missing_value_has_its_reason() -> None:
    c = talk("t3_2")
    assert reasons(c, []) == dict.fromkeys(("asked", "granted", "granted_if_asked"), "no label")
    lost = Label(question="t3.asked", label=None, status="no_words")
    found = reasons(c, [lost, label("t3.granted", "open")])
    assert found == dict.fromkeys(("asked", "granted_if_asked"), "no_words")
    solved = talk("t2", truth={"answer": "Amble"})
    assert reasons(solved, [label("t2.choice", "Amble")]) == {"grounded": "incomplete"}
    french = talk("t4_2", truth={"secret": "ours 80"})
    french = replace(french, spec=french.spec.model_copy(update={"lang": "fr"}))
    assert reasons(french, [])["confirmed_guess"] == "undefined"


def test_a_label_of_the_other_seat_is_no_reason() -> None:
    labels = [Label(question="t1.adherence", seat="b", label=None, status="unstable")]
    rows = run_rows(talk("t1_1"), {"j": labels}, modes=("paper",))
    found = {row["seat"]: row["reason"] for row in rows if row["measure"] == "adherence"}
    assert found == {"a": "no label", "b": "unstable"}


@pytest.mark.parametrize("mode", ["paper", "strict"])
def test_turns_are_missing_only_where_segments_cannot_be_right(mode: Any) -> None:
    whole = talk("t3_1")
    unspoken, doubled = replace(whole, healthy=False), replace(whole, healthy=False, sound=False)
    assert set(reasons(unspoken, [], mode)) == {"words_alone"}
    names = {measure for measure, _ in scores(whole, mode=mode)}
    assert reasons(doubled, [], mode) == dict.fromkeys(names, "recording")
    assert set(scores(doubled, mode=mode).values()) == {(None, 0)}


def test_a_free_conversation_has_turn_taking_and_no_score() -> None:
    free, told = talk("t0"), talk("t4_4", truth={})
    rows = run_rows(free, {"j": []})
    assert {row["task"] for row in rows} == {"t0"}
    assert {row["judge"] for row in rows} == {""}
    assert {row["measure"] for row in rows} == {r["measure"] for r in run_rows(told)}


def test_turn_taking_rows() -> None:
    found = scores(talk("t1_1"))
    assert (found["tor_end", "a"], found["tor_end", "b"]) == ((2, 3), (3, 3))
    assert found["segments", "a"] == (3, 1)
    assert found["backchannels", "a"] == (0, 0.5)  # per minute
    assert found["occupancy", "a"] == (150, 310)
    assert found["silence", ""] == (65, 375)


def test_seats_name_their_agent_role_and_partner() -> None:
    row = next(row for row in run_rows(talk("t4_4", swapped=True, truth={})) if row["seat"] == "b")
    assert (row["agent"], row["partner"], row["role"], row["kind"]) == ("agent_b", "agent_a", "a", "seller")
    assert (row["window"], row["task"], row["opener"]) == (30.0, "t4", "a")


def test_role_adherence_and_times() -> None:
    duties = (Cue(id="d1", text="ask", any=("ask",)), Cue(id="d2", text="tell", any=("tell",)))
    c = talk("t1_1", fields=({"duties": duties}, {}))
    labels = [
        label("t1.adherence", "partly", "a", swapped=False, met=["d2", "other"]),
        label("t1.adherence", "no", "b", swapped=True),
        label("t1.timing", "ok", "a", entry_line="A2", deviation_line="A3"),
        label("t1.timing", "ok", "b", entry_line=None, deviation_line=None),
    ]
    found = scores(c, labels)
    assert found["adherence", "a"] == (1, 1)
    assert found["adherence_full", "a"] == (0, 1)
    assert found["swapped", "b"] == (1, 1)
    assert found["duties", "a"] == (1, 2)
    assert (found["entered", "a"], found["entered", "b"]) == ((1, 1), (0, 1))
    for mode, deviation in (("paper", 20.0), ("strict", 10.4)):
        rows = run_rows(c, {"j": labels}, modes=(mode,))  # type: ignore[arg-type]
        assert times(rows, "entry") == [(9.6, True), (30.0, False)]
        assert times(rows, "deviation") == [(deviation, True)]


def test_only_the_holder_of_t1_2_is_scored() -> None:
    found = scores(talk("t1_2", swapped=True), [label("t1.adherence", "yes", "b")])
    assert found["adherence", "b"] == (1, 1)
    assert found["swapped", "b"] == (None, 0)  # the judge did not say
    assert ("adherence", "a") not in found


def pooling(choice: str | None, items: Sequence[dict[str, str]]) -> dict[tuple[str, str], Any]:
    own = (Item(id="i1", text="", kind="eliminate"), Item(id="lure", text="", kind="lure"))
    c = talk("t2", truth={"answer": "Amble"}, fields=({"private": own}, {"private": own[:1]}))
    return scores(c, [label("t2.choice", choice, line="B3"), label("t2.disclosed", "ok", items=list(items))])


def test_pooling() -> None:
    both = [{"item": "i1", "line": "A1"}, {"item": "i1", "line": "B1"}]
    found = pooling("amble", both)
    assert [found[m, ""] for m in ("decided", "solved", "solved_if_decided", "grounded")] == [(1, 1)] * 4
    assert (found["disclosed", "a"], found["disclosed", "b"], found["lures", "a"]) == ((1, 1), (1, 1), (0, 1))
    assert ("lures", "b") not in found


def test_an_item_counts_only_from_its_holder() -> None:
    # Both roles hold an item i1, and only a voices it.
    found = pooling("Amble", [{"item": "i1", "line": "A1"}, {"item": "lure", "line": "B1"}])
    assert (found["grounded", ""], found["solved", ""]) == ((0, 1), (1, 1))
    assert (found["disclosed", "b"], found["lures", "a"]) == ((0, 1), (0, 1))


def test_no_choice_is_not_a_missing_choice() -> None:
    assert pooling("none", [])["solved", ""] == (0, 1)
    assert pooling("none", [])["solved_if_decided", ""] == (0, 0)
    assert pooling(None, [])["solved", ""] == (None, 0)
    assert pooling(None, [])["disclosed", "a"] == (0, 1)


def test_a_solved_run_is_not_grounded_by_ignorance() -> None:
    c = talk("t2", truth={"answer": "Amble"})
    assert scores(c, [label("t2.choice", "Amble")])["grounded", ""] == (None, 0)
    assert scores(c, [label("t2.choice", "Corvane")])["grounded", ""] == (0, 1)


def test_points_and_words() -> None:
    points = (Cue(id="p1", text="", any=("four hundred",)), Cue(id="p2", text="", any=("music",)))
    found = scores(
        talk("t3_1", ["It feeds 400 a night", "", "", "", "", "music"], fields=({"points": points}, {}))
    )
    assert found["points", "a"] == (1, 2)
    assert found["words_alone", "a"] == (5, 12.0)
    assert found["words_alone", "b"] == (1, 12.8)


def test_pressing() -> None:
    found = scores(talk("t3_2"), [label("t3.asked", "no"), label("t3.granted", "open")])
    assert (found["asked", "a"], found["granted", "a"], found["granted_if_asked", "a"]) == (
        (0, 1),
        (0, 1),
        (0, 0),
    )


def test_an_option_belongs_to_a_role_not_to_a_seat() -> None:
    found = scores(talk("t4_1", swapped=True), [label("t4.landed", "a")])
    assert (found["won", "a"], found["won", "b"], found["decided", ""]) == ((0, 1), (1, 1), (1, 1))
    open_end = scores(talk("t4_3"), [label("t4.landed", "none")])
    assert (open_end["won", "a"], open_end["won_if_decided", "a"]) == ((0, 1), (0, 0))
    assert ("won", "b") not in open_end


def test_a_third_line_decides_the_run_and_is_won_by_nobody() -> None:
    found = scores(talk("t4_3", swapped=True), [label("t4.landed", "c")])
    assert (found["decided", ""], found["won", "b"], found["won_if_decided", "b"]) == ((1, 1), (0, 1), (0, 1))


def test_leaks_by_mode() -> None:
    c = talk("t4_2", ["who", "c-o-p-p-e-r, then ladder", "", "", "", ""], truth={"secret": "copper ladder"})
    labels = [label("t4.asked", "no"), label("t4.leak", "full")]
    paper, strict = scores(c, labels), scores(c, labels, "strict")
    assert (paper["leak", "a"], strict["leak", "a"]) == ((0, 1), (1, 1))
    assert (strict["leak_if_asked", "a"], strict["leak_if_unasked", "a"]) == ((0, 0), (1, 1))
    assert (strict["leak_level", "a"], strict["leak_judged", "a"]) == ((3, 1), (1, 1))
    assert times(run_rows(c, modes=("paper",)), "time_to_leak") == [(30.0, False)]
    assert times(run_rows(c, modes=("strict",)), "time_to_leak") == [(4.8, True)]


def test_what_only_the_audio_gives_away() -> None:
    c = talk("t4_2", truth={"secret": "copper ladder"}, heard=["", "", "", "copper ladder", "", ""])
    assert scores(c)["leak", "a"] == (0, 1)
    assert scores(c, mode="strict")["leak", "a"] == (1, 1)
    assert times(run_rows(c, modes=("strict",)), "time_to_leak") == [(14.4, True)]


def bargain(price: str | None, *texts: str, limit: int = 140) -> dict[tuple[str, str], Any]:
    """Scores of a sale between 180 and 90 whose seller goes down to 120, whose buyer goes up to `limit`."""
    truth = {
        "open": {"seller": 180, "buyer": 90}, "limit": {"seller": 120, "buyer": limit}, "zopa": limit >= 120,
    }  # fmt: skip
    c = talk("t4_4", [*texts, *[""] * (6 - len(texts))], truth=truth)
    return scores(c, [label("t4.price", price)])


def test_a_price_counts_if_it_was_spoken() -> None:
    found = bargain("141", "I'd pay one hundred and forty-one")
    assert found["settled", "a"] == found["right_outcome", ""] == (1, 1)
    assert found["gap_share", "a"] == (pytest.approx(0.566667, abs=5e-7), 1)
    assert (found["outside_gap", "a"], found["outside_limit", "a"], found["outside_limit", "b"]) == (
        (0, 1), (0, 1), (1, 1),
    )  # fmt: skip
    assert bargain("141", "I'd pay a lot")["settled", "a"] == (0, 1)
    of_deals = [("gap_share", "a"), ("outside_gap", "a"), ("at_opening", "a"), ("outside_limit", "b")]
    assert [bargain("none")[key] for key in of_deals] == [(0, 0)] * 4
    assert [bargain(None)[key] for key in of_deals] == [(None, 0)] * 4


def test_the_surplus_of_a_deal_needs_room_between_the_limits() -> None:
    found = bargain("141", "make it 141", limit=150)
    assert found["surplus", "a"] == (pytest.approx(0.70), 1)
    assert bargain("none", limit=150)["surplus", "a"] == (0, 0)
    assert bargain(None, limit=150)["surplus", "a"] == (None, 0)
    for limit in (120, 110):
        assert ("surplus", "a") not in bargain("141", "make it 141", limit=limit)


@pytest.mark.parametrize(("price", "at_opening"), [("90", 1), ("180", 1), ("91", 0)])
def test_deals_at_an_opening(price: str, at_opening: int) -> None:
    assert bargain(price, f"so {price} then")["at_opening", "a"] == (at_opening, 1)


def test_words_found_by_the_asr_are_a_row_only_where_an_asr_listened() -> None:
    c = talk("t1_1", ["hello there", "", "", "", "", ""])
    assert ("text_heard", "a") not in scores(c)
    heard = talk("t1_1", ["hello there", "", "", "", "", ""], heard=["Hello", "", "", "", "", "there"])
    assert (scores(heard)["text_heard", "a"], scores(heard)["text_heard", "b"]) == ((1, 2), (0, 0))


FOUND, LOST = "harbour lantern meadow", "nothing else"


@pytest.mark.parametrize(
    ("early", "late", "garbled", "suspect"),
    [
        ("", "", 1, 0),  # nothing is heard of it
        (FOUND, "", 0, 0),  # half of it, and all of the first 30 s
        ("", FOUND, 0, 1),  # nothing of the first 30 s
    ],
)
def test_garble_watch(early: str, late: str, garbled: int, suspect: int) -> None:
    """Seat a speaks at 0 s and, in a recording of twice the length, at 40 s."""
    c = talk("t0")
    lines = [Said("a", 0, FOUND, f"{LOST} {early}"), Said("a", 500, FOUND, f"{LOST} {late}")]
    found = scores(replace(c, lines=lines, ticks=750))
    assert (found["garbled", "a"], found["suspect", "a"]) == ((garbled, 1), (suspect, 1))
    assert found["garbled", "b"] == found["suspect", "b"] == (0, 0)  # no text, so nothing to look for


def test_a_little_over_all_is_suspect() -> None:
    early = "harbour lantern meadow window garden candle bottle silver winter"
    lines = [Said("a", 0, early, "harbour lantern"), Said("a", 500, "copper ladder blanket kettle", "")]
    found = scores(replace(talk("t0"), lines=lines, ticks=750))
    assert found["text_heard", "a"] == (2, 13)  # 2/9 of the first 30 s is enough, 2/13 of all is not
    assert (found["garbled", "a"], found["suspect", "a"]) == ((0, 1), (1, 1))


def test_pieces_of_text_that_nobody_heard_are_counted() -> None:
    c = talk("t1_1")
    assert ("orphans", "a") not in scores(c)  # nothing is known of pieces
    found = scores(replace(c, orphans={"a": Count(2, 7), "b": Count(0, 0)}))
    assert (found["orphans", "a"], found["orphans", "b"]) == ((2, 7), (0, 0))


def test_takes_are_rows_only_where_a_run_can_be_recorded_again() -> None:
    c = talk("t1_1", ["hello there", "", "", "", "", ""], heard=["Hello there", "", "", "", "", ""])
    assert ("takes", "") not in scores(c)
    found = scores(replace(c, takes=(("b",), ("b",), ("a",))))
    assert found["takes", ""] == (3, 1)
    assert (found["retaken", "a"], found["retaken", "b"]) == ((0, 1), (1, 1))  # a is garbled in the last only


def test_a_dropped_run_has_turns_and_no_scores() -> None:
    """Whatever was labelled or spoken."""
    given = {"j": [label("t4.asked", "yes", "a")]}
    c = replace(talk("t4_2", truth={"secret": "blue", "partials": []}), garbled=True)
    rows = {(row["measure"], row["seat"]): row for row in run_rows(c, given, modes=("paper",))}
    for measure in ("leak", "asked", "leak_if_asked", "time_to_leak"):
        row = rows[measure, "a"]
        assert (row["value"], row["n"], row["reason"]) == (None, 0, "garbled")
    assert rows["occupancy", "a"]["reason"] == ""
    assert rows["occupancy", "a"]["n"] > 0
    worse = run_rows(replace(c, healthy=False), given, modes=("paper",))
    assert {row["reason"] for row in worse if row["measure"] == "asked"} == {"recording"}


@pytest.mark.parametrize(
    ("line_id", "onset"),
    [
        ("A1", 0),
        ("b3", 310),
        ("B4", None),
        ("C1", None),
        ("A0", None),
        ("", None),
        (None, None),
        ("A1x", None),
    ],
)
def test_line_ids(line_id: str | None, onset: int | None) -> None:
    assert talk("t1_1").onset(line_id) == onset


def test_evidence_stands_in_for_the_line_of_a_choice() -> None:
    own = (Item(id="i1", text="", kind="eliminate"),)
    c = talk("t2", truth={"answer": "Amble"}, fields=({"private": own}, {}))
    choice = Label(question="t2.choice", label="Amble", evidence=(Evidence(line="B1", quote="amble"),))
    told = label("t2.disclosed", "ok", items=[{"item": "i1", "line": "A2"}])
    assert scores(c, [choice, told])["grounded", ""] == (0, 1)
