"""A test that leaves a thread or a child process behind fails, and says what was left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TASKS = Path("/proc/self/task")
# What is one for the whole process, and ends with it: nobody can end it sooner.
PROCESS_WIDE = (
    "tqdm_monitor",  # tqdm keeps one thread once a bar was shown
    "pytest_timeout",  # the clock of this very test
    "multiprocessing.resource_tracker",  # one process once a pool was started
)


class Leftovers:
    """Knows what ran at first, and what fixtures of more than one test hold."""

    def __init__(self, patience_s: float = 30.0) -> None:
        self.patience_s = patience_s  # for what is ending
        self.known = set(running())
        self.held = dict[Any, set[object]]()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        before = set(running())
        try:
            return (yield)
        finally:
            self.held[fixturedef] = set(running()) - before

    def pytest_fixture_post_finalizer(self, fixturedef: Any) -> None:
        self.held.pop(fixturedef, None)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        try:
            yield
        except BaseException:  # this is what the test is told, and no later one is to blame for what it left
            self.known |= self._left().keys()
            raise
        end = time.monotonic() + self.patience_s
        while (left := self._left()) and time.monotonic() < end:
            time.sleep(0.005)
        self.known |= left.keys()
        if left:
            pytest.fail(f"{item.nodeid} left behind: {'; '.join(left.values())}", pytrace=False)

    def _left(self) -> dict[object, str]:
        mine = self.known.union(*self.held.values())
        return {
            key: what
            for key, what in running().items()
            if key not in mine and not any(name in what for name in PROCESS_WIDE)
        }


def running() -> dict[object, str]:
    """Return the threads of Python and the child processes of this process, and what each is."""
    threads = {thread: f"thread {thread.name!r}" for thread in threading.enumerate()}
    return {**threads, **{child: f"process {child}: {command(child)}" for child in children()}}


def children() -> Iterator[int]:
    """Yield the ids of child processes, dead ones that nobody waited for among them (on Linux only)."""
    for task in TASKS.iterdir() if TASKS.is_dir() else ():
        try:
            yield from map(int, (task / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            continue


def command(child: int) -> str:
    """Return the command of a process; "a zombie" for one that is dead."""
    try:
        return (
            Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            or "a zombie"
        )
    except (FileNotFoundError, ProcessLookupError):
        return "gone"
