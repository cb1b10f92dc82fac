"""Errors that a user can act on. Each is one line: what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

SHOWN = 20  # names that one line can hold


class DyadError(Exception):
    """An error with an exit code of its own; the command line prints its text, never a traceback."""

    exit_code = 1


class ConfigError(DyadError):
    """Usage or configuration is wrong; nothing was written."""

    exit_code = 2


class Missing(ConfigError):
    """Things that a study needs are not on this machine: one line for each."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class RunsFailed(DyadError):
    """Some runs failed; the others are in the store."""

    exit_code = 3


class BudgetReached(DyadError):
    """The budget stopped new work."""

    exit_code = 4


class Interrupted(DyadError):
    """Somebody stopped the command; what is done is stored."""

    exit_code = 130


class Unsupported(DyadError):
    """An agent was asked for something that its capabilities do not list."""

    exit_code = 2


@contextmanager
def naming(path: object) -> Iterator[None]:
    """Let an error of the system that names no file, as that of a full disk does, name this one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def near(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` when a known name is close, else the first known names."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, 1, 0.6)
    if close:
        return f"; did you mean '{close[0]}'?"
    shown = [*names[:SHOWN], "…"] if len(names) > SHOWN else names
    return f"; known: {', '.join(shown)}" if names else ""
