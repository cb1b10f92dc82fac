"""A stand-in for Anthropic's API on this machine: Messages, Count Tokens, Message Batches, Models.

    python anthropic_server.py --port 0        # prints its port, serves until it is ended

GET /_stats says what was asked for, GET /_bodies repeats it, POST /_faults sets what goes wrong next:

    {"rules": [{"on": "messages", "do": "status", "status": 429, "headers": {"retry-after": "1"}}],
     "polls": 3, "shuffle": true}

A rule names an endpoint (`messages`, `count`, `create`, `retrieve`, `list`, `results`, `models`) or `item`
for the messages inside batches, what to do, how often (`times`, null for always), after how many (`after`),
and a string that the request must hold (`match`). Keys beside `rules` change the settings of `World`;
`reset`, `forget` and `archive` begin anew, drop all batches, and drop their results.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from anthropic_checks import BATCH_BYTES, SYNC_BYTES, Refused, check_batch, check_key, check_message
from anthropic_replies import message, system_text, user_text
from plain_http import Answer, Call, serve
from token_counts import count_tokens, rough_tokens

DEPRECATED = {"claude-sonnet-4-5": "2026-11-30T00:00:00Z"}


@dataclass
class Batch:
    """A batch and how often it was asked after."""

    id: str
    requests: list[dict[str, Any]]
    created: float
    polls: int = 0
    canceled: bool = False
    archived: bool = False


@dataclass
class World:
    """All that the server knows. `polls`: how often a batch is asked after before it has ended."""

    polls: int = 0
    shuffle: bool = False
    negative: bool = False
    latency_s: float = 0.0
    keep: bool = False  # whether bodies are kept
    most_tokens: int = 200_000
    shift_s: float = 0.0  # by which this clock is wrong
    answers_as: str = ""  # the id of the model that answers, where it is not the one asked for
    rules: list[dict[str, Any]] = field(default_factory=list)
    batches: dict[str, Batch] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    hashes: Counter[str] = field(default_factory=Counter)
    custom_ids: Counter[str] = field(default_factory=Counter)
    bodies: list[Any] = field(default_factory=list)
    prefixes: set[str] = field(default_factory=set)


def handle(world: World, call: Call) -> Answer:
    """Answer one request of either kind: the API's, or those that begin with /_."""
    if call.path.startswith("/_"):
        return _admin(world, call)
    try:
        check_key(call.headers)
        return _routed(world, call)
    except Refused as refused:
        return _error(refused.status, refused.kind, refused.message)


def _routed(world: World, call: Call) -> Answer:
    match call.method, call.path.strip("/").split("/")[1:]:
        case "POST", ["messages"]:
            return _guarded(world, call, "messages", _message)
        case "POST", ["messages", "count_tokens"]:
            return _guarded(world, call, "count", _count)
        case "POST", ["messages", "batches"]:
            return _guarded(world, call, "create", _create)
        case "GET", ["messages", "batches"]:
            return _guarded(world, call, "list", _list)
        case "GET", ["messages", "batches", _]:
            return _guarded(world, call, "retrieve", _retrieve)
        case "GET", ["messages", "batches", _, "results"]:
            return _guarded(world, call, "results", _results)
        case "POST", ["messages", "batches", _, "cancel"]:
            return _guarded(world, call, "cancel", _cancel)
        case "GET", ["models", _]:
            return _guarded(world, call, "models", _model)
    raise Refused(404, "not_found_error", "Not found")


def _guarded(world: World, call: Call, endpoint: str, answer: Any) -> Answer:
    """Answer a request, unless a rule says otherwise. `drop`, `cut` and `late` happen to what was done."""
    world.asked[endpoint] += 1
    rule = _rule(world, endpoint, call.body)
    match rule.get("do"):
        case "status":
            error = _error(rule["status"], rule.get("type", "api_error"), rule.get("message", "scripted"))
            return Answer(error.status, error.body, {**error.headers, **rule.get("headers", {})})
        case "hang":
            return Answer(hang=True)
        case "raw":
            return Answer(rule.get("status", 200), rule["body"].encode(), _headers(), rule["type"])
        case "drop_before":
            return Answer(drop=True)
    made: Answer = answer(world, call, rule)
    delay_s = rule.get("delay_s", world.latency_s)
    return Answer(made.status, made.body, made.headers, made.type, delay_s, drop=rule.get("do") == "drop",
                  cut=rule.get("do") == "cut")  # fmt: skip


