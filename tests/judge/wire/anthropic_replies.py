"""The messages with which the stand-in for Anthropic's API answers, whole or spoilt as a rule says."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from answers import answer_for
from token_counts import rough_tokens

STOPS = {"refusal": "refusal", "truncated": "max_tokens", "context": "model_context_window_exceeded"}
SILENT = ("refusal", "no_text", "context")
_NUMBERS = count()


def message(body: dict[str, Any], rule: dict[str, Any], negative: bool, sent: set[str]) -> dict[str, Any]:
    """Return the message that answers a request; `sent` are the prefixes that a cache holds."""
    do = rule.get("do", "")
    text = "" if do in SILENT else _text(body, do, negative)
    blocks = [{"type": "text", "text": text[: len(text) // 2] if do == "truncated" else text}] if text else []
    if do == "thinking":
        blocks.insert(0, {"type": "thinking", "thinking": "Who spoke first?", "signature": "c2ln"})
    details = {"type": "refusal", "category": rule.get("category", "cyber"), "explanation": None}
    return {
        "id": f"msg_{next(_NUMBERS):08d}", "type": "message", "role": "assistant", "model": body["model"],
        "content": blocks, "stop_reason": STOPS.get(do, "end_turn"), "stop_sequence": None,
        "stop_details": details if do == "refusal" else None, "usage": _usage(body, text, sent),
    }  # fmt: skip


def _text(body: dict[str, Any], do: str, negative: bool) -> str:
    if "output_config" not in body or not body["output_config"].get("format"):
        return "Hello."
    schema = body["output_config"]["format"]["schema"]
    answer = answer_for(schema, system_text(body), user_text(body), negative)
    if do in ("wrong_quote", "unknown_line"):
        answer = _spoilt(answer, "quote" if do == "wrong_quote" else "line")
    text = json.dumps(answer, ensure_ascii=False)
    return text[:-1] if do == "malformed" else text


def _spoilt(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_spoilt(item, name) for item in value]
    if isinstance(value, dict):
        wrong = {"quote": "words that nobody said", "line": "A999"}[name]
        return {k: wrong if k == name else _spoilt(item, name) for k, item in value.items()}
    return value


def _usage(body: dict[str, Any], text: str, sent: set[str]) -> dict[str, int]:
    """Tokens, and whether the marked part of the system was sent before."""
    system = body.get("system", [])
    blocks = system if isinstance(system, list) else []
    marked = [i for i, block in enumerate(blocks) if "cache_control" in block]
    prefix = "\n".join(block["text"] for block in blocks[: marked[-1] + 1]) if marked else ""
    cached, known = rough_tokens(prefix) if prefix else 0, prefix in sent
    sent.add(prefix)
    total = rough_tokens(system_text(body)) + rough_tokens(user_text(body))
    return {
        "input_tokens": total - cached, "output_tokens": rough_tokens(text),
        "cache_read_input_tokens": cached if known else 0,
        "cache_creation_input_tokens": 0 if known else cached,
    }  # fmt: skip


def system_text(body: Any) -> str:
    """Return the instructions of a request, also of one that is not well made."""
    system = body.get("system", []) if isinstance(body, dict) else []
    return system if isinstance(system, str) else "\n".join(block.get("text", "") for block in system)


def user_text(body: Any) -> str:
    """Return what the turns of a request say, also of one that is not well made."""
    turns = body.get("messages") if isinstance(body, dict) else None
    contents = [turn.get("content") or "" for turn in turns] if isinstance(turns, list) else []
    texts = [[{"text": content}] if isinstance(content, str) else content for content in contents]
    return "\n".join(block.get("text", "") for blocks in texts for block in blocks)
