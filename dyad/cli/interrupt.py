"""Ctrl-C: the first lets a stage finish what is under way, the second stops at once. SIGTERM alike."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import current_thread, main_thread
from types import FrameType

from dyad.launch import DIE, GO, HALT

AGAIN = "Ctrl-C again stops now"


class Stop:
    """What a stage is asked for by signals: nothing yet, to begin nothing more, to stop at once."""

    def __init__(self) -> None:
        """Nothing has been asked for."""
        self.level = GO

    def __call__(self) -> int:
        """Return what is asked for, as `dyad.launch` knows it."""
        return self.level


@contextmanager
def finishing(stage: str, what: str) -> Iterator[Stop]:
    """Note the first Ctrl-C, and say at once what is being finished; leave the block at the second.

    Afterwards the block's `Stop` says which of them came.
    """
    stop = Stop()

    def note(number: int, frame: FrameType | None) -> None:
        if stop.level != GO:
            stop.level = DIE
            raise KeyboardInterrupt
        stop.level = HALT
        # not print: a signal may come while something is being printed
        os.write(2, f"{stage:9} interrupted: finishing {what}; {AGAIN}\n".encode())

    with ExitStack() as handled:
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # as of a command in the background
            handled.enter_context(_handled(signal.SIGINT, note))
        handled.enter_context(_handled(signal.SIGTERM, note))
        try:
            yield stop
        except KeyboardInterrupt:
            if stop.level != DIE:
                raise


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):
            raise KeyboardInterrupt
        handler(number, frame)

    with _handled(signal.SIGTERM, pass_on):
        yield


@contextmanager
def _handled(number: signal.Signals, handler: signal._HANDLER) -> Iterator[None]:
    """Have a signal handled otherwise for a while; nothing in a thread, which gets none."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
