"""What every client of a service needs: keys, waits between attempts, and several requests at a time."""

from __future__ import annotations

import math
import os
import random
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread, current_thread, main_thread

from dyad.errors import ConfigError

from .types import Reply, Request

FIRST_WAIT_S, MOST_WAIT_S = 0.5, 8.0  # between attempts, where the service names no time
TOLD_WAIT_S = 5.0  # waits from here on are told of
DOUBTS = 3  # requests refused, and none answered, that make it a matter of the settings

Say = Callable[[str], None]
Ask = Callable[[Request, Event], Reply]
"""Asks for one reply; the event is set when nobody waits for it any more."""


def key_in(variable: str) -> str:
    """Return the key that a variable of the environment holds; raises ConfigError for one that cannot be."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(f"no key in the variable {variable}; set it, or name another with judge.key_env")
    if (
        not key.isascii() or not key.isprintable() or " " in key
    ):  # no header carries it: an error would quote it
        raise ConfigError(f"the key in the variable {variable} has characters that no key has; set it again")
    return key


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """Return the wait that a service asks for: in milliseconds, in seconds, or until a date; else None."""
    with suppress(KeyError, ValueError):
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    after = headers.get("retry-after", "")
    with suppress(ValueError):
        return max(0.0, float(after))
    with suppress(ValueError):
        return max(0.0, parsedate_to_datetime(after).timestamp() - time.time())
    return None


def wait_s(attempt: int, asked_s: float | None = None) -> float:
    """Return how long to wait after an attempt, from 0; jitter keeps threads from coming back all at once."""
    if asked_s is not None:
        return asked_s * (1 + 0.1 * random.random())
    return min(MOST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt, 10)) * (1 - 0.25 * random.random())


class Waits:
    """Tells the person who waits of long waits, once for all requests that wait together."""

    def __init__(self, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock, self._lock, self._until = say, clock, Lock(), -math.inf

    def tell(self, why: str, seconds: float) -> None:
        """Say why nothing comes, and when the next try is, unless that has just been said."""
        with self._lock:
            now = self._clock()
            if seconds < TOLD_WAIT_S or now < self._until:
                return
            self._until = now + seconds
        self._say(f"waiting for the service ({why}), next try in {seconds:.0f} s")


def utc() -> str:
    """Return the time of now, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def side_by_side(
    requests: Iterable[Request], ask: Ask, most: int, say: Say = lambda text: None
) -> Generator[Reply, None, None]:
    """Yield replies as they come, at most `most` requests under way; draws one only when it can start.

    What is under way when something raises is paid for: it is yielded before that error, and also after the
    first Ctrl-C, which `say` is told of; the second one gives it up.
    """
    with _first_interrupt_noted(say) as stop:
        yield from _side_by_side(requests, ask, most, stop)


@contextmanager
def _first_interrupt_noted(say: Say) -> Iterator[Event]:
    """Set an event at the first Ctrl-C: an exception could come while a reply is being kept."""
    stop, before = Event(), signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or current_thread() is not main_thread():
        yield stop
        return

    def note(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        stop.set()
        say("waiting for replies that are under way, for they are paid for; Ctrl-C again gives them up")

    signal.signal(signal.SIGINT, note)
    try:
        yield stop
    finally:
        with suppress(ValueError):  # what nobody finished may be cleared away by another thread
            signal.signal(signal.SIGINT, before)


def _side_by_side(requests: Iterable[Request], ask: Ask, most: int, stop: Event) -> Iterator[Reply]:
    waiting, under_way = iter(requests), 0
    todo, done = SimpleQueue[Request | None](), SimpleQueue[Reply | Exception]()
    threads: list[Thread] = []
    try:
        while True:
            if stop.is_set():
                raise KeyboardInterrupt
            for request in islice(waiting, most - under_way):
                todo.put(request)
                under_way += 1
                if len(threads) < under_way:
                    threads.append(Thread(target=_worker, args=(ask, todo, done, stop), daemon=True))
                    threads[-1].start()
            if not under_way:
                return
            found, under_way = done.get(), under_way - 1
            yield _or_raised(found)
    except (Exception, KeyboardInterrupt):
        stop.set()
        rest = [done.get() for _ in range(under_way - _taken_back(todo))]
        yield from (found for found in rest if isinstance(found, Reply))
        raise
    finally:
        stop.set()
        _taken_back(todo)  # where nobody wants more, what has not begun is not asked
        for _ in threads:
            todo.put(None)


def _worker(
    ask: Ask, todo: SimpleQueue[Request | None], done: SimpleQueue[Reply | Exception], stop: Event
) -> None:
    """Answer requests until there is None."""
    while request := todo.get():
        try:
            done.put(ask(request, stop))
        except Exception as error:
            done.put(error)


def _or_raised(found: Reply | Exception) -> Reply:
    if isinstance(found, Exception):
        raise found
    return found


def _taken_back(todo: SimpleQueue[Request | None]) -> int:
    """Take back what no thread has begun, and return how many requests these are."""
    number = 0
    with suppress(Empty):
        while todo.get_nowait():
            number += 1
    return number


def told_apart(replies: Generator[Reply, None, None], answered: Event) -> Iterator[Reply]:
    """Yield replies; a request that was refused is its own matter where others are answered.

    Where none is, the settings are to blame, and ConfigError is raised. `answered` remembers for later calls.
    """
    with closing(replies):  # at once: until then, threads of what nobody waits for would ask again
        yield from _told_apart(replies, answered)


def _told_apart(replies: Iterable[Reply], answered: Event) -> Iterator[Reply]:
    refused: list[Reply] = []
    for reply in replies:
        if reply.failure == "config":
            refused.append(reply)
        else:
            yield reply
            if not reply.failure:
                answered.set()
        if answered.is_set():
            yield from (one.model_copy(update={"failure": "errored"}) for one in refused)
            refused.clear()
        elif len(refused) == DOUBTS:
            break
    if refused:
        raise ConfigError(
            f"judge '{refused[0].requested}': {refused[0].detail}; correct the judge's settings"
        )
