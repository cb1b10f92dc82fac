"""Answers of people on disk: nothing answered is lost, nothing else is read as an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.judge.humans import Answer, Shown, answers, human_labels, initials, save, weights
from dyad.spec import Label, Seat
from dyad.store import Store


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    (tmp_path / "runs" / "one").mkdir(parents=True)
    return Shown(Store(tmp_path), "one", "t2@2-0011aabb", "c0ffee")


def answer(
    label: str | None, by: str = "AB", question: str = "t2.choice", seat: Seat | None = None
) -> Answer:
    given = Label(question=question, seat=seat, label=label, status="ok" if label else "unsure")
    return Answer(
        label=given, by=by, utc="2026-11-30T09:00:00+00:00", seconds=3.5, weight=4.0, sample="s", seed=0
    )


def test_the_last_answer_to_a_question_about_a_seat_counts(shown: Shown) -> None:
    for one in (
        answer("Amble"), answer("yes", question="t1.adherence", seat="a"),
        answer("no", question="t1.adherence", seat="b"), answer("none"), answer(None, by="CD"),
    ):  # fmt: skip
        save(shown, one)
    assert human_labels(shown) == {
        "human:AB": [answer("none").label, *(x.label for x in (
            answer("yes", question="t1.adherence", seat="a"), answer("no", question="t1.adherence", seat="b")
        ))],
        "human:CD": [answer(None).label],
    }  # fmt: skip
    assert weights(shown)["human:AB"] == {
        ("t2.choice", None): 4.0, ("t1.adherence", "a"): 4.0, ("t1.adherence", "b"): 4.0,
    }  # fmt: skip
    assert shown.file("AB").read_bytes().count(b"\n") == 4, "answers are only ever added"


def test_a_line_that_a_killed_writer_left_is_told_of_and_the_next_answer_stands_alone(shown: Shown) -> None:
    save(shown, answer("Amble"))
    save(shown, answer("yes", question="t1.adherence", seat="a"))
    path, told = shown.file("AB"), []
    whole = path.read_bytes()
    for cut in range(1, len(whole) - whole.index(b"\n") - 1):
        path.write_bytes(whole[:-cut])
        told.clear()
        kept = answers(shown, "AB", told.append)
        assert ("t2.choice", None) in kept
        assert len(kept) + len(told) == 2, "either it is whole but for the end of its line, or it is told of"
        save(shown, answer("none"))
        assert answers(shown, "AB")["t2.choice", None].label.label == "none"
        assert path.read_bytes().startswith(whole[:-cut])
    assert told == [f"{path}:2: cut off or damaged, and left out; answer that question again"]


def test_answers_about_another_transcript_or_rubric_are_not_read(shown: Shown) -> None:
    save(shown, answer("Amble"))
    assert human_labels(Shown(shown.store, "one", shown.rubric, "0ther1")) == {}
    assert human_labels(Shown(shown.store, "one", "t2@3-0011aabb", shown.read)) == {}


def test_files_of_other_judges_are_no_people(shown: Shown) -> None:
    save(shown, answer("Amble"))
    for name in ("mechanical", "human_ab", "human_AB-x", "human_", "human_ABCDEFGHI"):
        shown.file("AB").with_name(f"{shown.rubric}--{name}-{shown.read}.jsonl").write_text("{}\n")
    assert shown.people() == ["AB"]
    assert shown.files() == [shown.file("AB")]


def test_a_run_that_nobody_has_labelled(shown: Shown) -> None:
    assert (shown.people(), human_labels(shown), answers(shown, "AB")) == ([], {}, {})


@pytest.mark.parametrize("text", ["", "../x", "A B", "ABCDEFGHI", "é", "ß", "A\n", "AB.", "١"])
def test_initials_that_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="1 to 8 letters or digits"):
        initials(text)


@given(st.text(max_size=9))
def test_initials_are_refused_or_a_safe_name_in_capitals(text: str) -> None:
    try:
        found = initials(text)
    except ConfigError:
        return
    assert found.isascii()
    assert found.isalnum()
    assert found == found.upper() == initials(found)