def _rule(world: World, endpoint: str, body: bytes) -> dict[str, Any]:
    for rule in world.rules:
        times = rule.get("times", 1)
        due = rule["on"] == endpoint and (times is None or times > 0)
        fits = due and rule.get("match", "").encode() in body
        if fits and rule.get("after", 0) > 0:
            rule["after"] -= 1
        elif fits:
            rule["times"] = None if times is None else times - 1
            return rule
    return {}


def _message(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    if len(call.body) > SYNC_BYTES:
        raise Refused(413, "request_too_large", "Request exceeds the maximum size")
    body = _parsed(call.body)
    check_message(body, *_length(world, body))
    world.hashes[sha256(call.body).hexdigest()[:16]] += 1
    if world.keep:
        world.bodies.append(body)
    return _json(_reply(world, body, rule))


def _reply(world: World, body: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    made = message(body, rule, world.negative, world.prefixes)
    return made | {"model": world.answers_as or made["model"]}


def _count(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    body = _parsed(call.body)
    check_message(body, *_length(world, body), counting=True)
    schema = body.get("output_config", {}).get("format")
    return _json({"input_tokens": count_tokens("\n".join([system_text(body), user_text(body)]))
                  + (count_tokens(json.dumps(schema)) if schema else 0)})  # fmt: skip


def _create(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    if len(call.body) > BATCH_BYTES:
        raise Refused(413, "request_too_large", "Request exceeds the maximum size")
    body = _parsed(call.body)
    check_batch(body)
    name = f"msgbatch_{len(world.batches):08d}"
    world.batches[name] = Batch(name, body["requests"], time.time() + world.shift_s)
    world.custom_ids.update(request["custom_id"] for request in body["requests"])
    if world.keep:
        world.bodies.append(body)
    return _json(_shown(world, world.batches[name], call))


def _retrieve(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    batch = _found(world, call)
    batch.polls += 1
    return _json(_shown(world, batch, call))


def _cancel(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    batch = _found(world, call)
    batch.canceled = True
    return _json(_shown(world, batch, call))


def _list(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    """The newest first, in pages."""
    newest = sorted(world.batches.values(), key=lambda batch: (batch.created, batch.id), reverse=True)
    ids = [batch.id for batch in newest]
    start = ids.index(call.query["after_id"]) + 1 if "after_id" in call.query else 0
    page = newest[start : start + int(call.query.get("limit", "20"))]
    return _json({
        "data": [_shown(world, batch, call) for batch in page], "has_more": start + len(page) < len(newest),
        "first_id": page[0].id if page else None, "last_id": page[-1].id if page else None,
    })  # fmt: skip


def _results(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    batch = _found(world, call)
    if not _ended(world, batch) or batch.archived:
        raise Refused(404, "not_found_error", "results are not available")
    rows = list(_rows(world, batch))
    if world.shuffle:
        random.Random(batch.polls).shuffle(rows)
    body = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
    return Answer(200, body, _headers(), "application/x-jsonl")


def _rows(world: World, batch: Batch) -> Iterator[dict[str, Any]]:
    for request in batch.requests:
        name, rule = request["custom_id"], _rule(world, "item", json.dumps(request).encode())
        if rule.get("do") != "missing":
            yield {"custom_id": name, "result": _result(world, batch, request["params"], rule)}


def _result(world: World, batch: Batch, params: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    if batch.canceled or rule.get("do") in ("canceled", "expired"):
        return {"type": "canceled" if batch.canceled else rule["do"]}
    try:
        check_message(params, *_length(world, params))
        if rule.get("do") == "errored":
            kind, message = rule.get("type", "api_error"), rule.get("message", "Internal server error")
            raise Refused(500, kind, message)
        return {"type": "succeeded", "message": _reply(world, params, rule)}
    except Refused as refused:
        error = {"type": refused.kind, "message": refused.message}
        return {"type": "errored", "error": {"type": "error", "error": error, "request_id": "req_1"}}


def _model(world: World, call: Call, rule: dict[str, Any]) -> Answer:
    name = call.path.rpartition("/")[2]
    if not name.startswith("claude-"):
        raise Refused(404, "not_found_error", f"model: {name}")
    return _json({
        "id": name, "type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "deprecated" if name in DEPRECATED else "active", "retires_at": DEPRECATED.get(name),
        "max_input_tokens": world.most_tokens, "max_tokens": 64_000, "capabilities": None,
    })  # fmt: skip


def _shown(world: World, batch: Batch, call: Call) -> dict[str, Any]:
    """A batch as the API describes it; numbers of results stay 0 until it has ended."""
    ended, n = _ended(world, batch), len(batch.requests)
    counts = {"processing": 0 if ended else n, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
    if ended:
        counts["canceled" if batch.canceled else "succeeded"] = n
    where = f"http://{call.headers['host']}/v1/messages/batches/{batch.id}/results"
    return {
        "id": batch.id, "type": "message_batch", "request_counts": counts,
        "processing_status": "ended" if ended else "in_progress",
        "created_at": _utc(batch.created), "expires_at": _utc(batch.created + 86_400),
        "ended_at": _utc(batch.created + 1) if ended else None, "cancel_initiated_at": None,
        "archived_at": _utc(batch.created) if batch.archived else None,
        "results_url": where if ended and not batch.archived else None,
    }  # fmt: skip


def _ended(world: World, batch: Batch) -> bool:
    return batch.polls > world.polls or batch.canceled


def _found(world: World, call: Call) -> Batch:
    name = call.path.split("/")[4]
    if name not in world.batches:
        raise Refused(404, "not_found_error", f"Message batch {name} not found")
    return world.batches[name]


def _admin(world: World, call: Call) -> Answer:
    if call.path == "/_bodies":
        return _json(world.bodies)
    if call.path == "/_faults":
        _change(world, _parsed(call.body))
    return _json({"asked": world.asked, "hashes": world.hashes, "custom_ids": world.custom_ids,
                  "batches": list(world.batches)})  # fmt: skip


def _change(world: World, changes: dict[str, Any]) -> None:
    if changes.pop("reset", False):
        world.__init__()  # type: ignore[misc]
    if changes.pop("forget", False):
        world.batches.clear()
    if changes.pop("archive", False):
        for batch in world.batches.values():
            batch.archived = True
    for name, value in changes.items():
        if not hasattr(world, name):
            raise ValueError(f"no setting {name}")
        setattr(world, name, value)


def _length(world: World, body: Any) -> tuple[int, int]:
    """Tokens of a prompt, roughly, and how many may be."""
    return rough_tokens(system_text(body)) + rough_tokens(user_text(body)), world.most_tokens


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise Refused(400, "invalid_request_error", "The request body is not valid JSON") from None


def _error(status: int, kind: str, message: str) -> Answer:
    headers, error = _headers(), {"type": kind, "message": message}
    envelope = {"type": "error", "error": error, "request_id": headers["request-id"]}
    return Answer(status, json.dumps(envelope).encode(), headers)


def _json(value: Any) -> Answer:
    return Answer(200, json.dumps(value, ensure_ascii=False).encode(), _headers())


def _headers() -> dict[str, str]:
    return {
        "request-id": f"req_{random.getrandbits(64):016x}", "anthropic-organization-id": "org_local",
        "anthropic-ratelimit-requests-limit": "4000", "anthropic-ratelimit-requests-remaining": "3999",
        "anthropic-ratelimit-requests-reset": "2026-12-01T00:00:00Z",
        "anthropic-ratelimit-tokens-limit": "400000", "anthropic-ratelimit-tokens-remaining": "399000",
    }  # fmt: skip


def _utc(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--polls", type=int, default=0)
    parser.add_argument("--latency-s", type=float, default=0.0)
    parser.add_argument("--negative", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep bodies for /_bodies")
    options = parser.parse_args()
    world = World(options.polls, False, options.negative, options.latency_s, options.keep)
    serve(lambda call: handle(world, call), options.port, lambda port: print(port, flush=True))


if __name__ == "__main__":
    main()
