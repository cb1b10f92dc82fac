"""What Anthropic's API refuses, in its own words as far as they are documented."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

KNOWN = {
    "model", "max_tokens", "messages", "system", "output_config", "thinking", "metadata", "stop_sequences",
    "stream", "tools", "tool_choice", "service_tier", "cache_control", "container", "inference_geo", "speed",
}  # fmt: skip
COUNTED = KNOWN - {"max_tokens", "metadata", "stop_sequences", "stream", "service_tier", "container"}
EFFORTS = {"low", "medium", "high", "xhigh", "max"}
CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
UNSUPPORTED = {"minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern", "default"}
SYNC_BYTES, BATCH_BYTES, BATCH_REQUESTS = 32 << 20, 256 << 20, 100_000


class Refused(Exception):
    """A request that gets an error envelope."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


def check_key(headers: Mapping[str, str]) -> None:
    """Raise Refused without a key, in either of the headers that clients send it in."""
    key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if not key:
        raise Refused(401, "authentication_error", "x-api-key header is required")
    if not key.startswith("sk-ant-"):
        raise Refused(401, "authentication_error", "invalid x-api-key")
    if "anthropic-version" not in headers:
        raise _bad("anthropic-version: header is required")


def check_message(body: Any, tokens: int, most_tokens: int, counting: bool = False) -> None:
    """Raise Refused for parameters of a message that the API does not take."""
    problem = next(_problems(body, COUNTED if counting else KNOWN, counting), None)
    if problem:
        raise _bad(problem)
    if not body["model"].startswith("claude-"):
        raise Refused(404, "not_found_error", f"model: {body['model']}")
    if tokens > most_tokens:
        raise _bad(f"prompt is too long: {tokens} tokens > {most_tokens} maximum")


def check_batch(body: Any) -> None:
    """Raise Refused for a batch that is not taken; parameters of its requests are looked at later."""
    requests = body.get("requests") if isinstance(body, dict) else None
    if not isinstance(requests, list) or not requests:
        raise _bad("requests: Field required")
    if len(requests) > BATCH_REQUESTS:
        raise _bad(f"requests: at most {BATCH_REQUESTS} requests")
    if extra := set(body) - {"requests"}:
        raise _bad(f"{min(extra)}: Extra inputs are not permitted")
    seen: set[str] = set()
    for i, request in enumerate(requests):
        name = request.get("custom_id")
        if not isinstance(name, str) or not CUSTOM_ID.fullmatch(name):
            raise _bad(f"requests.{i}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")
        if name in seen:
            raise _bad(f"requests.{i}.custom_id: must be unique within the batch")
        seen.add(name)


def _bad(message: str) -> Refused:
    return Refused(400, "invalid_request_error", message)


def _problems(body: Any, known: set[str], counting: bool) -> Iterator[str]:
    if not isinstance(body, dict):
        yield "Input should be an object"
        return
    yield from (f"{name}: Extra inputs are not permitted" for name in sorted(set(body) - known))
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: Field required"
    if not counting and (not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1):
        yield "max_tokens: Input should be greater than or equal to 1"
    yield from _turns(body.get("messages"))
    yield from _system(body.get("system", []))
    yield from _output(body.get("output_config", {}))
    yield from _thinking(body.get("thinking"), body.get("max_tokens", 1 << 30))


def _turns(messages: Any) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    for i, message in enumerate(messages):
        if message.get("role") not in ("user", "assistant"):
            yield f"messages.{i}.role: Input should be 'user' or 'assistant'"
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        if not blocks or any(block.get("type") == "text" and not block.get("text") for block in blocks):
            yield f"messages.{i}: text content blocks must be non-empty"
    if messages[-1].get("role") == "assistant":
        yield "This model does not support prefill. The conversation must end with a user message."


def _system(system: Any) -> Iterator[str]:
    blocks = [] if isinstance(system, str) else system
    for i, block in enumerate(blocks):
        if block.get("type") != "text" or not block.get("text"):
            yield f"system.{i}: text content blocks must be non-empty"
        if set(block) - {"type", "text", "cache_control", "citations"}:
            yield f"system.{i}: Extra inputs are not permitted"
    marks = [block["cache_control"] for block in blocks if "cache_control" in block]
    if len(marks) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}."
    if any(mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h") for mark in marks):
        yield "system.cache_control: Input tag does not match any of the expected tags: 'ephemeral'"


def _output(config: Any) -> Iterator[str]:
    if extra := set(config) - {"effort", "format"}:
        yield f"output_config.{min(extra)}: Extra inputs are not permitted"
    if config.get("effort") not in {None, *EFFORTS}:
        yield "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
    form = config.get("format")
    if form is not None and (form.get("type") != "json_schema" or not isinstance(form.get("schema"), dict)):
        yield "output_config.format: Input should be a json_schema"
    elif form is not None:
        yield from _schema(form["schema"], "output_config.format.schema")


def _schema(schema: Any, where: str) -> Iterator[str]:
    """Every object closed, and none of the keywords that structured output does not know."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false"
    if extra := set(schema) & UNSUPPORTED:
        yield f"{where}: For '{schema.get('type')}' type, property '{min(extra)}' is not supported"
    for part in ("properties", "$defs"):
        for name, inner in schema.get(part, {}).items():
            yield from _schema(inner, f"{where}.{part}.{name}")
    for i, inner in enumerate([*schema.get("anyOf", []), schema.get("items")]):
        yield from _schema(inner, f"{where}.{i}")


def _thinking(thinking: Any, max_tokens: int) -> Iterator[str]:
    if thinking is None:
        return
    if thinking.get("type") not in ("adaptive", "enabled", "disabled", "between_tools"):
        yield "thinking: Input tag does not match any of the expected tags"
    budget = thinking.get("budget_tokens")
    if thinking.get("type") == "enabled" and not (isinstance(budget, int) and budget >= 1024):
        yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    elif budget is not None and budget >= max_tokens:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`"
