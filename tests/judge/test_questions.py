"""The rubrics."""

import pytest

from dyad.errors import ConfigError
from dyad.judge import rubric, rubric_key
from dyad.judge.questions import paper_labels
from dyad.library import INFO
from dyad.spec import ARCHETYPES


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_every_question_of_the_archetype_is_there(archetype) -> None:
    found = rubric(archetype)
    assert found.id == f"{archetype}@{found.version}"
    assert set(INFO[archetype].judge) <= {q.id for q in found.questions}
    assert rubric_key(archetype).startswith(f"{found.id}-")


@pytest.mark.parametrize("archetype", ARCHETYPES)
def test_examples_and_paper_labels_use_the_labels(archetype) -> None:
    for question in rubric(archetype).questions:
        is_open = any(label.startswith("<") for label in question.labels)
        assert is_open or {x.label for x in question.examples} <= set(question.labels)
        assert len({x.label for x in question.examples}) > 1
        for answers in question.paper.values():
            assert set(answers) - {"*"} <= set(question.labels)


def test_a_changed_word_changes_the_hash() -> None:
    one = rubric("t2")
    other = one.model_copy(update={"questions": one.questions[:1]})
    assert one.hash != other.hash
    assert len({rubric_key(a) for a in ARCHETYPES}) == len(ARCHETYPES)


def test_nothing_is_asked_about_a_free_conversation() -> None:
    assert rubric("t0").questions == ()
    assert rubric_key("t0").startswith("t0@1-")


def test_paper_labels() -> None:
    adherence, choice = rubric("t1_1").questions[0], rubric("t2").questions[0]
    assert [paper_labels(adherence, x)["in_role"] for x in ("yes", "partly", "no", None)] == [
        True,
        True,
        False,
        None,
    ]
    assert [paper_labels(choice, x)["decided"] for x in ("Amble", "none", None)] == [True, False, None]


def test_an_unknown_archetype_is_one_line() -> None:
    with pytest.raises(ConfigError, match="t3_3"):
        rubric_key("t3_3")
