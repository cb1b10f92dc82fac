"""What services may send, whatever it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.judge.models.chat import OpenAISettings, error_text, fields_of
from dyad.judge.models.types import Reply

CHAT = OpenAISettings(model="m")
OLLAMA = OpenAISettings(model="m", schema_as="format")
NONE_AT_ALL = (ValueError, KeyError, IndexError, TypeError, AttributeError)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
USAGE = st.fixed_dictionaries(
    {}, optional={"prompt_tokens": JSON, "completion_tokens": JSON, "prompt_tokens_details": JSON}
)
MESSAGE = st.fixed_dictionaries({}, optional={"content": JSON, "refusal": JSON})
CHOICE = st.fixed_dictionaries({"finish_reason": JSON, "message": MESSAGE | JSON})
COMPLETION = st.fixed_dictionaries(
    {"choices": st.lists(CHOICE, max_size=1), "usage": USAGE | JSON, "model": JSON}
)


def completion(**changes: Any) -> dict[str, Any]:
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": "{}"}}
    return {"id": "c1", "model": "m-1", "choices": [choice | changes]}


@given(JSON | COMPLETION)
def test_a_body_is_a_reply_or_one_of_the_usual_errors(body: Any) -> None:
    for settings in (CHAT, OLLAMA):
        try:
            fields = fields_of(settings, body)
            reply = Reply(key="0", requested="m", **fields)
        except NONE_AT_ALL:
            continue
        assert reply.usage.input >= 0
        assert not reply.failure


@given(st.text() | JSON.map(json.dumps))
def test_any_error_has_words(body: str) -> None:
    assert isinstance(error_text(body), str)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "no", "type": "t", "code": "c"}}, "c t no"),
        ({"error": "model 'x' not found"}, "model 'x' not found"),
        ({"object": "error", "message": "no", "type": "NotFoundError", "code": 404}, "404 NotFoundError no"),
        ({"detail": "Not Found"}, "Not Found"),
    ],
)
def test_errors_of_four_services(body: Any, words: str) -> None:
    assert error_text(json.dumps(body)) == words
    assert error_text("502 Bad Gateway") == "502 Bad Gateway"


def test_a_service_that_counts_nothing() -> None:
    fields = fields_of(CHAT, completion())
    assert (fields["usage"].input, fields["usage"].output, fields["stop"]) == (0, 0, "end_turn")


def test_other_ends_are_kept_as_they_are_named() -> None:
    assert fields_of(CHAT, completion(finish_reason="tool_calls"))["stop"] == "tool_calls"
    assert fields_of(CHAT, completion(finish_reason=None))["stop"] == ""


def test_thoughts_that_a_server_left_before_a_reply_are_no_part_of_it() -> None:
    message = {"content": '<think>A {"draft"}\n</think>\n\n{"label": "</think>"}'}
    assert fields_of(CHAT, completion(message=message))["text"].strip() == '{"label": "</think>"}'
