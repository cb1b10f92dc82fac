"""The llm policy against a real local server that speaks the chat completion protocol."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from dyad.agents.cascade.llm import make_llm, split_reply
from dyad.agents.cascade.types import LlmParams, Policy, Temperament
from dyad.errors import ConfigError, DyadError
from dyad.spec import Prompt

PROMPT = Prompt(text="A market square.\n\nYou are Rolf with one corner left.")


@dataclass
class Endpoint:
    """What the server answers, and what it was asked."""

    url: str = ""
    reply: str = "Good morning. The corner is eighty."
    status: int = 200
    raw: bytes | None = None
    wait_s: float = 0.0
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.paths.append(self.path)
            state.keys.append(self.headers["Authorization"])
            state.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            time.sleep(state.wait_s)
            answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": state.reply}}]}
            body = json.dumps(answer).encode() if state.raw is None else state.raw
            self.send_response(state.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield state
    server.shutdown()
    server.server_close()


def policy_of(endpoint: Endpoint, temper: Temperament | None = None, **params: Any) -> Policy:
    params = {"base_url": endpoint.url, "model": "tiny"} | params
    return make_llm(PROMPT, LlmParams(**params), temper or Temperament(), np.random.default_rng(5))


def test_a_turn_is_one_chat_completion(endpoint: Endpoint) -> None:
    says = policy_of(endpoint, max_tokens=33, temperature=0.2).open()
    assert [s.text for s in says] == ["Good morning.", "The corner is eighty."]
    body = endpoint.bodies[0]
    assert endpoint.paths == ["/v1/chat/completions"]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("tiny", 33, 0.2)
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert body["messages"][0]["content"].startswith(PROMPT.text)


def test_only_what_was_said_enters_the_history(endpoint: Endpoint) -> None:
    policy = policy_of(endpoint)
    first, second = policy.open()
    policy.spoken(first, 1.0)
    policy.spoken(second, 0.5)
    policy.hear("Too much for me.")
    roles = [(m["role"], m["content"]) for m in endpoint.bodies[1]["messages"]][2:]
    assert roles == [("assistant", "Good morning. The corner –"), ("user", "Too much for me.")]


def test_a_sentence_that_never_began_is_forgotten_and_sides_alternate(endpoint: Endpoint) -> None:
    policy = policy_of(endpoint)
    for say in policy.hear("Hello."):
        policy.spoken(say, 0.0)
    policy.hear("Are you there?")
    assert [m["content"] for m in endpoint.bodies[1]["messages"][1:]] == ["Hello. Are you there?"]


def test_silence_is_borne_before_the_model_is_asked(endpoint: Endpoint) -> None:
    policy = policy_of(endpoint)
    assert not policy.silence(1.0)
    assert not policy.partial("and another thing")
    assert not endpoint.bodies
    assert policy.silence(9.0)
    assert "9 seconds" in endpoint.bodies[0]["messages"][1]["content"]


def test_the_key_comes_from_the_named_variable(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "abc")
    policy_of(endpoint, key_env="SOME_KEY").open()
    assert endpoint.keys == ["Bearer abc"]
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(ConfigError, match="SOME_KEY"):
        policy_of(endpoint, key_env="SOME_KEY")


def test_temperament_is_told_and_the_seed_follows_the_generator(endpoint: Endpoint) -> None:
    for temper in (Temperament(), Temperament(patience=0.1)):
        policy_of(endpoint, temper).open()
    neutral, hasty = (b["messages"][0]["content"] for b in endpoint.bodies)
    assert "impatient" in hasty
    assert "impatient" not in neutral
    assert endpoint.bodies[0]["seed"] == endpoint.bodies[1]["seed"]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"status": 500}, "answered 500"),
        ({"raw": b"<html>"}, "JSON"),
        ({"raw": b"{}"}, "without choices"),
        ({"reply": ""}, "empty reply"),
        ({"reply": "(nods) ..."}, "empty reply"),
    ],
)
def test_a_failed_reply_is_an_error_never_an_invention(
    endpoint: Endpoint, fault: dict[str, Any], message: str
) -> None:
    for name, value in fault.items():
        setattr(endpoint, name, value)
    with pytest.raises(DyadError, match=message) as caught:
        policy_of(endpoint).open()
    assert "\n" not in str(caught.value)


def test_a_slow_or_absent_endpoint_is_an_error(endpoint: Endpoint) -> None:
    endpoint.wait_s = 1.0
    with pytest.raises(DyadError, match="no answer"):
        policy_of(endpoint, timeout_s=0.1).open()
    with pytest.raises(DyadError, match="is it running"):
        policy_of(endpoint, base_url="http://127.0.0.1:9/v1").open()


def test_goodbye_said_to_the_end_finishes(endpoint: Endpoint) -> None:
    endpoint.reply = "Goodbye then."
    policy = policy_of(endpoint)
    (say,) = policy.hear("Bye.")
    assert not policy.finished
    policy.spoken(say, 1.0)
    assert policy.finished


def test_missing_backends_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    for backend in ("anthropic", "gguf"):
        with pytest.raises(ConfigError) as caught:
            make_llm(PROMPT, LlmParams(backend=backend), Temperament(), np.random.default_rng(0))
        assert (
            "install" in str(caught.value) or "export" in str(caught.value) or "name a" in str(caught.value)
        )


def test_a_reply_becomes_plain_sentences() -> None:
    reply = 'Rolf: (smiles) "Eighty, not less." *waits*\n\nIs that all right?'
    assert split_reply(reply) == ["Eighty, not less.", "Is that all right?"]
