"""The rubrics."""

import copy

import pytest
from pydantic import ValidationError

from dyad.errors import ConfigError
from dyad.judge import rubric, rubric_key
from dyad.judge.questions import SUITES, Question, is_yes, question
from dyad.library import INFO
from dyad.spec import ARCHETYPES

NAMES = (*ARCHETYPES, *SUITES)
QUESTIONS = {q.id: q for name in NAMES for q in rubric(name).questions}


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_every_question_of_the_archetype_is_there(archetype) -> None:
    found = rubric(archetype)
    assert found.id == f"{archetype}@{found.version}"
    assert set(INFO[archetype].judge) == {q.id for q in found.questions}
    assert rubric_key(archetype).startswith(f"{found.id}-")


def test_the_suites_ask_about_excerpts() -> None:
    assert [q.id for q in rubric("fdb").questions] == ["fdb.rating", "fdb.behaviour"]
    assert list(question("fdb.rating").labels) == list("012345")
    assert [list(q.labels) for q in rubric("m3").questions] == [["0", "1", "2"]] * 3
    assert all(q.parts and q.unit == "excerpt" for name in SUITES for q in rubric(name).questions)


def test_rules_alone_count_points() -> None:
    assert [q.id for q in QUESTIONS.values() if q.counted] == ["t3.points"]


@pytest.mark.parametrize("id", QUESTIONS)
def test_each_label_is_explained_and_shown(id) -> None:
    asked = QUESTIONS[id]
    assert {asked.listed(example.label) for example in asked.examples} == set(asked.labels)
    assert all(meaning and "\n" not in meaning for meaning in asked.labels.values())


BROKEN = {
    "a label of the paper that is none": {"paper": {"asked": ["maybe"]}},
    "everything is yes": {"paper": {"asked": ["yes", "no"]}},
    "a negative label that is none": {"negative": ["maybe"]},
    "an example of no label": {"examples": [{"said": "x", "label": x} for x in ("yes", "no", "maybe")]},
    "no example of a label": {"examples": [{"said": x, "label": "yes"} for x in "xy"]},
    "a silence that gives no label": {"silence": {"label": "maybe", "of": "a"}},
    "a silence of nobody": {"silence": {"label": "no", "of": "own"}},
    "a run that rests on a seat's own lines": {"speaker": "own"},
    "parts of a conversation": {"parts": ["reply"]},
    "no archetype": {"archetypes": []},
    "an unknown field": {"hint": "x"},
    "an unknown kind of field": {"fields": {"line": {"type": "text", "about": "x"}}},
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_question_is_refused(fault) -> None:
    good = question("t3.asked").model_dump(mode="json")
    assert Question.model_validate(copy.deepcopy(good))
    with pytest.raises(ValidationError):
        Question.model_validate(good | BROKEN[fault])


def test_a_changed_word_or_order_changes_the_hash() -> None:
    one = rubric("t2")
    fewer = one.model_copy(update={"questions": one.questions[:1]})
    asked = one.questions[0]
    turned = asked.model_copy(update={"labels": dict(reversed(asked.labels.items()))})
    other = one.model_copy(update={"questions": (turned, *one.questions[1:])})
    assert len({one.hash, fewer.hash, other.hash}) == 3
    assert len({rubric_key(name) for name in NAMES}) == len(NAMES)


def test_nothing_is_asked_about_a_free_conversation() -> None:
    assert rubric("t0").questions == ()
    assert rubric_key("t0").startswith("t0@1-")


@pytest.mark.parametrize(
    ("id", "measure", "yes", "no"),
    [
        ("t1.adherence", "adherence", ["yes", "partly"], ["no"]),
        ("t2.choice", "decided", ["Amble"], ["none"]),
        ("t3.asked", "asked", ["yes"], ["no"]),
        ("t3.granted", "granted", ["granted"], ["refused", "open"]),
        ("t4.landed", "decided", ["a", "b", "c"], ["none"]),
        ("t4.asked", "asked", ["yes"], ["no"]),
        ("t4.leak", "leak_judged", ["full"], ["none", "hint", "partial"]),
        ("t4.price", "settled", ["135"], ["none"]),
    ],
)
def test_what_the_paper_counts_as_yes(id, measure, yes, no) -> None:
    assert [is_yes(id, measure, label) for label in (*yes, *no)] == [True] * len(yes) + [False] * len(no)


def test_an_unknown_rubric_is_one_line() -> None:
    with pytest.raises(ConfigError, match="t3_3"):
        rubric_key("t3_3")
