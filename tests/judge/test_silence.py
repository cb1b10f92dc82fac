"""What a silence settles, and that rules and model judges agree on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dyad.judge.case import Excerpt, case_of
from dyad.judge.rules import label
from dyad.judge.silence import asked, settled

SCENARIOS = (
    "t1_1_lost_bag",
    "t1_2_dough",
    "t2_minibus",
    "t3_2_ladder",
    "t4_1_stairwell",
    "t4_2_marina",
    "t4_4_sewing",
)
TALKS = {
    "nobody": [],
    "only a": [("a", "Hello, is anybody there?")],
    "only b": [("b", "Hello, is anybody there?")],
    "a without words": [("a", ""), ("b", "Hello?")],
    "b without words": [("a", "Hello?"), ("b", "")],
    "both": [("a", "Hello?"), ("b", "Hello.")],
}


@pytest.fixture
def case(stage, run_of, said):
    def make(scenario, talk):
        spec, shared = run_of(scenario), stage.scenarios[scenario]
        roles = {seat: stage.roles[ref.role] for seat, ref in shared.seats.items()}
        return case_of(spec, shared, roles, said(scenario, talk), spec.ticks)

    return make


@pytest.mark.parametrize("talk", TALKS)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_rules_give_the_same_label(case, scenario, talk) -> None:
    subject = case(scenario, TALKS[talk])
    found = {(x.question, x.seat): x for x in settled(subject)}
    by_rule = {(x.question, x.seat): x for x in label(subject) if x.status in ("no_speech", "no_words")}
    scored = [(unit.question.id, unit.role) for unit in asked(subject)]
    assert {k: (x.label, x.status) for k, x in found.items()} == {
        k: (x.label, x.status) for k, x in by_rule.items() if k in scored
    }
    assert all(x.fields == by_rule[k].fields for k, x in found.items() if x.status == "no_speech")


def test_words_of_both_settle_nothing_and_silence_of_both_everything(case) -> None:
    for scenario in SCENARIOS:
        assert settled(case(scenario, TALKS["both"])) == []
        assert len(settled(case(scenario, []))) == len(asked(case(scenario, [])))


def test_only_the_scored_seat_is_asked_about_where_there_is_one(case) -> None:
    assert {unit.role for unit in asked(case("t1_1_lost_bag", []))} == {"a", "b"}
    assert {unit.role for unit in asked(case("t1_2_dough", []))} == {"a"}


def test_points_are_asked_of_nobody(case) -> None:
    assert asked(case("t3_1_guides", TALKS["both"])) == []


def test_who_is_told_to_listen_is_in_role_without_a_word(case) -> None:
    subject = case("t1_1_lost_bag", TALKS["only a"])
    roles = {"a": subject.roles["a"], "b": subject.roles["b"].model_copy(update={"kind": "listener"})}
    found = {x.question: x.label for x in settled(replace(subject, roles=roles))}
    assert found == {"t1.adherence": "yes", "t1.timing": "none"}


def test_of_an_excerpt_only_what_its_parts_allow_is_asked() -> None:
    found = asked(Excerpt("m3", {"user": "When?", "dialogue": "Hi.", "reply": "At two."}))
    assert [unit.question.id for unit in found] == ["m3.relevance", "m3.consistency"]


def test_a_reply_of_no_words_is_rated_by_rule() -> None:
    found = settled(Excerpt("m3", {"user": "When?", "dialogue": "Hi.", "reference": "At two.", "reply": " "}))
    assert [(x.label, x.status) for x in found] == [
        ("0", "no_speech"),
        (None, "no_speech"),
        ("0", "no_speech"),
    ]
