"""Ctrl-C: the first lets a stage finish what is under way, the second stops at once. SIGTERM alike."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
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

    Afterwards the block's `Stop` says which of them came. If any did the command is about to end, and more
    of them change nothing.
    """
    stop, before = Stop(), _handlers()

    def note(number: int, frame: FrameType | None) -> None:
        if stop.level != GO:
            stop.level = DIE
            raise KeyboardInterrupt
        stop.level = HALT
        # not print: a signal may come while something is being printed
        os.write(2, f"{stage:9} interrupted: finishing {what}; {AGAIN}\n".encode())

    try:
        for number in before:
            signal.signal(number, note)
        yield stop
    except (Exception, KeyboardInterrupt):  # libraries may make an error of their own of it
        if stop.level != DIE:
            raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if stop.level == GO else _enough)


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does; afterwards both are as they were."""
    before = _handlers()

    def pass_on(number: int, frame: FrameType | None) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):
            raise KeyboardInterrupt
        handler(number, frame)

    try:
        if signal.SIGTERM in before:
            signal.signal(signal.SIGTERM, pass_on)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _handlers() -> dict[signal.Signals, signal._HANDLER]:
    """Return who handles signals; not in a thread, nor where one is ignored, as in the background."""
    known = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    heard = current_thread() is main_thread()
    return {number: handler for number, handler in known.items() if heard and handler != signal.SIG_IGN}


def _enough(number: int, frame: FrameType | None) -> None:
    """The command ends anyway."""
