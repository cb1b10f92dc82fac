"""What is said to chat-completions services and what they answer; they differ in how they take a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator

from dyad.spec import digest

from .types import ModelSettings, Request, Usage, json_schema

STOPS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
TOLD = "Answer with one JSON object that this JSON Schema admits, and with nothing else:\n"
# What a server that does not know a model's marks leaves before the reply.
_REASONING = ("reasoning_content", "reasoning", "thinking")  # vLLM, llama.cpp; newer vLLM; Ollama
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class OpenAISettings(ModelSettings):
    """Where and how to ask.

    `schema_as` says how the service takes the schema of a reply: `response_format` (OpenAI, llama.cpp's
    server), `structured_outputs` (vLLM from 0.12), `json_object` (llama-cpp-python's server), `format`
    (Ollama's own API, for only there can a request say how much context it needs), or `none`: in the prompt.
    `temperature`, `seed` and `effort` are left out of requests where they are null or empty.
    """

    base_url: str = "https://api.openai.com/v1"
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    seed: int | None = 0
    effort: Literal["", "none", "minimal", "low", "medium", "high", "xhigh"] = ""
    schema_as: Literal["response_format", "structured_outputs", "json_object", "format", "none"] = (
        "response_format"
    )
    max_tokens_as: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    context: int | None = Field(default=None, ge=512)  # tokens, for `format`; null: what Ollama has loaded

    @field_validator("base_url")
    @classmethod
    def _http(cls, value: str) -> str:
        url = urlsplit(value)
        if url.scheme not in ("http", "https") or not url.hostname or url.port == 0:
            raise ValueError("must be an address as in http://localhost:8000/v1")
        return value.rstrip("/")


def url_of(settings: OpenAISettings) -> str:
    """Return the address that requests go to."""
    if settings.schema_as == "format":
        return f"{settings.base_url.removesuffix('/v1')}/api/chat"
    return f"{settings.base_url}/chat/completions"


def messages(settings: OpenAISettings, request: Request) -> list[dict[str, str]]:
    """Return the instructions as one message, and the data as another."""
    told = list(request.system)
    if settings.schema_as == "none":
        told.append(TOLD + json.dumps(_schema(request.answer)))
    return [{"role": "system", "content": "\n\n".join(told)}, {"role": "user", "content": request.user}]


@lru_cache(maxsize=64)
def _schema(answer: type[BaseModel]) -> Mapping[str, Any]:
    return json_schema(answer)  # slower than a whole request


def _seed(settings: OpenAISettings, request: Request) -> int | None:
    """Return the seed of a request: each draw has its own, and the same again when it is repeated."""
    return None if settings.seed is None else int(digest([settings.seed, request.key])[:7], 16)


def body_of(settings: OpenAISettings, request: Request) -> bytes:
    """Return the body of a request. Models write in the order of a schema, so it is kept: evidence first."""
    build = _ollama_body if settings.schema_as == "format" else _chat_body
    return json.dumps(build(settings, request)).encode()


def fields_of(settings: OpenAISettings, body: Any) -> dict[str, Any]:
    """Return what a reply is made of; any of the usual errors means that the body is none."""
    return _ollama_fields(body) if settings.schema_as == "format" else _chat_fields(body)


def _chat_body(settings: OpenAISettings, request: Request) -> dict[str, Any]:
    schema = _schema(request.answer)
    named = {"name": "answer", "strict": True, "schema": schema}
    told: dict[str, dict[str, Any]] = {
        "response_format": {"response_format": {"type": "json_schema", "json_schema": named}},
        "json_object": {"response_format": {"type": "json_object", "schema": schema}},
        "structured_outputs": {"structured_outputs": {"json": schema}},
    }
    body = {
        "model": settings.model,
        "messages": messages(settings, request),
        "stream": False,
        "temperature": settings.temperature,
        "seed": _seed(settings, request),
        "reasoning_effort": settings.effort or None,
        settings.max_tokens_as: request.max_tokens,
    }
    return _without_none(body) | told.get(settings.schema_as, {})


def _ollama_body(settings: OpenAISettings, request: Request) -> dict[str, Any]:
    """Return the body for Ollama's own API, told to refuse a prompt that is too long, not to shorten it."""
    options = {
        "temperature": settings.temperature,
        "seed": _seed(settings, request),
        "num_predict": request.max_tokens,
        "num_ctx": settings.context,
    }
    return {
        "model": settings.model,
        "messages": messages(settings, request),
        "format": _schema(request.answer),
        "stream": False,
        "truncate": False,
        "options": _without_none(options),
    }


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _chat_fields(body: Any) -> dict[str, Any]:
    """Return what a reply is made of, from a chat completion."""
    choice, usage = body["choices"][0], body.get("usage") or {}
    message, reason = choice["message"], str(choice["finish_reason"] or "")
    details = usage.get("prompt_tokens_details") or {}
    cached, written = (details.get(name) or 0 for name in ("cached_tokens", "cache_write_tokens"))
    refusal = message.get("refusal") or ("content_filter" if reason == "content_filter" else "")
    return {
        "model": str(body.get("model") or ""),
        "text": text_of(message),
        "stop": "refusal" if refusal else STOPS.get(reason, reason),
        "detail": str(refusal),
        "usage": Usage(
            input=max(0, (usage.get("prompt_tokens") or 0) - cached - written),
            output=usage.get("completion_tokens") or 0,
            cache_read=cached,
            cache_write=written,
        ),
        "request_id": str(body.get("id") or ""),
    }


def _ollama_fields(body: Any) -> dict[str, Any]:
    """Return what a reply is made of, from an answer of Ollama's own API."""
    reason = str(body["done_reason"])
    return {
        "model": str(body.get("model") or ""),
        "text": text_of(body["message"]),
        "stop": STOPS.get(reason, reason),
        "usage": Usage(input=body.get("prompt_eval_count", 0), output=body.get("eval_count", 0)),
    }


def text_of(message: Mapping[str, Any]) -> str:
    """Return what a message says: a text or parts of one, or what servers took for its reasoning."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content)
    said = _THOUGHT.sub("", str(content or ""))
    return said or next((str(message[name]) for name in _REASONING if message.get(name)), "")


def error_text(body: str) -> str:
    """Return the code, kind and words of an error, whichever of the services wrote it."""
    try:
        parsed = json.loads(body)
    except ValueError:
        return body
    found = parsed.get("error", parsed) if isinstance(parsed, dict) else parsed
    if not isinstance(found, dict):
        return str(found)
    return " ".join(str(found[name]) for name in ("code", "type", "message", "detail") if found.get(name))
