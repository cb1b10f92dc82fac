"""A client of DuplexCascade's server: one WebSocket per row, and no tick that waits for it.

Sent: binary messages of float32 at 24 kHz, 80 ms each, and the text `Done` at the end. Received: binary
messages of the same kind of any length, queued as they arrive, and JSON, of which
`{"type": "audio_control", "action": "stop"}` drops what is queued and not yet played.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from importlib.metadata import version
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from dyad.host.worker import Floats, Said

OPEN_S, CLOSE_S = 30.0, 1.0
STOP = {"type": "audio_control", "action": "stop"}


class Model:
    """The server's address."""

    own_dice = True

    def __init__(self, options: dict[str, Any], device: str) -> None:
        kind, _, name = options["url"].partition(":")
        self._url = str(import_module(name).start()) if kind == "module" else options["url"]
        self._verify, self._startup_s = options["verify"], options["startup_s"]

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Connect, and wait until the server can hear; raises OSError where there is none."""
        stack = ExitStack()
        connection = stack.enter_context(self._connect())
        time.sleep(self._startup_s)
        return Row(connection, stack.close)

    def _connect(self) -> Any:
        from websockets.exceptions import InvalidMessage
        from websockets.sync.client import connect

        try:
            return connect(
                self._url,
                ssl=_trust(self._verify) if self._url.startswith("wss:") else None,
                proxy=None,
                compression=None,
                max_size=None,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
            )
        except (InvalidMessage, ConnectionResetError, ssl.SSLError) as error:
            raise ConnectionError(
                f"no handshake with {self._url}: {error}; {_cure(self._url, error)}"
            ) from error

    def numerics(self) -> dict[str, str]:
        """Return the version of the protocol's package."""
        return {"websockets": version("websockets")}


def _cure(url: str, error: Exception) -> str:
    """Say which other way to reach a server fits its answer."""
    scheme, _, place = url.partition(":")
    own = "agent.duplex_cascade.verify=false"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"if the certificate is the server's own, set {own}"
    if scheme == "wss":
        return f"if the server has no TLS, set agent.duplex_cascade.url=ws:{place}"
    return (
        f"if the server has TLS with a certificate of its own, set agent.duplex_cascade.url=wss:{place} {own}"
    )


def _trust(verify: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Row:
    """One connection, with a thread for each direction."""

    def __init__(self, connection: Any, hang_up: Callable[[], None]) -> None:
        self._connection, self._hang_up, self._closed = connection, hang_up, ""
        self._sent: SimpleQueue[bytes | str] = SimpleQueue()
        self._arrived: SimpleQueue[bytes | str] = SimpleQueue()
        self._threads = [Thread(target=work, daemon=True) for work in (self._send, self._receive)]
        for thread in self._threads:
            thread.start()

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Hand over what is heard, and return what has arrived; raises RuntimeError when the line is cut."""
        self._sent.put(heard.astype("<f4").tobytes())
        said = [np.zeros(0, np.float32)]
        flush = False
        for message in self._messages():
            if isinstance(message, bytes):
                said.append(np.frombuffer(message, "<f4"))
            elif _stops(message):
                said, flush = said[:1], True
        return Said(np.concatenate(said).clip(-1.0, 1.0), flush=flush)

    def close(self) -> None:
        """Say that this was all, and hang up."""
        self._sent.put("Done")
        self._threads[0].join(CLOSE_S)
        if self._threads[0].is_alive():  # the server does not listen, and would not to a farewell
            self._connection.socket.shutdown(socket.SHUT_RDWR)
        self._hang_up()

    def _messages(self) -> Iterator[bytes | str]:
        while not self._arrived.empty():
            yield self._arrived.get()
        if self._closed:
            raise RuntimeError(f"the server is gone: {self._closed}; look into its log")

    def _send(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                self._connection.send(message := self._sent.get())
                if message == "Done":
                    return
        except ConnectionClosed:
            return  # `_receive` says so

    def _receive(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                self._arrived.put(self._connection.recv())
        except ConnectionClosed as error:
            self._closed = str(error)


def _stops(message: str) -> bool:
    try:
        event = json.loads(message)
    except ValueError:
        return False
    return isinstance(event, dict) and STOP.items() <= event.items()
