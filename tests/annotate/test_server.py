"""The server as a stranger's page, a browser and a person's terminal meet it."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.annotate.server import MOST_BYTES, Server, byte_range
from dyad.errors import ConfigError
from tests.annotate.zoo import AGENTS, PAIRING, Opened, serving

pytestmark = pytest.mark.xdist_group("annotate")  # what is set up once is set up by one worker


@pytest.fixture
def server(opened: Opened) -> Iterator[Server]:
    with serving(opened("SRV")) as served:
        yield served


def ask(
    server: Server, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Ask with the headers of the page itself, but for those that are given; an empty one is left out."""
    host = f"127.0.0.1:{server.server_port}"
    sent = {"Host": host}
    if method == "POST":
        sent |= {"Origin": f"http://{host}", "Content-Type": "application/json"}
        sent |= {"Content-Length": str(len(body or b""))}
    sent |= {key.replace("_", "-"): value for key, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=200)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for key, value in sent.items():
        if value:
            connection.putheader(key, value)
    connection.endheaders(body)
    response = connection.getresponse()
    found = response.status, dict(response.getheaders()), response.read()
    connection.close()
    return found


def inside(server: Server, path: str) -> str:
    return f"/{server.token}/{path}"


def answer(**changes: Any) -> bytes:
    return json.dumps({"label": None, "seconds": 1.5} | changes).encode()


# -- who may ask -----------------------------------------------------------------------------------


def test_it_listens_on_this_machine_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert re.fullmatch(rf"http://127\.0\.0\.1:{server.server_port}/[\w-]{{32}}/", server.url)


def test_each_server_has_a_token_of_its_own(opened: Opened) -> None:
    with Server(opened("SRV")) as one, Server(opened("SRV")) as two:
        assert one.token != two.token


@pytest.mark.parametrize(
    "path",
    ["/", "/items", "/x/", "/x/items", "//", "/{token}x/", "/{token}", "/{TOKEN}/items"],
)
def test_without_the_token_there_is_nothing(server: Server, path: str) -> None:
    path = path.replace("{token}", server.token).replace("{TOKEN}", server.token.swapcase())
    status, _, body = ask(server, "GET", path)
    assert (status, body) == (404, b'{"error": "not found"}')


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}"]
)
@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "items"), ("POST", "items/1")])
def test_other_names_of_this_machine_are_refused(server: Server, host: str, method: str, path: str) -> None:
    host = host.replace("{port}", str(server.server_port))
    assert (
        ask(server, method, inside(server, path), answer() if method == "POST" else None, Host=host)[0] == 421
    )


def test_localhost_is_this_machine(server: Server) -> None:
    host = f"localhost:{server.server_port}"
    assert ask(server, "GET", inside(server, "items"), Host=host)[0] == 200
    assert (
        ask(server, "POST", inside(server, "items/9"), answer(), Host=host, Origin=f"http://{host}")[0] == 200
    )


@pytest.mark.parametrize(
    "origin", ["", "null", "https://evil.example", "https://{host}", "http://{host}.evil", "http://localhost"]
)
def test_answers_of_other_pages_are_refused(server: Server, origin: str) -> None:
    origin = origin.replace("{host}", f"127.0.0.1:{server.server_port}")
    before = server.session.done()
    assert ask(server, "POST", inside(server, "items/2"), answer(), Origin=origin)[0] == 403
    assert ask(server, "POST", inside(server, "end"), b"{}", Origin=origin)[0] == 403
    assert server.session.done() == before
    assert ask(server, "GET", inside(server, "items"))[0] == 200


@pytest.mark.parametrize(
    "path",
    ["items/0", "items/11", "items/-1", "items/1/", "items/1/audio/", "items/../items", "items/1/../../x",
     "../../etc/passwd", "items/%2e%2e/1", "items/1e0", "items/1?x=1", "runs", "items/9999999", "audio.flac",
     "items/1%2faudio"],
)  # fmt: skip
def test_paths_that_lead_nowhere(server: Server, path: str) -> None:
    status, _, body = ask(server, "GET", inside(server, path))
    assert (status, body) == (404, b'{"error": "not found"}')


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (answer(), {"Content_Type": "text/plain"}, 415),
        (answer(), {"Content_Type": "application/x-www-form-urlencoded"}, 415),
        (answer(), {"Content_Type": ""}, 415),
        (answer(), {"Content_Length": ""}, 411),
        (answer(), {"Content_Length": "-5"}, 411),
        (b"", {"Content_Length": str(MOST_BYTES + 1)}, 413),
        (b"", {"Content_Length": "0" * 9 + "9" * 9}, 413),
        (b"", {}, 400),
        (b"[]", {}, 400),
        (b'{"label": null}', {}, 400),
        (answer(seconds=-1), {}, 400),
        (answer(seconds=1e9), {}, 400),
        (answer(more=1), {}, 400),
        (answer(label="x" * 201), {}, 400),
        (answer(lines=["A1"] * 201), {}, 400),
        (b'{"label": null, "seconds": NaN}', {}, 400),
        (answer(label="nobody"), {}, 422),
    ],
)
def test_bodies_that_are_no_answer(server: Server, body: bytes, headers: dict[str, str], status: int) -> None:
    before = server.session.done()
    found, sent, text = ask(server, "POST", inside(server, "items/3"), body, **headers)
    assert found == status
    assert set(json.loads(text)) == {"error"}
    assert sent["Connection"] == "close"
    assert server.session.done() == before


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "<script>"])
def test_other_methods_are_unknown(server: Server, method: str) -> None:
    status, headers, body = ask(server, method, inside(server, "items/1"))
    assert (status, headers["Content-Type"]) == (501, "application/json")
    assert b"script" not in body


