"""A local chat completion endpoint: the real protocol over HTTP, with replies made by a function."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[str, list[dict[str, str]]], str]  # (system prompt, messages) → what the model says


@dataclass
class Chat:
    """A served model: how it replies, after how many replies it breaks, and what it was asked."""

    reply: Reply
    url: str = ""
    breaks_after: int | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and body for one request."""
        self.asked.append(body)
        if self.breaks_after is not None and len(self.asked) > self.breaks_after:
            return 500, {"error": {"message": "out of order"}}
        system, *messages = body["messages"]
        said = self.reply(system["content"], messages)
        return 200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": said}}]}


@contextmanager
def serving(reply: Reply) -> Iterator[Chat]:
    """Serve a model on a free local port."""
    chat = Chat(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            chat.keys.append(self.headers["Authorization"])
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = chat.answer(body) if self.path == "/v1/chat/completions" else (404, {})
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield chat
    server.shutdown()
    server.server_close()
