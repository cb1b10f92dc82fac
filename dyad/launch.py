"""Spreads independent work over processes of this machine: one function, results as they finish."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
Beat = Callable[[int], None]
Stop = Callable[[], int]  # asked again and again, and answered with one of
GO, HALT, DIE = range(3)  # go on, begin nothing more, stop at once

_ticks: Synchronized[int] | None = None
_told: Any = None  # in a worker: the shared byte that says which of them holds


@dataclass(frozen=True)
class Outcome(Generic[Task, Result]):
    """What became of one task: a result, or the text of the error that ended it."""

    task: Task
    result: Result | None
    error: str | None = None


def beat(amount: int) -> None:
    """Report progress from inside a task, in any unit; the driver's `on_beat` sees the running total."""
    if _ticks is not None:
        with _ticks.get_lock():
            _ticks.value += amount


def processes(workers: int, tasks: int) -> int:
    """Return how many processes do so many tasks: `workers` at most, 0 = one per core."""
    return max(1, min(workers or os.cpu_count() or 1, tasks))


def launch(
    tasks: Sequence[Task],
    work: Callable[[Task], Result],
    workers: int,
    on_beat: Beat = lambda total: None,
    stop: Stop = lambda: GO,
) -> Iterator[Outcome[Task, Result]]:
    """Do `work(task)` for every task and yield outcomes as they finish.

    workers: processes; 0 = one per core; 1 = in this process. An exception ends its task only. Once `stop` is
    no longer GO, no task is begun: those in work are finished, and the others have no outcome.
    """
    count = processes(workers, len(tasks))
    if count == 1:
        yield from _serial(tasks, work, on_beat, stop)
    else:
        yield from _pool(tasks, work, count, on_beat, stop)


def _serial(
    tasks: Sequence[Task], work: Callable[[Task], Result], on_beat: Beat, stop: Stop
) -> Iterator[Outcome[Task, Result]]:
    global _ticks
    _ticks = multiprocessing.Value("q", 0)
    done = threading.Event()
    ticker = threading.Thread(target=_poll, args=(_ticks, on_beat, done), daemon=True)
    ticker.start()
    try:
        for task in tasks:
            if stop() != GO:
                return
            yield _attempt(task, work)
    finally:
        done.set()
        ticker.join()
        _ticks = None


def _poll(counter: Synchronized[int], on_beat: Beat, done: threading.Event) -> None:
    while not done.wait(0.3):
        on_beat(counter.value)


def _pool(
    tasks: Sequence[Task], work: Callable[[Task], Result], count: int, on_beat: Beat, stop: Stop
) -> Iterator[Outcome[Task, Result]]:
    """Share tasks out to processes. When one dies, those that were in work are tried again, each alone."""
    # spawn, not fork: speech engines start threads, which do not survive a fork
    context = multiprocessing.get_context("spawn")
    line = _Line(context.Value("q", 0), context.RawValue("b", GO), on_beat, stop)

    def crew(size: int) -> ProcessPoolExecutor:
        shared = (line.ticks, line.told, os.getpid())
        return ProcessPoolExecutor(size, context, initializer=_enter, initargs=shared)

    left = list(tasks)
    while left and line.goes_on():
        done = yield from _round(crew(count), left, work, line)
        left = left[done:]
        suspects, left = left[: count + 1], left[count + 1 :]  # a pool hands out one task more than it runs
        for task in suspects:
            if line.goes_on() and not (yield from _round(crew(1), [task], work, line)) and line.goes_on():
                yield Outcome(task, None, "worker lost: its process died while at this task")


@dataclass(frozen=True)
class _Line:
    """What a driver and its workers share: the total of their beats, and whether they are to go on."""

    ticks: Synchronized[int]
    told: Any
    on_beat: Beat
    stop: Stop

    def goes_on(self) -> bool:
        """Pass on beats to the driver, and to the workers what it wants."""
        self.on_beat(self.ticks.value)
        self.told.value = max(self.told.value, self.stop())
        return bool(self.told.value == GO)


def _round(
    pool: ProcessPoolExecutor, tasks: list[Task], work: Callable[[Task], Result], line: _Line
) -> Generator[Outcome[Task, Result], None, int]:
    """Yield outcomes until all tasks are done or a process dies; move what is done to the front of `tasks`.

    Returns how many are done, those included that are not to be begun.
    """
    try:
        with _deaf():
            pending = {pool.submit(_begin, task, work): task for task in tasks}
        done: list[Task] = []
        broken = False
        while pending and not broken:
            finished, _ = wait(pending, timeout=0.3, return_when=FIRST_COMPLETED)
            if not line.goes_on():
                done += [pending.pop(future) for future in list(pending) if future.cancel()]
            for future in finished:
                broken |= isinstance(future.exception(), BrokenProcessPool)
                if future.exception() is None:
                    done.append(pending.pop(future))
                    if (outcome := future.result()) is not None:
                        yield outcome
                elif not broken:
                    task = pending.pop(future)
                    done.append(task)
                    yield Outcome(task, None, f"{type(future.exception()).__name__}: {future.exception()}")
        tasks[:] = [*done, *pending.values()]
        return len(done)
    except KeyboardInterrupt:
        line.told.value = DIE
        raise
    finally:
        line.goes_on()
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _deaf() -> Iterator[None]:
    """Start processes that no Ctrl-C ends while they are being loaded; here it counts right afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _attempt(task: Task, work: Callable[[Task], Result]) -> Outcome[Task, Result]:
    try:
        return Outcome(task, work(task))
    except Exception as error:
        return Outcome(task, None, f"{type(error).__name__}: {error}")


def _begin(task: Task, work: Callable[[Task], Result]) -> Outcome[Task, Result] | None:
    """Do a task in a worker; None where nothing is to be begun any more."""
    return _attempt(task, work) if _told.value == GO else None


def _enter(counter: Any, told: Any, parent: int) -> None:
    global _ticks, _told
    _ticks, _told = counter, told
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells the whole group: the driver decides
    threading.Thread(target=_die_with, args=(parent,), daemon=True).start()


def _die_with(parent: int) -> None:
    """A worker whose driver was killed would wait for work for ever; one that is to stop would go on."""
    while os.getppid() == parent and _told.value < DIE:
        time.sleep(0.2)
    os._exit(1)
