"""The local server: this machine only, behind a secret in the path, and nothing that names who is labelled.

    GET  /<token>/                the page
    GET  /<token>/items           how many items there are, and which are answered
    GET  /<token>/items/K         item K, from 1, in this person's order
    GET  /<token>/items/K/audio   its recording
    POST /<token>/items/K         an answer
    POST /<token>/end             the person has finished

A page of another site can reach a local port: names other than this machine's own (DNS rebinding), requests
that another page sent, and paths without the token are refused.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import socketserver
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic import ValidationError

from dyad.errors import ConfigError

from .page import page
from .reply import Reply
from .session import Say, Session

HOST = "127.0.0.1"
MOST_BYTES = 64 * 1024  # of an answer
IDLE_S = 60.0  # after which a silent connection is closed
ALWAYS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Refused(Exception):
    """A request that gets an error: a status and words that tell nothing about what is behind."""

    def __init__(self, status: HTTPStatus, words: str = "") -> None:
        super().__init__(words or status.phrase.lower())
        self.status = status


@dataclass(frozen=True)
class Response:
    """What is sent back."""

    body: bytes
    kind: str
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


class Server(ThreadingHTTPServer):
    """Serves one session. `url` holds the token and is for the person alone."""

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0, say: Say = lambda text: None) -> None:
        """Listen on a port of this machine, 0 for any free one; raise ConfigError when it cannot be had.

        `say` gets what the person in front of the terminal should know.
        """
        self.session, self.say, self.token = session, say, secrets.token_urlsafe(24)
        self.sound = lru_cache(maxsize=4)(session.sound)
        self.saving = threading.Lock()
        self.html, self.policy = page()
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ConfigError(
                f"port {port} cannot be had ({why}); choose another with port=N, or port=0 for a free one"
            ) from None

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """The names under which this machine calls itself."""
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"

    def server_bind(self) -> None:
        """Bind without asking a name server who this machine is."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away in the middle of an answer is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def version_string(self) -> str:
        return "dyad"

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: they hold the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the base class cannot read is refused in our own words."""
        self.close_connection = True
        self._send(_refusal(Refused(HTTPStatus(code))))

    def _answer(self, respond: Callable[[str], Response]) -> None:
        try:
            response = respond(self._inner_path())
        except Refused as refused:
            self.close_connection = True  # a body may lie unread
            response = _refusal(refused)
        except OSError:
            raise  # the connection: nobody is there to be answered
        except Exception as error:
            self.close_connection = True
            self.server.say(f"{type(error).__name__}: {error}")
            response = _refusal(Refused(HTTPStatus.INTERNAL_SERVER_ERROR))
        self._send(response)

    def _inner_path(self) -> str:
        """Return the path behind the token; refuse what was not meant for this server."""
        if self.headers.get_all("Host", []) not in ([host] for host in self.server.hosts):
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST)
        token, slash, inner = self.path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise Refused(HTTPStatus.NOT_FOUND)
        return inner

    def _get(self, path: str) -> Response:
        session = self.server.session
        if path == "":
            headers = {"Content-Security-Policy": self.server.policy, "X-Frame-Options": "DENY"}
            return Response(self.server.html, "text/html; charset=utf-8", headers=headers)
        if path == "items":
            return _json({"n": len(session.order), "done": session.done(), "by": session.by})
        if found := re.fullmatch(r"items/(\d{1,6})(/audio)?", path, re.ASCII):
            place = self._place(found[1])
            return self._audio(place) if found[2] else _json(session.view(place))
        raise Refused(HTTPStatus.NOT_FOUND)

    def _post(self, path: str) -> Response:
        if self.headers.get("Origin") != f"http://{self.headers['Host']}":
            raise Refused(HTTPStatus.FORBIDDEN)
        content = self._body()
        if path == "end":
            threading.Thread(target=self.server.shutdown, daemon=True).start()
            return _json({})
        found = re.fullmatch(r"items/(\d{1,6})", path, re.ASCII)
        if not found:
            raise Refused(HTTPStatus.NOT_FOUND)
        place = self._place(found[1])
        try:
            with self.server.saving:
                self.server.session.save(place, Reply.model_validate_json(content))
        except ValidationError:
            raise Refused(HTTPStatus.BAD_REQUEST, "this is no answer") from None
        except ValueError as error:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
        return _json({"done": self.server.session.done()})

    def _body(self) -> bytes:
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdecimal():
            raise Refused(HTTPStatus.LENGTH_REQUIRED)
        if len(size) > 9 or int(size) > MOST_BYTES:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return self.rfile.read(int(size))

    def _place(self, number: str) -> int:
        if not 1 <= int(number) <= len(self.server.session.order):
            raise Refused(HTTPStatus.NOT_FOUND)
        return int(number) - 1

    def _audio(self, place: int) -> Response:
        whole = self.server.sound(place)
        return _part(whole, self.headers.get("Range", ""))

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        sent = {
            "Content-Type": response.kind,
            "Content-Length": len(response.body),
            **ALWAYS,
            **response.headers,
        }
        for name, value in sent.items():
            self.send_header(name, str(value))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(response.body)


def _part(whole: bytes, asked: str) -> Response:
    """Return the bytes of a Range header (RFC 9110, 14.2), or all where it asks for nothing that is known."""
    kind, size = "audio/flac", len(whole)
    span = byte_range(asked, size)
    if span is None:
        return Response(whole, kind, headers={"Accept-Ranges": "bytes"})
    if not span:
        headers = {"Content-Range": f"bytes */{size}"}
        return Response(b"", kind, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers)
    headers = {"Accept-Ranges": "bytes", "Content-Range": f"bytes {span.start}-{span.stop - 1}/{size}"}
    return Response(whole[span.start : span.stop], kind, HTTPStatus.PARTIAL_CONTENT, headers)


def byte_range(asked: str, size: int) -> range | None:
    """Return the places that a Range header asks for: None for the whole, empty where there are none."""
    found = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", asked.replace(" ", ""), re.ASCII)
    if not found or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        return range(max(0, size - int(last)), size)
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, size) if last else size)


def _json(value: Any) -> Response:
    return Response(json.dumps(value, ensure_ascii=False, allow_nan=False).encode(), "application/json")


def _refusal(refused: Refused) -> Response:
    body = json.dumps({"error": str(refused)}, ensure_ascii=False).encode()
    return Response(body, "application/json", refused.status)
