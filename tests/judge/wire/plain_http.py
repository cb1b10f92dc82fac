"""The HTTP/1.1 that a stand-in for a service needs: keep-alive, bodies by length, faults of the line.

Standard library only and little work per request, so that one core carries a benchmark.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast
from urllib.parse import parse_qsl, urlsplit

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class Call(NamedTuple):
    """One request; names of headers in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What goes back: `hang` sends nothing, `drop` closes instead, `cut` closes after half of the body."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    type: str = "application/json"
    delay_s: float = 0.0
    hang: bool = False
    drop: bool = False
    cut: bool = False

    def encoded(self) -> bytes:
        """Return the bytes of the answer."""
        lines = [f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Status')}", f"content-type: {self.type}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += [f"content-length: {len(self.body)}", "", ""]
        return "\r\n".join(lines).encode() + (self.body[: len(self.body) // 2] if self.cut else self.body)


Handler = Callable[[Call], Answer]


class _Connection(asyncio.Protocol):
    """One client: requests are answered one after the other."""

    def __init__(self, handler: Handler) -> None:
        self._handler, self._buffer, self._busy = handler, bytearray(), False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._busy:
            self._next()

    def _next(self) -> None:
        while not self._busy and (call := self._call()) is not None:
            answer = self._handler(call)
            if answer.hang:
                self._busy = True
            elif answer.drop:
                self._transport.abort()
                return
            elif answer.delay_s:
                self._busy = True
                asyncio.get_running_loop().call_later(answer.delay_s, self._late, answer)
            else:
                self._send(answer)

    def _late(self, answer: Answer) -> None:
        self._busy = False
        self._send(answer)
        self._next()

    def _send(self, answer: Answer) -> None:
        self._transport.write(answer.encoded())
        if answer.cut:
            self._transport.close()

    def _call(self) -> Call | None:
        """Take one whole request off the buffer."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        first, *rest = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        size = end + 4 + int(headers.get("content-length", "0"))
        if len(self._buffer) < size:
            return None
        body = bytes(self._buffer[end + 4 : size])
        del self._buffer[:size]
        method, target, _ = first.split(" ", 2)
        url = urlsplit(target)
        return Call(method, url.path, dict(parse_qsl(url.query)), headers, body)


def serve(handler: Handler, port: int, ready: Callable[[int], None]) -> None:
    """Serve on this machine alone until the process ends; `ready` gets the port."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(handler), "127.0.0.1", port, backlog=512)
        ready(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())
