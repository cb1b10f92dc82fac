"""The tables of a suite on the terminal: one per mode and version, then how the trials of the plan ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dyad.cli.output import grid, wide_console
from dyad.report.suite.sheet import (
    EARLY,
    Sheet,
    censored,
    differences,
    modes,
    sheets,
    significance,
    statuses,
)
from dyad.tables import Row

if TYPE_CHECKING:
    from rich.console import Console


class SuiteTables(NamedTuple):
    """What is printed of a suite: the rows of its tables, and what they rest on."""

    name: str
    suite: str
    judge: str
    asr: str
    vad: str
    rows: Sequence[Row]


def suite_tables(made: SuiteTables, as_json: bool) -> int:
    """Print the authors' columns of each mode with intervals and n, censored times, differences, statuses."""
    if as_json:
        print(json.dumps(made._asdict(), ensure_ascii=False))
        return 0
    console = wide_console()
    console.print(f"{made.name}: suite {made.suite}", style="bold")
    console.print("\n".join(head_lines(made)))
    for sheet in _sheets(made.rows):
        _print(console, sheet)
    return 0


def head_lines(made: SuiteTables) -> Iterator[str]:
    """Say by which definitions and with what the numbers were made."""
    known = modes(made.rows)
    yield f"definitions: {' and '.join(known) or 'none'}" + (
        ", in tables of their own" if len(known) > 1 else ""
    )
    yield f"judge: {made.judge or 'none'} · ASR: {made.asr or 'none'} · VAD: {made.vad or 'none'}"
    yield EARLY


def _sheets(rows: Sequence[Row]) -> Iterator[Sheet]:
    for mode in modes(rows):
        yield from sheets(rows, mode)
    yield censored(rows)
    for mode in modes(rows):
        yield differences(rows, mode)
        yield significance(rows, mode)
    yield statuses(rows)


def _print(console: Console, sheet: Sheet) -> None:
    if sheet.body:
        console.print(grid(sheet.title, sheet.heads, sheet.body, sheet.names))
        if sheet.note:
            console.print(f"  {sheet.note}")
