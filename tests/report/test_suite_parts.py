"""Names of sets, letters of alike numbers, and what a trial's page makes of peaks and evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.report.suite.alike import letters
from dyad.report.suite.data import cut_off, heard_peaks, placed
from dyad.report.suite.sheet import cell, set_names, unscored
from dyad.spec.suite import Stimulus
from dyad.suites.colour import same_colour
from dyad.suites.trials import imagined
from dyad.tables.rows import row


@pytest.mark.parametrize(
    ("tasks", "names"),
    [
        (["mini_backchannel", "mini_pause_handling"], ["backchannel", "pause handling"]),
        (["mini_overlap_user_backchannel", "mini_overlap_to_other"], ["user backchannel", "to other"]),
        (["mini_backchannel", "mini_overlap_user_backchannel"], ["backchannel", "overlap user backchannel"]),
        (["candor_turn_taking", "icc_backchannel"], ["candor turn taking", "icc backchannel"]),
        (["callfr_backchannel"], ["callfr backchannel"]),
        (["user", "user_backchannel"], ["user", "user backchannel"]),  # no name may become empty
        ([], []),
    ],
)  # fmt: skip
def test_sets_lose_the_words_that_all_begin_with(tasks: list[str], names: list[str]):
    assert list(set_names(tasks).values()) == names


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ([(0.0, 1.0), (2.0, 3.0)], ["a", "b"]),
        ([(0.0, 1.0), (0.5, 1.5)], ["", ""]),  # all alike: a letter would say nothing
        ([(0.46, 0.62), (0.58, 0.78)], ["a", "b"]),  # a quarter is not more than 25 % (suite_fdb.md, 8.7)
        ([(0.0, 1.0), (0.6, 1.6), (1.2, 2.2)], ["a", "ab", "b"]),  # likeness is not handed on
        ([(0.0, 1.0), None, (2.0, 3.0)], ["a", "", "b"]),
        ([(0.0, 1.0), None], ["", ""]),
        ([], []),
    ],
)
def test_alike_numbers_share_a_letter(ends: list[tuple[float, float] | None], shown: list[str]):
    assert letters(ends) == shown


def test_no_letter_stands_for_two_groups_however_many_there_are():
    ends = [(float(k), k + 0.5) for k in range(30)] + [(25.4, 26.1)]
    found = letters(ends)
    assert (found[0], found[25], found[26], found[29]) == ("a", "z", "aa", "ad")
    assert len(set(found)) == 31
    alike = letters([(k / 2, k / 2 + 1.0) for k in range(29)])  # each like its neighbours
    assert (alike[0], alike[1], alike[26]) == ("a", "a b", "z aa")


SPANS = st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda x: (x[0] / 10, (x[0] + x[1]) / 10))


@settings(max_examples=40)
@given(st.lists(SPANS, min_size=2, max_size=7))
def test_two_share_a_letter_only_if_they_are_alike(ends: list[tuple[float, float]]):
    found = letters(ends)
    if not any(found):
        assert all(same_colour(x, y) for x in ends for y in ends)
        return
    for i in range(len(ends)):
        for j in range(i):
            assert bool(set(found[i]) & set(found[j])) == same_colour(ends[i], ends[j])


def test_the_stimulus_is_drawn_when_it_is_heard():
    raw = np.arange(1, 41, dtype=np.int8)  # two sides of ten points, each a lowest and a highest value
    model, stimulus = np.frombuffer(heard_peaks(raw.tobytes()), np.int8).reshape(2, 10, 2)
    assert model.ravel().tolist() == list(range(1, 21))
    assert stimulus[:4].any() == np.False_  # 80 ms at 50 points a second
    assert stimulus[4:].ravel().tolist() == list(range(21, 33))


@pytest.mark.parametrize(
    ("part", "quote", "line"),
    [
        ("output_noisy2", "go on", "A2"),
        ("reply1", "Well", "A1"),
        ("input_noisy1", "excuse me", "B1"),
        ("input_noisy1", "go on", "input_noisy1"),  # the user did not say it
        ("output_clean1", "well", "output_clean1"),  # said in the twin, not here
    ],
)
def test_evidence_names_the_line_in_which_it_was_said(part: str, quote: str, line: str):
    said = (("A1", "a", "Well, then."), ("B1", "b", "Excuse me!"), ("A2", "a", "Let me go on."))
    lines = [{"id": name, "seat": seat, "text": text} for name, seat, text in said]
    judgment = {"question": "fdb.behaviour", "evidence": [{"line": part, "quote": quote}]}
    assert placed([judgment], lines) == [{**judgment, "evidence": [{"line": line, "quote": quote}]}]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        ({"value": 0.5, "low": 0.25, "high": 0.75, "n": 8.0}, ["0.500", "[0.250, 0.750]", "n 8"]),
        ({"value": 0.5, "n": 8.0, "missing": 2}, ["0.500", "n 8, 2 missing"]),
        ({"n": 0.0, "missing": 2, "note": "nothing is known"}, ["–", "2 missing"]),
        ({"n": 0.0, "missing": 0, "note": "nobody responded"}, ["–", "nobody responded"]),
    ],
)
def test_a_cell_says_why_it_has_no_number(columns: dict[str, object], lines: list[str]):
    assert cell(row("suite", **columns)) == lines


def test_trials_without_a_score_are_named_by_reason():
    why = {"no_transcript": [f"{n}" for n in range(11)], "no input.wav": ["x", "x"]}
    rows = [
        row("suite_unscored", condition="set_a", agent="m", partner=f"set_a.{c}", term="missing", note=note)
        for note, clips in why.items()
        for c in clips
    ]
    assert unscored(rows).body == [
        ["m", "set a", "missing", "no_transcript", "0, 1, 2, 3, 4, 5, 6, 7 and 3 more", "11"],
        ["m", "set a", "missing", "no input.wav", "x", "2"],  # two repetitions of one
    ]


def test_what_strict_leaves_of_a_long_answer_is_said() -> None:
    made = imagined(Stimulus(id="set.1", task="set", kind="pause", clip="1", folder="/data", duration_s=2.0))
    long = replace(made, answer=Path("/data/output.wav"), tail_cut_s=1.25)
    assert cut_off(long) == ["1.25 s of the answer lie beyond what strict scores"]
    assert not cut_off(replace(long, tail_cut_s=0.0))
    assert not cut_off(replace(long, answer=None))  # what was played here ends with its window
