"""Waits, keys, and several requests at a time."""

from __future__ import annotations

import signal
import time
from collections.abc import Generator, Iterator
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.judge.models.service import DOUBTS, Waits, asked_wait_s, side_by_side, told_apart, wait_s
from dyad.judge.models.types import Reply, Request
from dyad.spec import Frozen


def requests(n: int) -> list[Request]:
    return [Request(str(i), (), "", Frozen, 16) for i in range(n)]


def reply(key: str, failure: str = "") -> Reply:
    return Reply.model_validate({"key": key, "requested": "m", "failure": failure})


@given(st.integers(0, 10_000))
def test_waits_grow_and_stay_within_their_bounds(attempt: int) -> None:
    assert 0.375 <= wait_s(attempt) <= 8
    assert wait_s(attempt) >= min(6.0, 0.375 * 2 ** min(attempt, 10))


@given(st.integers(0, 100), st.floats(0, 1e6))
def test_a_wait_that_is_asked_for_is_never_cut_short(attempt: int, asked_s: float) -> None:
    assert asked_s <= wait_s(attempt, asked_s) <= 1.1 * asked_s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "Mon, 30 Nov 2020 08:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_a_service_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait_s(headers) == seconds


def test_a_long_wait_is_told_of_once_for_all_who_wait() -> None:
    said: list[str] = []
    now = [100.0]
    waits = Waits(said.append, lambda: now[0])
    waits.tell("529", 3.0)
    assert said == []
    for why, seconds in (("429", 40.2), ("429", 41.0)):
        waits.tell(why, seconds)
    assert said == ["waiting for the service (429), next try in 40 s"]
    now[0] += 41
    waits.tell("ConnectTimeout", 7.6)
    assert said[1:] == ["waiting for the service (ConnectTimeout), next try in 8 s"]


@given(st.text())
def test_no_header_is_an_exception(text: str) -> None:
    asked_s = asked_wait_s({"retry-after": text, "retry-after-ms": text})
    assert asked_s is None or asked_s >= 0


@given(st.integers(0, 40), st.integers(1, 8))
def test_every_request_has_one_reply(n: int, most: int) -> None:
    keys = [one.key for one in side_by_side(requests(n), lambda request, stop: reply(request.key), most)]
    assert sorted(keys, key=int) == [str(i) for i in range(n)]


def test_an_error_comes_after_what_was_under_way() -> None:
    def ask(request: Request, stop: Event) -> Reply:
        if request.key == "3":
            raise ConfigError("wrong")
        stop.wait(5)
        return reply(request.key)

    got: list[str] = []
    with pytest.raises(ConfigError, match="wrong"):
        got.extend(one.key for one in side_by_side(requests(9), ask, 4))
    assert sorted(got) == ["0", "1", "2"]


def test_an_interrupt_while_a_reply_is_kept_loses_none_that_is_under_way() -> None:
    asked, kept, said = list[str](), list[str](), list[str]()

    def ask(request: Request, stop: Event) -> Reply:
        asked.append(request.key)
        if len(asked) > 1:
            stop.wait(5)
        return reply(request.key)

    def keep() -> None:
        for one in side_by_side(requests(50), ask, 4, said.append):
            if not kept:
                signal.raise_signal(signal.SIGINT)
            kept.append(one.key)

    with pytest.raises(KeyboardInterrupt):
        keep()
    assert sorted(kept) == sorted(asked)
    assert 1 < len(asked) < 9
    assert [text.partition(";")[2] for text in said] == [" Ctrl-C again gives them up"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_gives_up() -> None:
    replies = side_by_side(requests(9), lambda request, stop: reply(request.key), 2)
    next(replies)
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    replies.close()  # type: ignore[attr-defined]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_nobody_waits_for_what_is_given_up() -> None:
    stopped: list[bool] = []

    def ask(request: Request, stop: Event) -> Reply:
        if request.key != "0":
            stopped.append(stop.wait(600))
        return reply(request.key)

    replies = side_by_side(requests(9), ask, 3)
    assert next(replies).key == "0"
    assert isinstance(replies, Iterator)
    replies.close()  # type: ignore[attr-defined]
    while len(stopped) < 2:
        time.sleep(0.005)
    assert stopped == [True, True]


def coming(*replies: Reply) -> Generator[Reply, None, None]:
    yield from replies


def test_whoever_gives_up_asks_no_more() -> None:
    """Replies that nobody waits for are ended at once, not when memory is cleared."""
    asked: list[str] = []

    def endless() -> Generator[Reply, None, None]:
        try:
            yield from (reply(str(i), "config") for i in range(100))
        finally:
            asked.append("closed")

    replies = endless()
    with pytest.raises(ConfigError):
        list(told_apart(replies, Event()))
    assert asked == ["closed"]


def test_refusals_alone_are_the_settings() -> None:
    with pytest.raises(ConfigError, match="correct the judge's settings"):
        list(told_apart((reply(str(i), "config") for i in range(DOUBTS)), Event()))
    with pytest.raises(ConfigError):
        list(told_apart(coming(reply("0", "config"), reply("1", "transport")), Event()))


def test_refusals_among_answers_are_their_own_matter() -> None:
    answered = Event()
    mixed = coming(reply("0", "config"), reply("1", "config"), reply("2"), reply("3", "config"))
    got = [(one.key, one.failure) for one in told_apart(mixed, answered)]
    assert sorted(got) == [("0", "errored"), ("1", "errored"), ("2", ""), ("3", "errored")]
    assert [one.failure for one in told_apart(coming(reply("4", "config")), answered)] == ["errored"]
