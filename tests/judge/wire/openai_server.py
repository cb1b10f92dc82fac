"""A stand-in on this machine for services with chat completions: OpenAI, vLLM, Ollama, llama.cpp's server.

    python openai_server.py --port 0 --service vllm        # prints its port, serves until it is ended

GET /_stats says how often what was asked, GET /_bodies repeats it, POST /_faults sets what goes wrong:

    {"rules": [{"do": "status", "status": 429, "headers": {"retry-after": "1"}, "times": 2}], "latency_s": 1}

A rule says what to do, how often (`times`, null for always), and what the request must hold (`match`).
Keys beside `rules` change the settings of `World`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from answers import answer_for
from plain_http import Answer, Call, serve
from token_counts import count_tokens, rough_tokens

KNOWN = {
    "model", "messages", "stream", "temperature", "seed", "reasoning_effort", "max_tokens",
    "max_completion_tokens", "response_format", "n", "stop", "top_p", "user", "logprobs", "top_logprobs",
}  # fmt: skip
NOT_STRICT = {"default", "minLength", "maxLength", "prefixItems", "allOf", "not", "if", "uniqueItems"}
FENCED = "```json\n{}\n```"
OLLAMA_CONTEXT = 4096
LISTS = {"ollama": ("/v1/models", "/api/tags")}


class Refused(Exception):
    """A request that gets an error; each service wraps its words differently."""

    def __init__(self, status: int, kind: str, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.code = status, kind, message, code


@dataclass
class World:
    """All that the server knows. Models are those whose id holds `serves`."""

    service: str = "openai"
    serves: str = "m"
    key: str = ""
    negative: bool = False
    latency_s: float = 0.0
    keep: bool = False  # whether bodies are kept
    most_tokens: int = 128_000
    answers_as: str = ""  # the id of the model that answers, where it is not the one asked for
    cached: int = 0  # tokens of each prompt that were in the cache
    written: int = 0  # tokens of each prompt that were put there
    rules: list[dict[str, Any]] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    seeds: Counter[str] = field(default_factory=Counter)
    bodies: list[Any] = field(default_factory=list)


def handle(world: World, call: Call) -> Answer:
    """Answer one request of either kind: the API's, or those that begin with /_."""
    if call.path.startswith("/_"):
        return _admin(world, call)
    world.asked[call.path] += 1
    try:
        _check_key(world, call.headers)
        return _guarded(world, call, _route(world, call))
    except Refused as refused:
        return _error(world, refused)


def _route(world: World, call: Call) -> Callable[[World, dict[str, Any]], Any]:
    routes = {"/v1/chat/completions": _complete}
    if world.service == "ollama":
        routes["/api/chat"] = _chat
    if world.service == "vllm":
        routes["/tokenize"] = _tokenize
    if call.method == "GET" and call.path in LISTS.get(world.service, ("/v1/models",)):
        return lambda world, body: _listed(world, call.path)
    if call.method != "POST" or call.path not in routes:
        raise Refused(404, "not_found", "404 page not found")
    return routes[call.path]


def _guarded(world: World, call: Call, answer: Callable[[World, dict[str, Any]], Any]) -> Answer:
    """Answer a request, unless a rule says otherwise."""
    rule = _rule(world, call.body)
    match rule.get("do"):
        case "status":
            refused = Refused(rule["status"], "scripted", rule.get("message", "scripted"), rule.get("code"))
            error = _error(world, refused)
            return Answer(error.status, error.body, rule.get("headers", {}))
        case "hang" | "drop" as way:
            return Answer(hang=way == "hang", drop=way == "drop")
        case "raw":
            return Answer(200, rule["body"].encode(), type=rule.get("type", "application/json"))
    body = json.loads(call.body or b"{}")
    if world.keep:
        world.bodies.append(body)
    made = _spoilt(answer(world, body), rule)
    return Answer(200, json.dumps(made).encode(), delay_s=rule.get("delay_s", world.latency_s),
                  cut=rule.get("do") == "cut")  # fmt: skip


def _rule(world: World, body: bytes) -> dict[str, Any]:
    for rule in world.rules:
        times = rule.get("times", 1)
        if (times is None or times > 0) and rule.get("match", "").encode() in body:
            rule["times"] = None if times is None else times - 1
            return rule
    return {}


