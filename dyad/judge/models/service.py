"""What every client of a service needs: keys, waits between attempts, and several requests at a time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from queue import SimpleQueue
from threading import Event

from dyad.errors import ConfigError

from .types import Reply, Request

FIRST_WAIT_S, MOST_WAIT_S = 0.5, 8.0  # between attempts, where the service names no time
DOUBTS = 3  # requests refused, and none answered, that make it a matter of the settings

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


def utc() -> str:
    """Return the time of now, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def side_by_side(requests: Iterable[Request], ask: Ask, most: int) -> Iterator[Reply]:
    """Yield replies as they come, at most `most` requests under way; draws one only when it can start.

    What is under way when something raises is paid for: it is yielded before that error.
    """
    waiting, under_way, stop = iter(requests), 0, Event()
    done: SimpleQueue[Future[Reply]] = SimpleQueue()
    pool = ThreadPoolExecutor(most)
    try:
        while True:
            for request in islice(waiting, most - under_way):
                pool.submit(ask, request, stop).add_done_callback(done.put)
                under_way += 1
            if not under_way:
                return
            first, under_way = done.get(), under_way - 1
            yield first.result()
    except (Exception, KeyboardInterrupt):
        stop.set()
        rest = [done.get() for _ in range(under_way)]
        yield from (future.result() for future in rest if not future.exception())
        raise
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


def told_apart(replies: Iterable[Reply], answered: Event) -> Iterator[Reply]:
    """Yield replies; a request that was refused is its own matter where others are answered.

    Where none is, the settings are to blame, and ConfigError is raised. `answered` remembers for later calls.
    """
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
