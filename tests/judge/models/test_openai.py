"""Chat completions through the real client, against stand-ins for four services in processes of their own."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from dyad.errors import ConfigError
from dyad.http.client import SETTINGS
from dyad.judge.case import Case
from dyad.judge.known import known_answers
from dyad.judge.models import service as waits
from dyad.judge.models.chat import OpenAISettings
from dyad.judge.models.openai import FAMILY, OpenAI
from dyad.judge.models.service import DOUBTS
from dyad.judge.models.types import Reply, Request
from dyad.judge.protocol import Desk, Task
from dyad.library import load_library
from dyad.spec import Frozen

SERVER = Path(__file__).parents[1] / "wire" / "openai_server.py"
KEY = "sk-local-0123456789abcdef"
SERVICES = [  # service, how it takes a schema
    ("openai", "response_format"),
    ("vllm", "structured_outputs"),
    ("vllm", "response_format"),
    ("llama", "response_format"),
    ("llama", "json_object"),
    ("ollama", "format"),
    ("ollama", "response_format"),
    ("ollama", "none"),
]
FRESH = {
    "rules": [], "latency_s": 0, "most_tokens": 128_000, "answers_as": "", "cached": 0, "written": 0,
    "key": "", "asked": {}, "seeds": {}, "bodies": [],
}  # fmt: skip
TALK = "A1 [0.80-4.80] A: marina office, it is the Tern | started over by B1\nB1 [2.40-2.88] B: mm-hm"


class Cited(Frozen):
    """A line and words of it."""

    line: str
    quote: str


class Answer(Frozen):
    """A reply whose fields are not in the order of the alphabet."""

    evidence: list[Cited]
    choice: Literal["Tern", "none"]


@dataclass(frozen=True)
class Server:
    """A stand-in that runs."""

    port: int

    def change(self, **settings: Any) -> None:
        body = json.dumps(settings).encode()
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_faults", body, timeout=200).close()

    def get(self, what: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_{what}", timeout=200) as answer:
            return json.load(answer)

    @property
    def asked(self) -> int:
        """How many requests came, admitted or not."""
        return sum(self.get("stats")["asked"].values())

    def backend(self, **settings: Any) -> OpenAI:
        fields = {"model": "m-small", "base_url": f"http://127.0.0.1:{self.port}/v1"}
        fields |= {"concurrency": 4, "deadline_s": 200}
        return OpenAI(OpenAISettings(**(fields | settings)))


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Server]]:
    """One of each, for all tests here."""
    command = [sys.executable, str(SERVER), "--keep", "--service"]
    running = {
        service: subprocess.Popen([*command, service], stdout=subprocess.PIPE, text=True)
        for service in ("openai", "vllm", "llama", "ollama")
    }
    try:
        yield {name: Server(int(process.stdout.readline())) for name, process in running.items()}
    finally:
        for process in running.values():
            process.terminate()
            process.communicate()


@pytest.fixture
def server(servers: dict[str, Server]) -> Server:
    """The stand-in for OpenAI, as new."""
    return fresh(servers["openai"])


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(waits, "MOST_WAIT_S", 0.1)


def fresh(server: Server) -> Server:
    server.change(**FRESH)
    return server


def request(
    key: str = "0" * 64, system: tuple[str, ...] = ("Rules.", "Scenario."), user: str = TALK
) -> Request:
    return Request(key, system, user, Answer, 300)


def many(n: int) -> list[Request]:
    return [request(f"{i:064x}") for i in range(n)]


def parsed(reply: Reply) -> dict[str, Any]:
    """The object of a reply, taken out of a fence if it has one."""
    found = json.loads(reply.text.removeprefix("```json\n").removesuffix("\n```"))
    assert isinstance(found, dict)
    return found


def ask(backend: OpenAI, *requests: Request) -> list[Reply]:
    replies = list(backend.answer(requests or [request()]))
    backend.close()
    return replies


@pytest.mark.parametrize(("service", "schema_as"), SERVICES)
def test_a_reply_that_fits_its_schema(servers: dict[str, Server], service: str, schema_as: str) -> None:
    server = fresh(servers[service])
    server.change(answers_as="m-small-2026-11-30")
    (reply,) = ask(server.backend(schema_as=schema_as))
    assert (reply.stop, reply.failure, reply.key) == ("end_turn", "", "0" * 64)
    assert (reply.requested, reply.model) == ("m-small", "m-small-2026-11-30")
    cited = Cited(line="A1", quote="marina office, it is the Tern")
    assert cited in Answer.model_validate(parsed(reply)).evidence
    assert reply.usage.input > 10
    assert reply.usage.output > 5
    assert reply.utc.startswith("20")


@pytest.mark.parametrize(("service", "schema_as"), SERVICES)
def test_fields_are_written_in_the_order_of_the_schema(
    servers: dict[str, Server], service: str, schema_as: str
) -> None:
    (reply,) = ask(fresh(servers[service]).backend(schema_as=schema_as))
    assert list(parsed(reply)) == ["evidence", "choice"]


def test_instructions_and_data_are_kept_apart(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    ask(server.backend(key_env="SOME_KEY"))
    (body,) = server.get("bodies")
    assert body["messages"] == [
        {"role": "system", "content": "Rules.\n\nScenario."},
        {"role": "user", "content": TALK},
    ]
    assert (body["max_tokens"], body["temperature"], body["stream"]) == (300, 0, False)
    assert KEY not in json.dumps(body)


def test_what_is_unset_is_not_sent(server: Server) -> None:
    ask(server.backend(model="gpt-5m", temperature=None, seed=None, max_tokens_as="max_completion_tokens"))
    (body,) = server.get("bodies")
    assert set(body) == {"model", "messages", "stream", "max_completion_tokens", "response_format"}


def test_effort_is_sent(server: Server) -> None:
    ask(server.backend(effort="low"))
    assert server.get("bodies")[0]["reasoning_effort"] == "low"


def test_ollama_is_told_how_much_context_to_load(servers: dict[str, Server]) -> None:
    server = fresh(servers["ollama"])
    ask(server.backend(schema_as="format", context=8192))
    (body,) = server.get("bodies")
    assert body["options"] == {
        "temperature": 0,
        "num_predict": 300,
        "num_ctx": 8192,
        "seed": body["options"]["seed"],
    }
    assert body["truncate"] is False


@pytest.mark.parametrize(("service", "schema_as"), [("openai", "response_format"), ("ollama", "format")])
def test_draws_have_seeds_of_their_own_that_are_the_same_every_time(
    servers: dict[str, Server], service: str, schema_as: str
) -> None:
    def seeds(**settings: Any) -> dict[str, int]:
        server = fresh(servers[service])
        ask(server.backend(schema_as=schema_as, **settings), *many(20))
        return server.get("stats")["seeds"]

    first = seeds()
    assert len(first) == 20
    assert seeds() == first
    assert not set(seeds(seed=1)) & set(first)
    assert set(seeds(seed=None)) == {"None"}


@pytest.mark.parametrize(
    ("rule", "stop", "detail"),
    [
        ({"do": "refusal"}, "refusal", "I'm sorry, I can't help with that."),
        ({"do": "content_filter"}, "refusal", "content_filter"),
        ({"do": "length"}, "max_tokens", ""),
        ({"do": "prose"}, "end_turn", ""),
        ({"do": "wrong_quote"}, "end_turn", ""),
        ({"do": "status", "status": 413}, "model_context_window_exceeded", "scripted scripted"),
        (
            {"do": "status", "status": 500, "message": "the request exceeds the available context size"},
            "model_context_window_exceeded",
            "scripted the request exceeds the available context size",
        ),
        (
            {"do": "status", "status": 400, "code": "content_filter"},
            "refusal",
            "content_filter scripted scripted",
        ),
    ],
)
def test_why_a_reply_stopped(server: Server, rule: dict[str, Any], stop: str, detail: str) -> None:
    server.change(rules=[rule])
    (reply,) = ask(server.backend())
    assert (reply.stop, reply.detail, reply.failure) == (stop, detail, "")
    assert server.asked == 1


@pytest.mark.parametrize(
    ("service", "schema_as", "place"),
    [
        ("vllm", "structured_outputs", "reasoning_content"),
        ("vllm", "structured_outputs", "reasoning"),
        ("llama", "response_format", "parts"),
        ("ollama", "format", "thinking"),
    ],
)
def test_a_reply_is_found_wherever_the_service_puts_it(
    servers: dict[str, Server], service: str, schema_as: str, place: str
) -> None:
    server = fresh(servers[service])
    server.change(rules=[{"do": place}])
    (reply,) = ask(server.backend(schema_as=schema_as))
    assert Answer.model_validate(parsed(reply))


@pytest.mark.parametrize(
    ("service", "says"), [("openai", False), ("vllm", True), ("llama", True), ("ollama", True)]
)
def test_which_model_answers(servers: dict[str, Server], service: str, says: bool) -> None:
    server, found = fresh(servers[service]), []
    for model in ("m-one", "m-two", "m-one"):
        server.change(answers_as=model)
        found.append(server.backend().serves())
    first, other, again = found
    assert first == again
    assert bool(first) is says
    assert (first != other) is says


def test_nobody_says_which_model_answers(servers: dict[str, Server], free_port: int) -> None:
    gone = f"http://127.0.0.1:{free_port}/v1"
    assert OpenAI(OpenAISettings(model="m", base_url=gone)).serves() is None
    keyless = OpenAISettings(model="m", base_url=gone, key_env="NO_SUCH_KEY")
    assert OpenAI(keyless).serves() is None


@pytest.mark.parametrize(
    ("variable", "value"),
    [("ALL_PROXY", "socks5://127.0.0.1:9"), ("SSL_CERT_FILE", "nowhere.pem"), ("HTTP_PROXY", "ftp://x")],
)
def test_a_setting_of_the_machine_that_breaks_connections_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    for other in SETTINGS:
        monkeypatch.delenv(other, raising=False)
        monkeypatch.delenv(other.lower(), raising=False)
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=rf"unset {variable}$"):
        ask(OpenAI(OpenAISettings(model="m", base_url="https://judge.example/v1")))
    assert ask(server.backend())[0].stop == "end_turn"  # loopback needs neither


def test_a_dead_proxy_is_blamed_and_not_the_server(
    server: Server, monkeypatch: pytest.MonkeyPatch, free_port: int
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port}")
    with pytest.raises(ConfigError, match="through the proxy that HTTP_PROXY names"):
        ask(OpenAI(OpenAISettings(model="m", base_url="http://judge.example/v1")))
    assert ask(server.backend())[0].stop == "end_turn"


@pytest.mark.parametrize(
    ("service", "schema_as"),
    [
        ("openai", "response_format"),
        ("vllm", "structured_outputs"),
        ("llama", "json_object"),
        ("ollama", "format"),
    ],
)
def test_a_prompt_beyond_the_context_is_no_error_and_never_shortened(
    servers: dict[str, Server], service: str, schema_as: str
) -> None:
    server = fresh(servers[service])
    server.change(most_tokens=600)
    long, short = request("1" * 64, user=TALK + " tern" * 5000), request("2" * 64)
    replies = {reply.key: reply for reply in ask(server.backend(schema_as=schema_as), long, short)}
    assert replies["1" * 64].stop == "model_context_window_exceeded"
    assert replies["2" * 64].stop == "end_turn"


@pytest.mark.parametrize(
    "rule",
    [
        {"do": "status", "status": 429, "headers": {"retry-after": "0.05"}},
        {"do": "status", "status": 429, "headers": {"retry-after-ms": "50"}},
        {"do": "status", "status": 429, "headers": {"retry-after": "Mon, 30 Nov 2026 08:00:00 GMT"}},
        {"do": "status", "status": 408},
        {"do": "status", "status": 409},
        {"do": "status", "status": 500},
        {"do": "status", "status": 529},
        {"do": "drop"},
        {"do": "cut"},
        {"do": "hang"},
        {"do": "raw", "body": "<html>busy</html>", "type": "text/html"},
        {"do": "raw", "body": '{"choices": [], "error": {"message": "busy"}}'},
        {"do": "raw", "body": '{"choices": [{"message": {"content": "cut o'},
    ],
)
def test_what_passes_is_tried_again(server: Server, rule: dict[str, Any]) -> None:
    server.change(rules=[rule | {"times": 2}])
    (reply,) = ask(server.backend(timeout_s=1.0))
    assert reply.stop == "end_turn"
    assert server.asked == 3


def test_answers_that_nobody_can_read_are_not_paid_for_again_and_again(server: Server) -> None:
    server.change(rules=[{"do": "raw", "body": '{"choices": []}', "times": None}])
    with pytest.raises(ConfigError, match="no chat completion in the answer"):
        ask(server.backend())
    assert server.asked == 3


def test_what_does_not_pass_fails_one_request_alone(server: Server) -> None:
    server.change(rules=[{"do": "status", "status": 503, "times": None, "match": "Heron"}])
    backend = server.backend(deadline_s=1.5)
    replies = ask(backend, *many(5), request("f" * 64, user="A1 [0.00-1.00] A: Heron"))
    assert [reply.stop for reply in replies if not reply.failure] == ["end_turn"] * 5
    (failed,) = (reply for reply in replies if reply.failure)
    assert (failed.key, failed.failure) == ("f" * 64, "transport")
    assert failed.detail == "HTTP 503 scripted scripted"
    assert server.asked > 5 + 2


def test_a_wait_beyond_the_deadline_is_not_begun(server: Server) -> None:
    server.change(rules=[{"do": "status", "status": 429, "headers": {"retry-after": "30"}, "times": None}])
    start = time.monotonic()
    (reply,) = ask(server.backend(deadline_s=25))
    assert reply.failure == "transport"
    assert time.monotonic() - start < 25
    assert server.asked == 1


def test_who_waits_is_told_why(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "TOLD_WAIT_S", 0.5)
    server.change(rules=[{"do": "status", "status": 429, "headers": {"retry-after": "0.6"}}])
    said: list[str] = []
    url = f"http://127.0.0.1:{server.port}/v1"
    (reply,) = ask(OpenAI(OpenAISettings(model="m-small", base_url=url, deadline_s=20), said.append))
    assert reply.stop == "end_turn"
    assert said == ["waiting for the service (429), next try in 1 s"]


def test_a_wait_that_is_asked_for_is_kept(server: Server) -> None:
    server.change(rules=[{"do": "status", "status": 429, "headers": {"retry-after": "0.6"}}])
    start = time.monotonic()
    ask(server.backend())
    assert time.monotonic() - start >= 0.6


@pytest.mark.parametrize(
    ("service", "settings", "rule", "says"),
    [
        ("openai", {"model": "none"}, {}, "'none'.* has no such model"),
        ("vllm", {"model": "none"}, {}, "has no such model"),
        ("ollama", {"model": "none", "schema_as": "format"}, {}, "has no such model"),
        ("openai", {}, {"status": 402}, "add credit"),
        ("openai", {}, {"status": 403}, "does not admit a request without a key"),
        ("openai", {}, {"status": 429, "code": "insufficient_quota"}, "add credit"),
    ],
)
def test_what_fails_every_request_stops_the_judge_at_once(
    servers: dict[str, Server], service: str, settings: dict[str, Any], rule: dict[str, Any], says: str
) -> None:
    server = fresh(servers[service])
    server.change(rules=[{"do": "status", **rule}] if rule else [])
    with pytest.raises(ConfigError, match=says) as caught:
        ask(server.backend(concurrency=1, **settings), *many(3))
    assert "\n" not in str(caught.value)
    assert server.asked <= 2


@pytest.mark.parametrize(
    ("settings", "rule", "says"),
    [
        ({"schema_as": "structured_outputs"}, {}, "Unrecognized request argument"),
        ({"model": "gpt-5m"}, {}, "Use 'max_completion_tokens' instead"),
        ({}, {"status": 307}, "HTTP 307"),
        ({}, {"status": 422}, "HTTP 422"),
    ],
)
def test_what_is_refused_of_every_request_stops_the_judge_soon(
    server: Server, settings: dict[str, Any], rule: dict[str, Any], says: str
) -> None:
    server.change(rules=[{"do": "status", "times": None, **rule}] if rule else [])
    with pytest.raises(ConfigError, match=says):
        ask(server.backend(concurrency=1, **settings), *many(10))
    assert DOUBTS <= server.asked <= DOUBTS + 1


def test_what_is_refused_of_one_request_is_its_own_matter(server: Server) -> None:
    server.change(rules=[{"do": "status", "status": 400, "times": None, "match": "Heron"}])
    backend, odd = server.backend(concurrency=1), request("f" * 64, user="Heron")
    replies = ask(backend, odd, *many(3))
    assert sorted((reply.failure, reply.key == odd.key) for reply in replies) == [
        ("", False), ("", False), ("", False), ("errored", True),
    ]  # fmt: skip
    (later,) = ask(backend, odd)
    assert later.failure == "errored"


def test_what_is_under_way_when_a_judge_stops_is_kept(server: Server) -> None:
    bad = {"do": "status", "status": 403, "match": "Heron"}
    server.change(rules=[bad], latency_s=0.3)
    got: list[Reply] = []
    with pytest.raises(ConfigError):
        got.extend(server.backend().answer([*many(3), request("f" * 64, user="Heron"), *many(9)]))
    assert len(got) == 3
    assert server.asked == 4


def test_a_key_is_read_from_its_variable_and_shown_nowhere(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.change(key=KEY)
    monkeypatch.setenv("SOME_KEY", KEY)
    echo = {"do": "status", "status": 500, "message": f"Bearer {KEY} met an error", "times": None}
    server.change(rules=[echo | {"match": "Heron"}])
    backend = server.backend(key_env="SOME_KEY", concurrency=1, deadline_s=0.3)
    right, failed = ask(backend, request(), request("1" * 64, user="Heron"))
    assert right.stop == "end_turn"
    assert failed.failure == "transport"
    assert "met an error" in failed.detail
    assert KEY not in failed.model_dump_json()
    monkeypatch.setenv("SOME_KEY", "sk-wrong-key")
    with pytest.raises(ConfigError, match="SOME_KEY") as caught:
        ask(server.backend(key_env="SOME_KEY"))
    assert "wrong-key" not in str(caught.value)


def test_a_variable_without_a_key_is_an_error_before_anything_is_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(ConfigError, match="no key in the variable SOME_KEY"):
        ask(server.backend(key_env="SOME_KEY"))
    assert server.asked == 0


def test_a_key_that_no_header_carries_is_not_quoted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-ключ")
    with pytest.raises(ConfigError, match="SOME_KEY") as caught:
        ask(server.backend(key_env="SOME_KEY"))
    assert "ключ" not in str(caught.value)


def test_an_address_where_nothing_answers(server: Server) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(ConfigError, match="nothing answers at http://127"):
            ask(server.backend(base_url=url))


def test_requests_are_drawn_only_when_they_can_start(server: Server) -> None:
    drawn: list[Request] = []
    endless = (drawn.append(one) or one for one in map(request, (f"{i:064x}" for i in itertools.count())))
    backend = server.backend(concurrency=3)
    replies = backend.answer(endless)
    for taken in range(1, 11):
        assert next(replies).stop == "end_turn"
        assert len(drawn) <= taken + 2
    replies.close()
    backend.close()
    time.sleep(0.1)
    assert server.asked <= len(drawn)
    assert len(drawn) <= 12


def test_many_are_under_way_at_a_time(server: Server) -> None:
    server.change(latency_s=0.5)
    start = time.monotonic()
    assert len(ask(server.backend(concurrency=16), *many(16))) == 16
    assert time.monotonic() - start < 16 * 0.5  # one after the other


def test_one_answers_again_after_it_was_closed(server: Server) -> None:
    backend = server.backend()
    assert [reply.stop for reply in ask(backend) + ask(backend)] == ["end_turn"] * 2


def test_tokens_from_a_cache_are_counted_apart(server: Server) -> None:
    (whole,) = ask(server.backend())
    server.change(cached=12, written=5)
    (part,) = ask(server.backend())
    assert (part.usage.cache_read, part.usage.cache_write) == (12, 5)
    assert part.usage.input == whole.usage.input - 17


def test_vllm_counts_tokens_and_others_do_not(servers: dict[str, Server]) -> None:
    counting = fresh(servers["vllm"]).backend(schema_as="structured_outputs")
    short, long = (counting.count(request(user=text)) for text in (TALK, 3 * TALK))
    assert short
    assert long
    assert 10 < short < long
    assert fresh(servers["openai"]).backend(schema_as="structured_outputs").count(request()) is None
    silent = fresh(servers["ollama"])
    assert silent.backend().count(request()) is None
    assert silent.asked == 0


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host/v1",
        "https://user:pw@host/v1",
        "",
        "http://:80/v1",
        "http://host:port/v1",
    ],
)
def test_addresses_that_are_not_taken(url: str) -> None:
    with pytest.raises(ValidationError, match="base_url"):
        OpenAISettings(model="m", base_url=url)


def test_where_and_how_fast_is_no_part_of_a_judge() -> None:
    assert FAMILY.model
    assert (
        {"base_url", "key_env", "concurrency", "price"}
        <= set(FAMILY.local)
        <= set(FAMILY.params.model_fields)
    )
    assert not {"model", "temperature", "seed", "schema_as"} & set(FAMILY.local)


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """The first known conversation of every archetype."""
    first: dict[str, Task] = {}
    for number, known in enumerate(known_answers(load_library())):
        if isinstance(known.subject, Case):
            first.setdefault(known.subject.scenario.archetype, Task(str(number), known.subject))
    return list(first.values())


@pytest.mark.parametrize(
    ("service", "schema_as"),
    [
        ("openai", "response_format"),
        ("vllm", "structured_outputs"),
        ("llama", "json_object"),
        ("ollama", "none"),
    ],
)
def test_every_archetype_is_judged(
    servers: dict[str, Server], tasks: list[Task], tmp_path: Path, service: str, schema_as: str
) -> None:
    url = f"http://127.0.0.1:{fresh(servers[service]).port}/v1"
    settings = OpenAISettings(model="m-small", base_url=url, schema_as=schema_as, deadline_s=20)
    judge = FAMILY.open(settings, Desk("m", tmp_path))
    judged = {one.key: one for one in judge(tasks)}
    assert len(judged) == len(tasks) > 8
    assert [one.error for one in judged.values() if one.labels is None] == []
    statuses = [label.status for one in judged.values() for label in one.labels or ()]
    assert statuses.count("ok") > len(statuses) / 2
    asked = servers[service].asked
    assert asked >= len(tasks)
    assert {one.key: one.labels for one in judge(tasks)} == {key: one.labels for key, one in judged.items()}
    assert servers[service].asked == asked, "what was answered is not asked again"


@pytest.mark.slow
def test_a_real_small_model_answers_in_the_schema() -> None:
    pytest.importorskip("llama_cpp.server.app", reason="needs llama-cpp-python[server]")
    model = os.environ.get("DYAD_GGUF", "")
    if not model:
        pytest.skip("DYAD_GGUF names no GGUF model")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["-m", "llama_cpp.server", "--model", model, "--port", str(port), "--n_ctx", "1024"]
    with subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            local = Server(port).backend(
                model=model, schema_as="json_object", concurrency=1, temperature=1.0, timeout_s=300
            )
            short, long = request(), request("1" * 64, user=TALK * 200)
            first, again, beyond = ask(local, short, short, long)
        finally:
            process.terminate()
    assert first.stop in ("end_turn", "max_tokens")
    assert first.text == again.text, "the same seed must draw the same reply"
    if first.stop == "end_turn":
        Answer.model_validate_json(first.text)
    assert first.usage.input > 20
    assert beyond.stop == "model_context_window_exceeded"


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    pytest.fail("the model's server did not start")
