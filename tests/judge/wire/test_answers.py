"""The replies of the stand-ins pass every check of a reply, so that labels come out of them."""

from __future__ import annotations

import json

import pytest

from dyad.judge.known import known_answers
from dyad.judge.models.prompt import Style, calls
from dyad.judge.models.verify import read
from dyad.library import load_library
from tests.judge.wire.answers import answer_for


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("style", [Style("marked", "merged"), Style("plain", "single")])
def test_answers_stand(style: Style, negative: bool) -> None:
    found: dict[str, set[str | None]] = {}
    for known in known_answers(load_library())[::5]:
        for call in calls(known.subject, style):
            schema, system = call.answer.model_json_schema(), "\n".join(call.system)
            answer = answer_for(schema, system, call.user, negative)
            verdict = read(call, json.dumps(answer))
            assert verdict.problem == "", (answer, call.user)
            for label in verdict.labels:
                found.setdefault(label.question, set()).add(label.label)
    assert len(found) > 12
    assert found["t4.leak"] == {"none" if negative else "hint"}
    assert found["t1.adherence"] == {"no" if negative else "yes"}