def _spoilt(made: dict[str, Any], rule: Mapping[str, Any]) -> dict[str, Any]:
    """Change a reply that would have been right."""
    choice = made["choices"][0] if "choices" in made else {"message": made.get("message", {})}
    message = choice["message"]
    match rule.get("do"):
        case "refusal":
            message |= {"content": None, "refusal": "I'm sorry, I can't help with that."}
        case "content_filter":
            message["content"] = ""
            choice["finish_reason"] = "content_filter"
        case "length":
            message["content"] = message["content"][: len(message["content"]) // 2]
            choice["finish_reason"] = made["done_reason"] = "length"
        case "reasoning" | "reasoning_content" | "thinking" as field:
            message |= {"content": None, field: message["content"]}
        case "parts":
            message["content"] = [{"type": "text", "text": message["content"]}]
        case "prose":
            message["content"] = "I believe that the answer is yes."
        case "wrong_quote":
            message["content"] = json.dumps(
                _replaced(json.loads(message["content"]), "quote", "nobody said it")
            )
        case "unknown_line":
            message["content"] = json.dumps(_replaced(json.loads(message["content"]), "line", "A999"))
    return made


def _replaced(value: Any, name: str, by: str) -> Any:
    if isinstance(value, list):
        return [_replaced(item, name, by) for item in value]
    if isinstance(value, dict):
        return {k: by if k == name else _replaced(item, name, by) for k, item in value.items()}
    return value


def _listed(world: World, path: str) -> dict[str, Any]:
    """List the models of a service in its own form; `answers_as` says which lies behind the name."""
    name, now = world.answers_as or "m-small", world.asked.total()
    if path == "/api/tags":
        return {"models": [{"name": "m-small:latest", "digest": name * 4, "size": 9}]}
    own: dict[str, dict[str, Any]] = {
        "openai": {"id": "m-small", "owned_by": "system"},
        "vllm": {"id": "m-small", "owned_by": "vllm", "root": name, "permission": [{"id": f"p-{now}"}]},
        "llama": {"id": f"{name}.gguf", "owned_by": "llamacpp", "meta": {"size": len(name), "n_ctx": now}},
        "ollama": {"id": "m-small:latest", "owned_by": "library"},
    }
    return {"object": "list", "data": [{"object": "model", "created": now, **own[world.service]}]}


def _complete(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Return a chat completion."""
    _check_completion(world, body)
    world.seeds[str(body.get("seed"))] += 1
    system, user = _said(body)
    text, sent = _text(world, _schema(world, body), system, user), rough_tokens(system) + rough_tokens(user)
    written = rough_tokens(text)
    return {
        "id": f"chatcmpl-{world.asked.total():08d}", "object": "chat.completion", "created": 1_800_000_000,
        "model": world.answers_as or body["model"], "system_fingerprint": "fp_local",
        "choices": [{
            "index": 0, "finish_reason": "stop", "logprobs": None,
            "message": {"role": "assistant", "content": text, "refusal": None},
        }],
        "usage": {
            "prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written,
            "prompt_tokens_details": {
                "cached_tokens": min(world.cached, sent), "cache_write_tokens": world.written,
            },
        },
    }  # fmt: skip


def _chat(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of Ollama's own API. A long prompt is shortened silently, unless that is forbidden."""
    _check_model(world, body)
    options = body.get("options", {})
    world.seeds[str(options.get("seed"))] += 1
    system, user = _said(body)
    sent, room = rough_tokens(system) + rough_tokens(user), options.get("num_ctx", OLLAMA_CONTEXT)
    if sent > room and body.get("truncate") is False:
        raise Refused(400, "", "the input length exceeds the context length")
    text = _text(world, body.get("format"), system, user if sent <= room else "")
    return {
        "model": world.answers_as or body["model"], "created_at": "2026-11-30T00:00:00Z",
        "message": {"role": "assistant", "content": text}, "done": True, "done_reason": "stop",
        "prompt_eval_count": min(sent, room), "eval_count": rough_tokens(text), "total_duration": 1,
    }  # fmt: skip


def _tokenize(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Count as vLLM does."""
    _check_model(world, body)
    count = count_tokens("\n".join(_said(body)))
    return {"count": count, "max_model_len": world.most_tokens, "tokens": [0] * count}


def _text(world: World, schema: Mapping[str, Any] | None, system: str, user: str) -> str:
    """Return the answer; without a schema one that follows it only if it was told, and then in a fence."""
    if schema is not None:
        return json.dumps(answer_for(schema, system, user, world.negative), ensure_ascii=False)
    told = system.rpartition("\n")[2]
    if not told.startswith("{"):
        return "I believe that the answer is yes."
    return FENCED.format(json.dumps(answer_for(json.loads(told), system, user, world.negative)))


def _schema(world: World, body: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema that a service was told in its own way; others it overlooks."""
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        found: Mapping[str, Any] = form["json_schema"]["schema"]
        return found
    if form.get("type") == "json_object" and world.service == "llama":
        return form.get("schema")
    if world.service == "vllm":
        return (body.get("structured_outputs") or {}).get("json")
    return None


def _check_key(world: World, headers: Mapping[str, str]) -> None:
    sent = headers.get("authorization", "").removeprefix("Bearer ")
    if world.key and sent != world.key:
        shown = f"{sent[:8]}***{sent[-4:]}"
        raise Refused(401, "invalid_request_error", f"Incorrect API key provided: {shown}", "invalid_api_key")


def _check_model(world: World, body: dict[str, Any]) -> None:
    if world.serves not in body["model"]:
        words = {
            "vllm": f"The model `{body['model']}` does not exist.",
            "ollama": f"model '{body['model']}' not found",
        }
        message = words.get(world.service, f"The model `{body['model']}` does not exist or is not yours.")
        kind = "NotFoundError" if world.service == "vllm" else "invalid_request_error"
        raise Refused(404, kind, message, "model_not_found")


def _check_completion(world: World, body: dict[str, Any]) -> None:
    _check_model(world, body)
    if world.service == "openai" and (problem := next(_problems(body), None)):
        raise Refused(400, "invalid_request_error", problem)
    sent = sum(map(rough_tokens, _said(body)))
    if sent > world.most_tokens:
        raise _too_long(world, sent)


def _too_long(world: World, sent: int) -> Refused:
    if world.service == "llama":
        message = f"request ({sent} tokens) exceeds the available context size ({world.most_tokens} tokens)"
        return Refused(400, "exceed_context_size_error", message)
    message = f"This model's maximum context length is {world.most_tokens} tokens, but you requested {sent}."
    code = "context_length_exceeded" if world.service == "openai" else None
    return Refused(400, "invalid_request_error", message, code)


def _problems(body: dict[str, Any]) -> Iterator[str]:
    """What OpenAI refuses; its models of the fifth generation reason, and take less."""
    yield from (f"Unrecognized request argument supplied: {name}" for name in sorted(set(body) - KNOWN))
    if body["model"].startswith("gpt-5m"):
        if "max_tokens" in body:
            yield "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        if body.get("temperature", 1) != 1:
            yield "Unsupported value: 'temperature' does not support 0 with this model."
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema" and form["json_schema"].get("strict"):
        yield from (
            f"Invalid schema for response_format: {why}" for why in _not_strict(form["json_schema"]["schema"])
        )


def _not_strict(schema: Any) -> Iterator[str]:
    """Every object closed and every property required, no words beside a reference, no unknown keywords."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield "'additionalProperties' is required to be supplied and to be false"
        if set(schema.get("required", [])) != set(schema.get("properties", {})):
            yield "'required' is required to be an array including every key in properties"
    if "$ref" in schema and len(schema) > 1:
        yield "$ref cannot have keywords beside it"
    if extra := set(schema) & NOT_STRICT:
        yield f"'{min(extra)}' is not permitted"
    inner = [
        *schema.get("properties", {}).values(),
        *schema.get("$defs", {}).values(),
        *schema.get("anyOf", []),
    ]
    for part in [*inner, schema.get("items")]:
        yield from _not_strict(part)


def _said(body: dict[str, Any]) -> tuple[str, str]:
    """Return what the system and what the user says."""
    by_role: dict[str, list[str]] = {"system": [], "user": []}
    for message in body["messages"]:
        by_role[message["role"]].append(message["content"])
    return "\n".join(by_role["system"]), "\n".join(by_role["user"])


def _error(world: World, refused: Refused) -> Answer:
    if world.service == "ollama":
        body: Any = {"error": refused.message}
    else:
        code = refused.code if world.service == "openai" else refused.status
        body = {"error": {"message": refused.message, "type": refused.kind, "param": None, "code": code}}
    return Answer(refused.status, json.dumps(body).encode())


def _admin(world: World, call: Call) -> Answer:
    if call.path == "/_bodies":
        return Answer(200, json.dumps(world.bodies).encode())
    if call.path == "/_faults":
        for name, value in json.loads(call.body).items():
            if not hasattr(world, name):
                raise ValueError(f"no setting {name}")
            setattr(world, name, type(getattr(world, name))(value))
    return Answer(200, json.dumps({"asked": world.asked, "seeds": world.seeds}).encode())


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--service", default="openai", choices=["openai", "vllm", "ollama", "llama"])
    parser.add_argument("--key", default="", help="the only key that is admitted")
    parser.add_argument("--latency-s", type=float, default=0.0)
    parser.add_argument("--keep", action="store_true", help="keep bodies for /_bodies")
    options = parser.parse_args()
    world = World(options.service, key=options.key, latency_s=options.latency_s, keep=options.keep)
    serve(lambda call: handle(world, call), options.port, lambda port: print(port, flush=True))


if __name__ == "__main__":
    main()
