"""Conversations changed in one respect keep everything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.judge.case import Case, case_of
from dyad.judge.rules import label
from dyad.judge.transcript import render
from dyad.judge.variants import exchanged, sham, sham_role, shuffled

TALK = [
    ("a", "Which flight was it?"),
    ("b", "The noon flight. The case is hard and grey."),
    ("a", "Speaker B1, you say? I will send out a trace."),
    ("b", ""),
    ("a", "You will hear from us by nine."),
]
BAG = [("a", "Which flight was it?"), ("b", "It is a hard grey case with a blue ribbon.")]
DOUGH = [("a", "I fold it from four sides."), ("b", "My wrong-number caller hummed last Thursday.")]


@pytest.fixture
def case(stage, run_of, said) -> Callable[..., Case]:
    def made(scenario: str = "t1_1_lost_bag", talk=TALK, **about) -> Case:
        spec, shared = run_of(scenario, **about), stage.scenarios[scenario]
        roles = {seat: stage.roles[ref.role] for seat, ref in shared.seats.items()}
        return case_of(spec, shared, roles, said(scenario, talk), spec.ticks)

    return made


def letters_away(text: str) -> str:
    return re.sub(r"\b[AB](?=\d|:)", "?", text)


def test_exchanged_letters_change_letters_and_ids_only(case) -> None:
    before = case()
    after = exchanged(before)
    first, second = (render(x.lines, x.ticks) for x in (before, after))
    assert first != second
    assert letters_away(first) == letters_away(second)
    assert "Speaker B1, you say?" in second  # what was said stays
    assert [(x.seat, x.start, x.end, x.text) for x in after.lines] == [
        (x.seat, x.start, x.end, x.text) for x in before.lines
    ]
    assert {x.letter for x in after.lines if x.seat == "a"} == {after.letter("a")} == {"B"}
    assert exchanged(after) == before


def test_exchanged_marks_name_the_exchanged_lines(case) -> None:
    before = case()
    marked = replace(
        before.lines[0], marks=("starts over B2, B2 stops 1.12 s later", "started over by B3, B4")
    )
    after = exchanged(replace(before, lines=(marked, *before.lines[1:])))
    assert after.lines[0].marks == ("starts over A2, A2 stops 1.12 s later", "started over by A3, A4")


def test_rules_do_not_see_letters(case) -> None:
    before = case()
    labels, after = label(before), label(exchanged(before))
    assert [(x.question, x.seat, x.label) for x in labels] == [(x.question, x.seat, x.label) for x in after]


@given(st.integers(0, 1000))
def test_shuffling_moves_every_text_and_nothing_else(seed: int) -> None:
    before = SHUFFLED[0]
    after = shuffled(before, seed)
    texts = [[x.text for x in c.worded] for c in (before, after)]
    assert sorted(texts[0]) == sorted(texts[1])
    assert all(x != y for x, y in zip(*texts, strict=True))
    assert [replace(x, text="") for x in after.lines] == [replace(x, text="") for x in before.lines]
    assert after == shuffled(before, seed)


SHUFFLED: list[Case] = []


@pytest.fixture(autouse=True)
def _shared_case(case) -> None:
    """Hypothesis calls a test many times; one case serves them all."""
    SHUFFLED[:] = [case()]


def test_one_line_cannot_be_shuffled(case) -> None:
    before = case(talk=TALK[:1])
    assert shuffled(before) == before


def test_a_sham_keeps_one_seat_and_replaces_the_other(case) -> None:
    before, donor = case(talk=BAG), case("t1_2_dough", DOUGH)
    after = sham(before, donor)
    assert sham_role(before) == "b"
    assert [x.text for x in after.lines if x.seat == "a"] == [BAG[0][1]]
    assert [x.text for x in after.lines if x.seat == "b"] == [DOUGH[1][1]]
    assert [(x.start, x.end) for x in after.said("b")] == [(x.start, x.end) for x in donor.said("b")]
    assert (after.scenario, after.roles, after.opener, after.ticks) == (
        before.scenario, before.roles, before.opener, before.ticks,
    )  # fmt: skip


def test_a_sham_seats_the_role_where_it_sat(case) -> None:
    """The donor's role b may sit in another bridge seat than the role that it replaces."""
    before, donor = case(talk=BAG), case("t1_2_dough", DOUGH)
    turned = replace(
        donor,
        seats={"a": "b", "b": "a"},
        lines=tuple(replace(x, seat="a" if x.seat == "b" else "b") for x in donor.lines),
    )
    assert sham(before, turned) == sham(before, donor)


def test_a_sham_ends_with_the_recording(case) -> None:
    before, donor = case(talk=BAG), case("t1_2_dough", DOUGH)
    late = replace(
        donor, lines=tuple(replace(x, start=x.start + 9000, end=x.end + 9000) for x in donor.lines)
    )
    assert sham(before, late).said("b") == []
