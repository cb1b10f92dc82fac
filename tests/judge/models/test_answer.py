"""The schema of a reply."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict

from dyad.judge.case import Excerpt
from dyad.judge.models.answer import answer_of, choices
from dyad.judge.questions import question, questions_of

TALK = [("a", "Hello."), ("b", "Hello.")]
SUBJECTS = (
    "t1_1_lost_bag", "t1_2_dough", "t2_minibus", "t3_2_ladder", "t4_1_stairwell", "t4_2_marina",
    "t4_3_fare.three_lines", "t4_4_sewing", "fdb", "m3",
)  # fmt: skip


def schema_of(answer):
    transform_schema = pytest.importorskip("anthropic").transform_schema
    return transform_schema(answer)


@pytest.fixture(params=SUBJECTS)
def answer(request, case) -> type[BaseModel]:
    if request.param in ("fdb", "m3"):
        return answer_of(questions_of(request.param), Excerpt(request.param, {}))
    subject = case(request.param, TALK)
    return answer_of(questions_of(subject.scenario.archetype), subject)


def objects(schema):
    """Every object of a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


def faults(schema) -> list[dict]:
    return [
        part
        for part in objects(schema)
        if part.get("additionalProperties") is not False or part.get("required") != list(part["properties"])
    ]


def test_every_field_is_required_and_no_other_is_allowed(answer) -> None:
    for schema in (schema_of(answer), answer.model_json_schema()):
        assert len(list(objects(schema))) > 1
        assert faults(schema) == []


def test_a_default_would_be_found() -> None:
    class Careless(BaseModel):
        model_config = ConfigDict(extra="forbid")
        label: str
        line: str | None = None

    assert faults(schema_of(Careless))


def test_evidence_comes_first_and_the_label_last(answer) -> None:
    for field in answer.model_fields.values():
        names = list(field.annotation.model_fields)
        assert names[0] == "evidence"
        assert names[-1] == "label" or "price" in names


def test_labels_are_closed_and_options_go_by_name(case) -> None:
    landed = question("t4.landed")
    found = choices(landed, case("t4_1_stairwell", TALK))
    assert list(found.items()) == [("chalk", "b"), ("clay", "a"), ("none", "none")]
    three = choices(landed, case("t4_3_fare.three_lines", TALK))
    assert list(three) == [*sorted(set(three) - {"none"}), "none"]
    assert set(three.values()) == {"a", "b", "c", "none"}
    named = choices(question("t2.choice"), case("t2_minibus", TALK))
    assert list(named) == ["Torvan", "Belmery", "Quillon", "Drayforth", "Sennick", "none"]
    assert choices(question("t4.price"), case("t4_4_sewing", TALK)) == {}


def test_equal_sheets_share_one_model(case) -> None:
    asked = questions_of("t1_1")
    assert answer_of(asked, case("t1_1_lost_bag", TALK)) is answer_of(asked, case("t1_1_lost_bag", []))
