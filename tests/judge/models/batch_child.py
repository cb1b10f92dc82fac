"""Asks for replies in batches and keeps each at once, in a process to be killed at any point."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from dyad.judge.models.anthropic import AnthropicSettings
from dyad.judge.models.batches import Batches
from dyad.judge.models.types import Reply, Request
from dyad.judge.protocol import Desk

UNDONE = ("expired", "canceled", "errored")


class Answer(BaseModel):
    """A reply."""

    label: bool


def requests(n: int) -> list[Request]:
    """Return requests with keys of 64 digits."""
    return [Request(f"{i:064x}", ("Rules.",), f"A1 [0.80-4.80] A: talk {i}", Answer, 64) for i in range(n)]


def kept(folder: Path) -> list[Reply]:
    """Return the replies that were kept."""
    path = folder / "kept.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [Reply.model_validate_json(line) for line in lines]


def collect(
    folder: Path, wanted: Iterable[Request], settings: dict[str, Any], slow_s: float = 0.0
) -> list[str]:
    """Ask for what is not kept yet, twice where a batch left it undone; return what was said."""
    said: list[str] = []
    backend = Batches(AnthropicSettings(**settings), Desk("claude", folder, say=said.append))
    try:
        for _ in range(2):
            done = {reply.key for reply in kept(folder)}
            missing = [request for request in wanted if request.key not in done]
            replies = list(_each(backend, missing, folder, slow_s)) if missing else []
            if not any(reply.failure in UNDONE for reply in replies):
                break
    finally:
        backend.close()
    return said


def _each(backend: Batches, missing: list[Request], folder: Path, slow_s: float) -> Iterable[Reply]:
    with (folder / "kept.jsonl").open("a", encoding="utf-8") as file:
        for reply in backend.answer(missing):
            if not reply.failure:
                file.write(reply.model_dump_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
                time.sleep(slow_s)
            yield reply
