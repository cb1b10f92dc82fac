"""DuplexCascade's client in a real worker, against a server that speaks the protocol."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from websockets.sync.server import ServerConnection, serve

from dyad.agents.duplex_cascade.family import FAMILY
from dyad.agents.duplex_cascade.inside import Model, Row, _trust
from dyad.bridge.protocol import Lost
from dyad.host.agent import HostAgent
from dyad.testing import check_agent
from tests.agents.drive import at_work, noise, play, silence, turn

RATE, FRAME = 24_000, 1_920
STARTUP_S = 0.15  # the stand-in takes 0.1 s
SLOW = 0.01  # a tick of these tests, in seconds: the server's answers are here before the next

pytestmark = pytest.mark.xdist_group("duplex_cascade")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY, startup_s=STARTUP_S) as made:
        yield made


def paced(tick: int) -> None:
    time.sleep(SLOW)


def test_it_keeps_the_contract() -> None:
    check_agent(FAMILY, {"upstream": "double", "startup_s": STARTUP_S}, ticks=20)


def test_what_the_server_says_is_said_to_the_sample(agent: HostAgent) -> None:
    heard = turn(0.4, 0.8, RATE)
    played = play(agent, heard[None], before=paced)
    said = played.line[0][played.line[0] != 0]
    assert np.array_equal(said, -0.5 * heard[: len(said)])
    assert played.given(0) == played.queue.played[0] == 5 * FRAME
    agent.close()


def test_rows_are_connections_of_their_own(agent: HostAgent) -> None:
    heard = np.stack([turn(0.4, 0.8, RATE, 1), turn(0.8, 0.4, RATE, 2), silence(1.2, RATE)])
    line = play(agent, heard, before=paced).line
    for row in range(2):
        said = line[row][line[row] != 0]
        assert len(said) > 0
        assert np.array_equal(said, -0.5 * heard[row, : len(said)])
    assert not line[2].any()
    agent.close()


def test_a_stop_drops_what_waits(agent: HostAgent) -> None:
    heard = np.concatenate([turn(0.8, 0.4, RATE), noise(0.16, RATE), silence(0.8, RATE)])
    played = play(agent, heard[None], before=paced)
    (tick,) = played.flushed(0)
    assert tick in (16, 17)  # the other is loud again in tick 15; the server's word comes one or two later
    assert not played.line[0, tick * FRAME : (tick + 1) * FRAME].any()
    assert played.queue.played[0] < played.given(0) == 10 * FRAME + 2 * FRAME
    agent.close()


def test_who_speaks_too_early_is_cut_off_and_the_row_is_lost() -> None:
    with (
        at_work(FAMILY, startup_s=0.0) as hasty,
        pytest.raises(Lost, match=r"the server is gone: .*not ready"),
    ):
        play(hasty, silence(1.6, RATE)[None], before=paced)


def test_where_there_is_no_server_nothing_opens() -> None:
    with at_work(FAMILY, url="ws://127.0.0.1:9") as nowhere, pytest.raises(Lost, match="refused"):
        play(nowhere, silence(0.08, RATE)[None])


@contextmanager
def serving(handler: Callable[[ServerConnection], None], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Return the place of a server of one's own, here in this process: 127.0.0.1:PORT."""
    with serve(handler, "127.0.0.1", 0, ssl=tls, compression=None, close_timeout=0.1) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.socket.getsockname()[1]}"


@contextmanager
def served(handler: Callable[[ServerConnection], None]) -> Iterator[Row]:
    """Return a row that is connected to a server."""
    with serving(handler) as place:
        yield dialled(f"ws://{place}")


def dialled(url: str, verify: bool = True) -> Row:
    return Model({"url": url, "verify": verify, "startup_s": 0.0}, "cpu").open("", "", 1, False)


@pytest.fixture
def own_certificate() -> ssl.SSLContext:
    """As a public benchmark's client expects of the real server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("self_signed.pem"))
    return context


def test_a_server_with_a_certificate_of_its_own_is_named_with_how_to_reach_it(
    own_certificate: ssl.SSLContext,
) -> None:
    with serving(list, own_certificate) as place:  # type: ignore[arg-type]
        own = "agent.duplex_cascade.verify=false"
        with pytest.raises(ConnectionError, match=rf"^no handshake .*\.url=wss://{place} {own}$"):
            dialled(f"ws://{place}")
        with pytest.raises(ConnectionError, match=rf"self-signed certificate.*the server's own, set {own}$"):
            dialled(f"wss://{place}")
        dialled(f"wss://{place}", verify=False).close()


def test_a_server_without_tls_is_named_with_how_to_reach_it() -> None:
    with (
        serving(list) as place,  # type: ignore[arg-type]
        pytest.raises(ConnectionError, match=rf"no TLS, set agent\.duplex_cascade\.url=ws://{place}$"),
    ):
        dialled(f"wss://{place}")


def test_the_server_gets_every_frame_and_is_told_the_end() -> None:
    got, over = list[bytes | str](), Event()

    def listen(connection: ServerConnection) -> None:
        got.extend(connection)
        over.set()

    heard = noise(0.4, RATE).reshape(-1, FRAME)
    with served(listen) as row:
        for tick, frame in enumerate(heard):
            row.step(tick, frame, 0)
        row.close()
        assert over.wait(60.0)
    assert got == [frame.tobytes() for frame in heard] + ["Done"]


def test_no_tick_waits_for_a_server_that_does_not_listen() -> None:
    over = Event()
    with served(lambda connection: over.wait() and None) as row:
        for tick in range(2_000):  # 15 MB: more than lines hold; who waited would stand here for ever
            row.step(tick, silence(0.08, RATE), 0)
        row.close()
        over.set()


def wait_for(row: Row, messages: int) -> None:
    while row._arrived.qsize() < messages:
        time.sleep(0.005)


def test_a_certificate_is_asked_for_unless_it_is_the_users_own() -> None:
    assert (_trust(True).verify_mode, _trust(True).check_hostname) == (ssl.CERT_REQUIRED, True)
    assert (_trust(False).verify_mode, _trust(False).check_hostname) == (ssl.CERT_NONE, False)


@pytest.mark.parametrize("message", ["", "hello", "[1]", '{"type": "audio_control"}', '{"type": "text"}'])
def test_other_messages_are_none_of_its_business(message: str) -> None:
    sound = np.full(3, 2.0, np.float32)

    def talk(connection: ServerConnection) -> None:
        connection.send(sound.tobytes())
        connection.send(message)
        connection.send(sound.tobytes())
        list(connection)

    with served(talk) as row:
        wait_for(row, 3)
        said = row.step(0, silence(0.08, RATE), 0)
        row.close()
    assert np.array_equal(said.pcm, np.ones(6, np.float32))
    assert not said.flush


def test_what_comes_after_a_stop_is_said() -> None:
    def talk(connection: ServerConnection) -> None:
        connection.send(np.full(3, 0.1, "<f4").tobytes())
        connection.send(json.dumps({"type": "audio_control", "action": "stop"}))
        connection.send(np.full(2, 0.2, "<f4").tobytes())
        list(connection)

    with served(talk) as row:
        wait_for(row, 3)
        said = row.step(0, silence(0.08, RATE), 0)
        row.close()
    assert np.array_equal(said.pcm, np.full(2, 0.2, np.float32))
    assert said.flush
