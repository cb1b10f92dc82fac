"""Shows how a stage advances: a bar on a terminal, one line every 30 s elsewhere, nothing with --json."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

LINE_EVERY_S = 30.0


class Meter(Protocol):
    """What a stage reports to."""

    def done(self, failed: bool = False) -> None:
        """One more item is finished."""

    def beat(self, units: int) -> None:
        """So many units (conversation ticks) of work are done in all."""


@contextmanager
def meter(stage: str, items: int, cached: int, units: int = 0, quiet: bool = False) -> Iterator[Meter]:
    """Show one stage: `items` to do, `cached` found in the store, `units` of work for the ETA."""
    if quiet or items == 0:
        if not quiet:
            say(f"{stage:9} {cached} stored, nothing to do")
        yield _Silent()
        return
    shown: _Bar | _Lines
    shown = _Bar(stage, items, cached, units) if sys.stderr.isatty() else _Lines(stage, items, cached, units)
    try:
        yield shown
    finally:
        shown.close()


def say(text: str) -> None:
    """Print one line of progress to standard error."""
    print(text, file=sys.stderr, flush=True)


class _Silent:
    def done(self, failed: bool = False) -> None:
        pass

    def beat(self, units: int) -> None:
        pass


class _Lines:
    """One line when a stage starts, every 30 s, and when it ends."""

    def __init__(self, stage: str, items: int, cached: int, units: int) -> None:
        self.stage, self.items, self.cached, self.units = stage, items, cached, units
        self.finished = self.failed = self.seen = 0
        self.start = self.last = time.monotonic()
        say(f"{stage:9} {items} to do, {cached} stored")

    def done(self, failed: bool = False) -> None:
        self.finished += 1
        self.failed += failed
        self._tell()

    def beat(self, units: int) -> None:
        self.seen = units
        self._tell()

    def _tell(self) -> None:
        now = time.monotonic()
        if now - self.last >= LINE_EVERY_S:
            self.last = now
            done = self.finished - self.failed
            say(f"{self.stage:9} {done}/{self.items} done, {self.failed} failed, {self._eta(now)}")

    def _eta(self, now: float) -> str:
        share = self.seen / self.units if self.units else self.finished / self.items
        if share <= 0:
            return "ETA unknown"
        return f"ETA {(now - self.start) * (1 - min(share, 1)) / share:.0f} s"

    def close(self) -> None:
        took = time.monotonic() - self.start
        done = self.finished - self.failed
        say(f"{self.stage:9} {done}/{self.items} done, {self.failed} failed, {took:.1f} s")


class _Bar:
    """A rich bar with counts and the time that is left."""

    def __init__(self, stage: str, items: int, cached: int, units: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self.items, self.units, self.finished, self.failed = items, units, 0, 0
        columns: list[Any] = [
            TextColumn("{task.description:9}"),
            BarColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        ]
        self.cached = cached
        self.bar = Progress(*columns, console=Console(stderr=True))
        self.task = self.bar.add_task(stage, total=units or items, counts=self._counts())
        self.bar.start()

    def _counts(self) -> str:
        return (
            f"{self.finished - self.failed}/{self.items} done · {self.failed} failed · {self.cached} stored"
        )

    def done(self, failed: bool = False) -> None:
        self.finished += 1
        self.failed += failed
        self.bar.update(
            self.task, counts=self._counts(), completed=None if self.units else float(self.finished)
        )

    def beat(self, units: int) -> None:
        if self.units:
            self.bar.update(self.task, completed=min(units, self.units))

    def close(self) -> None:
        if self.finished == self.items:
            self.bar.update(self.task, completed=self.units or self.items)
        self.bar.stop()
