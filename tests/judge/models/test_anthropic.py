"""Messages through the real client, against a stand-in for the API in a process of its own."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dyad.errors import BudgetReached, ConfigError
from dyad.judge.known import known_answers
from dyad.judge.models import service
from dyad.judge.models.anthropic import FAMILY, AnthropicSettings, Messages
from dyad.judge.models.types import LOCAL, Reply, Request
from dyad.judge.protocol import Desk, Task, identity
from dyad.library import load_library
from dyad.spec import Frozen
from tests.judge.wire.running import Server

KEY = "sk-ant-secret-0123456789abcdef"
TALK = "A1 [0.80-4.80] A: marina office, it is the Tern | started over by B1\nB1 [2.40-2.88] B: mm-hm"


class Cited(Frozen):
    """A line and words of it."""

    line: str
    quote: str


class Choice(Frozen):
    """The answer to a question, its fields not in the order of the alphabet."""

    evidence: list[Cited]
    line: str | None
    label: Literal["Tern", "none"]


class Answer(Frozen):
    """A reply."""

    t2_choice: Choice


def settings(server: Server, **changes: Any) -> AnthropicSettings:
    fields = {"model": "claude-opus-5", "base_url": server.url, "concurrency": 4, "timeout_s": 60}
    return AnthropicSettings(**(fields | changes))


def request(n: int = 0, user: str = TALK, max_tokens: int = 256) -> Request:
    key = sha256(f"{n} {user}".encode()).hexdigest()
    return Request(key, ("Rules.", f"Scenario {n}."), user, Answer, max_tokens)


def ask(server: Server, n: int = 1, **changes: Any) -> list[Reply]:
    backend = Messages(settings(server, **changes))
    try:
        return list(backend.answer([request(i) for i in range(n)]))
    finally:
        backend.close()


def fault(do: str, **more: Any) -> dict[str, Any]:
    return {"on": "messages", "do": do, **more}


def test_a_reply_is_kept_as_it_came(server: Server) -> None:
    server.change(answers_as="claude-opus-5-20261101")
    first, second = ask(server, 1)[0], ask(server, 1)[0]
    assert (first.requested, first.model) == ("claude-opus-5", "claude-opus-5-20261101")
    assert (first.key, first.stop, first.failure, first.batch) == (request().key, "end_turn", "", "")
    answer = Answer.model_validate_json(first.text).t2_choice
    assert (answer.line, answer.label) == ("A1", "Tern")
    assert first.request_id.startswith("req_")
    assert first.request_id != second.request_id
    assert first.usage.cache_write > 0
    assert first.usage.cache_read == 0
    assert (second.usage.cache_write, second.usage.cache_read) == (0, first.usage.cache_write)
    assert first.usage.input == second.usage.input > 0
    assert first.usage.output > 0
    assert first.utc.endswith("+00:00")


def test_what_is_sent(server: Server) -> None:
    backend = Messages(settings(server, effort=None))
    list(backend.answer([Request("0" * 64, ("a", "b", "c", "d", "", "e"), "x", Answer, 2048)]))
    backend.close()
    marked = {"type": "ephemeral", "ttl": "1h"}
    assert server.asked("messages") == 1
    plain = server.get("bodies")[-1]
    assert [block["text"] for block in plain["system"]] == ["a", "b", "c", "d", "e"]
    assert [block.get("cache_control") for block in plain["system"]] == [None, *[marked] * 4]
    assert set(plain) == {"model", "max_tokens", "system", "messages", "output_config"}
    assert plain["max_tokens"] == 2048
    assert plain["messages"] == [{"role": "user", "content": [{"type": "text", "text": "x"}]}]
    assert set(plain["output_config"]) == {"format"}
    schema = plain["output_config"]["format"]["schema"]
    assert schema["$defs"]["Choice"]["required"] == ["evidence", "line", "label"]
    assert list(schema["$defs"]["Choice"]["properties"]) == ["evidence", "line", "label"]


def test_thinking_and_effort_are_sent(server: Server) -> None:
    backend = Messages(settings(server, effort="xhigh", thinking="enabled", thinking_tokens=1024))
    assert [reply.stop for reply in backend.answer([request(max_tokens=2048)])] == ["end_turn"]
    body = server.get("bodies")[0]
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert body["output_config"]["effort"] == "xhigh"
    for kind in ("adaptive", "disabled"):
        ask(server, 1, thinking=kind)
        assert server.get("bodies")[-1]["thinking"] == {"type": kind}


@pytest.mark.parametrize(
    ("rule", "stop", "detail"),
    [
        (fault("refusal", category="bio"), "refusal", "bio"),
        (fault("refusal", category=None), "refusal", ""),
        (fault("truncated"), "max_tokens", ""),
        (fault("context"), "model_context_window_exceeded", ""),
        (fault("thinking"), "end_turn", ""),
        (fault("no_text"), "end_turn", ""),
        (fault("malformed"), "end_turn", ""),
        (fault("wrong_quote"), "end_turn", ""),
        (fault("unknown_line"), "end_turn", ""),
    ],
)
def test_every_stop_reason_is_a_reply(server: Server, rule: dict[str, Any], stop: str, detail: str) -> None:
    server.change(rules=[rule])
    (reply,) = ask(server)
    assert (reply.failure, reply.stop, reply.detail) == ("", stop, detail)
    assert reply.usage.input > 0
    whole = rule["do"] in ("thinking", "wrong_quote", "unknown_line")
    if whole:
        found = Answer.model_validate_json(reply.text).t2_choice
        assert (found.line == "A999") == (rule["do"] == "unknown_line")
        assert (found.evidence[0].quote in TALK) == (rule["do"] != "wrong_quote")
    else:
        with pytest.raises(ValidationError):
            Answer.model_validate_json(reply.text)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_passes_is_tried_again(server: Server, status: int) -> None:
    server.change(rules=[fault("status", status=status, times=2)])
    assert [reply.stop for reply in ask(server)] == ["end_turn"]
    assert server.asked("messages") == 3


@pytest.mark.parametrize("do", ["drop", "drop_before", "cut", "hang"])
def test_a_lost_connection_is_tried_again(server: Server, do: str) -> None:
    server.change(rules=[fault(do)])
    assert [reply.stop for reply in ask(server, timeout_s=2 if do == "hang" else 60)] == ["end_turn"]
    assert server.asked("messages") == 2


@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms"])
def test_the_wait_that_is_asked_for_is_kept(server: Server, header: str) -> None:
    after = {"retry-after": "1", "retry-after-ms": "1000"}[header]
    server.change(rules=[fault("status", status=429, headers={header: after})])
    start = time.monotonic()
    assert [reply.stop for reply in ask(server)] == ["end_turn"]
    assert time.monotonic() - start >= 1.0


def test_who_waits_is_told_why(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(service, "TOLD_WAIT_S", 0.5)
    server.change(rules=[fault("status", status=429, headers={"retry-after": "0.6"})])
    said: list[str] = []
    backend = Messages(settings(server), Desk("m", tmp_path, say=said.append))
    assert [reply.stop for reply in backend.answer([request()])] == ["end_turn"]
    backend.close()
    assert said == ["waiting for the service (429), next try in 1 s"]


def test_a_wait_beyond_the_deadline_fails_at_once(server: Server) -> None:
    server.change(rules=[fault("status", status=429, headers={"retry-after": "3600"}, times=None)])
    start = time.monotonic()
    (reply,) = ask(server, deadline_s=200)
    assert (reply.failure, server.asked("messages")) == ("transport", 1)
    assert time.monotonic() - start < 200


def test_patience_ends_at_the_deadline(server: Server) -> None:
    server.change(rules=[fault("status", status=529, times=None)])
    (reply,) = ask(server, deadline_s=1.5)
    assert (reply.failure, reply.text) == ("transport", "")
    assert server.asked("messages") > 2


def test_a_server_that_never_answers_is_left_at_the_deadline(server: Server) -> None:
    server.change(rules=[fault("hang", times=None)])
    assert [reply.failure for reply in ask(server, timeout_s=0.2, deadline_s=0.6)] == ["transport"]


def test_the_server_may_forbid_another_attempt(server: Server) -> None:
    server.change(rules=[fault("status", status=529, headers={"x-should-retry": "false"}, times=None)])
    assert [reply.failure for reply in ask(server)] == ["transport"]
    assert server.asked("messages") == 1


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (400, "correct the judge's settings"),
        (401, "the key in ANTHROPIC_API_KEY is not accepted"),
        (402, "add credit"),
        (403, "use a key with access"),
        (404, "correct judge.model"),
    ],
)
def test_what_all_requests_meet_stops_the_judge(server: Server, status: int, says: str) -> None:
    server.change(rules=[fault("status", status=status, times=None, message="no\nsuch luck")])
    with pytest.raises(ConfigError, match=says) as raised:
        ask(server, 40)
    assert "\n" not in str(raised.value)
    assert "no such luck" in str(raised.value)
    assert server.asked("messages") < 12  # of 40: not one more than was under way


def test_an_unknown_model_stops_the_judge(server: Server) -> None:
    with pytest.raises(ConfigError, match=r"no 'opus'.*correct judge\.model"):
        ask(server, model="opus")


def test_a_spend_limit_stops_the_judge(server: Server) -> None:
    details = {"error_code": "enforced_spend_limit_reached"}
    error = {"type": "rate_limit_error", "message": "limit", "details": details}
    body = json.dumps({"type": "error", "error": error})
    rule = fault("raw", status=429, body=body, type="application/json", times=None)
    server.change(rules=[rule])
    with pytest.raises(ConfigError, match="spend limit"):
        ask(server)
    assert server.asked("messages") == 1


def test_one_refused_request_is_its_own_matter(server: Server) -> None:
    rule = fault("status", status=400, type="invalid_request_error", message="odd text", match="Scenario 0.")
    server.change(rules=[rule])
    replies = {reply.key: reply for reply in ask(server, 6)}
    odd = replies.pop(request(0).key)
    assert (odd.failure, odd.detail) == ("errored", "odd text")
    assert {reply.failure for reply in replies.values()} == {""}
    assert len(replies) == 5


@pytest.mark.parametrize(
    ("status", "message", "stop"),
    [
        (413, "Request exceeds the maximum size", "model_context_window_exceeded"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "model_context_window_exceeded"),
        (400, "Output blocked by content filtering policy", "refusal"),
    ],
)
def test_errors_about_one_prompt_are_replies(server: Server, status: int, message: str, stop: str) -> None:
    server.change(rules=[fault("status", status=status, message=message)])
    (reply,) = ask(server)
    assert (reply.failure, reply.stop, reply.detail) == ("", stop, message)


def test_a_prompt_that_the_model_cannot_read(server: Server) -> None:
    server.change(most_tokens=20)
    backend = Messages(settings(server))
    replies = list(backend.answer([request(user="so " * 60), request(user="so")]))
    assert sorted(reply.stop for reply in replies) == ["end_turn", "model_context_window_exceeded"]


@pytest.mark.parametrize(
    ("body", "type"),
    [("<html>please log in</html>", "text/html"), ("{}", "application/json"), ("{", "application/json")],
)
def test_another_kind_of_server_stops_the_judge(server: Server, body: str, type: str) -> None:
    server.change(rules=[fault("raw", body=body, type=type, times=None)])
    with pytest.raises(ConfigError, match="not the Messages API"):
        ask(server, 9)


def test_an_address_that_nobody_listens_at(server: Server) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ConfigError, match=rf"nobody answers at {url}.*check judge\.base_url"):
        ask(server, 3, base_url=url)
    with pytest.raises(ConfigError, match=r"begin it with https"):
        ask(server, base_url="api.anthropic.com")


@pytest.mark.parametrize("key", ["", "  ", "sk-ant-new\nline", "sk-ant-schlüssel"])
def test_a_key_that_cannot_be(server: Server, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY") as raised:
        ask(server)
    assert not key.strip() or key not in str(raised.value)


def test_a_key_is_needed_only_to_ask(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    Messages(settings(server)).close()
    monkeypatch.setenv("OTHER", KEY)
    assert [reply.stop for reply in ask(server, key_env="OTHER")] == ["end_turn"]


def test_no_key_in_any_error_record_or_log(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("anthropic", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, name)
    monkeypatch.setenv("ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE", "content")
    shown: list[str] = []
    for status in (400, 401, 403, 404, 413, 429, 500):
        echo = f"key {KEY} at fault"
        server.change(rules=[fault("status", status=status, message=echo, times=None)])
        backend = Messages(settings(server, deadline_s=0.05))
        try:
            shown += [reply.model_dump_json() + repr(reply) for reply in backend.answer([request()])]
        except ConfigError as error:
            shown += ["".join(traceback.format_exception(error)), repr(error)]
        shown += [repr(backend), repr(vars(backend))]
    assert len(shown) > 14
    assert "(key) at fault" in "".join(shown)
    assert caplog.text
    assert KEY not in "".join(shown) + caplog.text


def test_debug_logging_by_environment_shows_no_key(server: Server) -> None:
    code = (
        "from dyad.judge.models.anthropic import *\n"
        "from pydantic import BaseModel\n"
        "class A(BaseModel):\n    x: bool\n"
        f"s = AnthropicSettings(model='claude-opus-5', base_url='{server.url}')\n"
        "print(list(Messages(s).answer([Request('0' * 64, (), 'hello', A, 64)])))"
    )
    env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_LOG": "debug", "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "end_turn" in done.stdout
    assert "DEBUG" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_a_deprecated_model_is_recorded_not_shown(server: Server) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (reply,) = ask(server, model="claude-sonnet-4-5")
    assert reply.stop == "end_turn"
    assert reply.detail.startswith("deprecated, ends ")


def test_never_more_is_drawn_than_is_sent(server: Server) -> None:
    server.change(latency_s=0.02)
    drawn: list[int] = []

    def requests() -> Iterator[Request]:
        for n in range(12):
            drawn.append(n)
            yield request(n)

    came = 0
    for _ in Messages(settings(server, concurrency=3)).answer(requests()):
        came += 1
        assert len(drawn) <= came + 3
    assert came == len(drawn) == 12


def test_what_is_under_way_comes_before_the_error(server: Server) -> None:
    server.change(latency_s=0.05)

    def requests() -> Iterator[Request]:
        yield from (request(n) for n in range(3))
        raise BudgetReached("enough")

    replies: list[Reply] = []
    with pytest.raises(BudgetReached):
        replies.extend(iter_into(replies, Messages(settings(server)).answer(requests())))
    assert [reply.stop for reply in replies] == ["end_turn"] * 3
    assert server.asked("messages") == 3


def iter_into(replies: list[Reply], found: Iterator[Reply]) -> list[Reply]:
    """Keep what comes, also where an error ends it."""
    for reply in found:
        replies.append(reply)
    return []


def test_many_at_a_time(server: Server) -> None:
    server.change(latency_s=0.2, keep=False)
    start = time.monotonic()
    replies = ask(server, 64, concurrency=32)
    assert len({reply.key for reply in replies}) == 64
    assert time.monotonic() - start < 64 * 0.2  # one after the other


def test_tokens_are_counted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = Messages(settings(server, thinking="adaptive"))
    short, long = backend.count(request()), backend.count(request(user=TALK * 20))
    assert short is not None
    assert long is not None
    assert 0 < short < long
    server.change(rules=[{"on": "count", "do": "status", "status": 529}])
    assert backend.count(request()) is None
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    backend.close()
    with pytest.raises(ConfigError, match="not accepted"):
        backend.count(request())


def test_a_closed_backend_opens_again(server: Server) -> None:
    backend = Messages(settings(server))
    for _ in range(2):
        assert [reply.stop for reply in backend.answer([request()])] == ["end_turn"]
        backend.close()


@given(st.text(min_size=1, max_size=200))
def test_any_text_can_be_sent(one_server: Server, text: str) -> None:
    from dyad.judge.models.anthropic import params

    sent = params(settings(one_server), request(user=text))
    assert sent["messages"][0]["content"][0]["text"] == text
    assert "temperature" not in sent


@pytest.mark.parametrize(
    "wrong",
    [
        {"effort": "most"}, {"thinking": "often"}, {"batch_size": 100_001}, {"poll_s": 0},
        {"thinking": "enabled", "thinking_tokens": 4096}, {"temperature": 0}, {"thinking_tokens": 10},
    ],
)  # fmt: skip
def test_settings_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AnthropicSettings(model="claude-opus-5", **wrong)


def test_where_and_how_fast_change_no_label() -> None:
    base = AnthropicSettings(model="claude-opus-5")
    fast = base.model_copy(update={"batch": True, "poll_s": 1.0, "batch_size": 5, "concurrency": 64})
    assert identity(FAMILY, base) == identity(FAMILY, fast)
    assert identity(FAMILY, base) != identity(FAMILY, base.model_copy(update={"effort": "high"}))
    assert set(FAMILY.local) >= set(LOCAL)
    assert FAMILY.model


@pytest.mark.parametrize("batch", [False, True])
def test_from_tasks_to_labels(server: Server, tmp_path: Path, batch: bool) -> None:
    """One in twelve of the known-answer set: every label stands, and a second run asks nothing."""
    tasks = [Task(str(i), known.subject) for i, known in enumerate(known_answers(load_library())[::12])]
    chosen = settings(server, batch=batch, poll_s=0.05)
    desk = Desk("claude", tmp_path)
    runs = [{judged.key: judged for judged in FAMILY.open(chosen, desk)(tasks)} for _ in range(2)]
    asked = server.get("stats")["asked"]
    assert runs[0] == runs[1]
    assert runs[0].keys() == {task.key for task in tasks}
    labels = [label for judged in runs[0].values() for label in judged.labels or ()]
    assert {label.status for label in labels} <= {"ok", "no_speech"}
    assert len(labels) > len(tasks)
    assert (asked.get("create", 0) > 0, asked.get("messages", 0) > 0) == (batch, not batch)
    before = sum(asked.values())
    list(FAMILY.open(chosen, desk)(tasks))
    assert sum(server.get("stats")["asked"].values()) == before