def raw(server: Server, request: bytes) -> bytes:
    """Everything that is answered to some bytes until the server closes."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=200) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(4096), b""))


@pytest.mark.parametrize(
    "request_",
    [b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"x" * 70_000 + b"\r\n"],
)
def test_what_is_no_http_ends_the_connection(server: Server, request_: bytes) -> None:
    assert b"error" in raw(server, request_)
    assert ask(server, "GET", inside(server, "items"))[0] == 200


@pytest.mark.parametrize("path", ["é/items", "{token}/items/１", "{token}/é"])
def test_other_letters_and_digits_lead_nowhere(server: Server, path: str) -> None:
    line = f"GET /{path.replace('{token}', server.token)} HTTP/1.1\r\n".encode()
    answered = raw(server, line + f"Host: 127.0.0.1:{server.server_port}\r\n\r\n".encode())
    assert answered.startswith(b"HTTP/1.1 404 ")


def test_every_reply_is_kept_nowhere_and_names_nobody(server: Server) -> None:
    names = (*AGENTS, PAIRING, "BaseHTTP", "Python", ".flac", *server.session.study.ids)
    for path in ("", "items", "items/1", "items/1/audio", "items/x"):
        _, headers, body = ask(server, "GET", inside(server, path))
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in headers
        for name in names:
            assert name.encode() not in body
            assert name not in str(headers)


def test_the_policy_of_the_page_lets_nothing_else_in(server: Server) -> None:
    _, headers, body = ask(server, "GET", inside(server, ""))
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "frame-ancestors 'none'" in policy
    addresses = re.findall(rb"https?://[^\s\"']+", body)
    assert set(addresses) <= {b"http://www.w3.org/2000/svg"}


# -- sound -----------------------------------------------------------------------------------------


def test_sound_comes_whole_or_in_the_part_that_is_asked_for(server: Server) -> None:
    path = inside(server, "items/1/audio")
    status, headers, whole = ask(server, "GET", path)
    assert (status, headers["Content-Type"], headers["Accept-Ranges"]) == (200, "audio/flac", "bytes")
    assert whole.startswith(b"fLaC")
    size = len(whole)
    for asked, first, last in (
        ("bytes=0-", 0, size - 1), ("bytes=0-0", 0, 0), ("bytes=5-9", 5, 9), ("bytes=-4", size - 4, size - 1),
        (f"bytes={size - 1}-", size - 1, size - 1), (f"bytes=7-{size + 99}", 7, size - 1),
        (f"bytes=-{size + 5}", 0, size - 1),
    ):  # fmt: skip
        status, headers, part = ask(server, "GET", path, Range=asked)
        assert (status, headers["Content-Range"]) == (206, f"bytes {first}-{last}/{size}")
        assert part == whole[first : last + 1]
    for asked in (f"bytes={size}-", f"bytes={size + 4}-{size + 9}", "bytes=-0"):
        status, headers, part = ask(server, "GET", path, Range=asked)
        assert (status, headers["Content-Range"], part) == (416, f"bytes */{size}", b"")
    for asked in (
        "bytes=9-5",
        "bytes=-",
        "bytes=a-b",
        "bytes=0-1,4-5",
        "lines=0-1",
        "bytes=٣-٤",
        f"bytes={'9' * 40}-",
    ):
        status, _, part = ask(server, "GET", path, Range=asked.encode().decode("latin-1"))
        assert (status, part) == (200, whole)


@given(st.integers(1, 5000), st.integers(0, 6000) | st.none(), st.integers(0, 6000) | st.none())
def test_a_part_lies_inside_and_begins_where_it_is_asked_to(
    size: int, first: int | None, last: int | None
) -> None:
    span = byte_range(f"bytes={'' if first is None else first}-{'' if last is None else last}", size)
    backwards = first is not None and last is not None and last < first
    assert (span is None) == (first is last is None or backwards)
    if span:
        assert 0 <= span.start < span.stop <= size
        assert span.start == (max(0, size - (last or 0)) if first is None else first)
    elif span is not None:
        assert (first is not None and first >= size) or (first is None and last == 0)


# -- answering -------------------------------------------------------------------------------------


def test_an_answer_is_stored_before_it_is_confirmed(server: Server) -> None:
    status, _, body = ask(server, "POST", inside(server, "items/4"), answer())
    assert status == 200
    assert 3 in json.loads(body)["done"]
    assert json.loads(ask(server, "GET", inside(server, "items/4"))[2])["answer"]["label"] is None
    listed = json.loads(ask(server, "GET", inside(server, "items"))[2])
    assert listed["n"] == 10
    assert listed["by"] == "SRV"
    assert 3 in listed["done"]


def test_what_breaks_behind_is_told_in_the_terminal_and_not_on_the_page(opened: Opened) -> None:
    session, told = opened("BRK"), []
    text = session.study.store.run_dir(session.order[0].item.run) / "text.jsonl"
    whole = text.read_bytes()
    text.write_bytes(b"{\n")
    try:
        with serving(session, told.append) as server:
            status, _, body = ask(server, "GET", inside(server, "items/1"))
    finally:
        text.write_bytes(whole)
    assert (status, body) == (500, b'{"error": "internal server error"}')
    assert len(told) == 1
    assert "text.jsonl:1: not a Piece" in told[0]


def test_a_port_that_is_taken_is_one_line(server: Server, opened: Opened) -> None:
    with pytest.raises(
        ConfigError, match=rf"port {server.server_port} cannot be had .*; choose another with port=N"
    ):
        Server(opened("SRV"), server.server_port)
