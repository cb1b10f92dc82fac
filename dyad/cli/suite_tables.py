"""The tables of a suite on the terminal: one per mode and version, then how the trials of the plan ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dyad.cli.output import WIDTH, grid, wide_console
from dyad.report.suite.sheet import (
    EARLY,
    Sheet,
    censored,
    differences,
    is_authors,
    modes,
    sheets,
    significance,
    statuses,
    unscored,
)
from dyad.tables import Row
from dyad.tables.paired import LEVEL

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


IN_REPORT = "The report has all measures and differences; changes of voice are here where p (Holm) < 0.05."


class SuiteTables(NamedTuple):
    """What is printed of a suite: the rows of its tables, and what they rest on."""

    name: str
    suite: str
    judge: str
    asr: str
    vad: str
    rows: Sequence[Row]
    warnings: Sequence[str] = ()  # what judges cannot be trusted with
    account: Mapping[str, int] | None = None  # the runs of the plan, by what became of them


def suite_tables(made: SuiteTables, as_json: bool) -> int:
    """Print the authors' measures of each mode, censored times, differences, statuses."""
    if as_json:
        print(json.dumps(made._asdict(), ensure_ascii=False))
        return 0
    console = wide_console()
    console.print(f"{made.name}: suite {made.suite}", style="bold")
    console.print("\n".join(head_lines(made)))
    for sheet in _sheets(made.rows):
        print_sheet(console, sheet)
    console.print(IN_REPORT)
    return 0


def head_lines(made: SuiteTables) -> Iterator[str]:
    """Say by which definitions and with what the numbers were made."""
    known = modes(made.rows)
    yield f"definitions: {' and '.join(known) or 'none'}" + (
        ", in tables of their own" if len(known) > 1 else ""
    )
    yield f"judge: {made.judge or 'none'} · ASR: {made.asr or 'none'} · VAD: {made.vad or 'none'}"
    yield EARLY
    yield from made.warnings


def _sheets(rows: Sequence[Row]) -> Iterator[Sheet]:
    for mode in modes(rows):
        yield from sheets(rows, mode)
    for mode in modes(rows):
        yield censored(rows, mode)
        yield differences([x for x in rows if _printed(x)], mode)
        yield significance([x for x in rows if _printed(x)], mode)
    yield statuses(rows)
    yield unscored(rows)


def _printed(row: Row) -> bool:
    """Whether a difference is of a measure that the authors print, or a change of voice is significant."""
    if row["table"] == "suite_significance":
        return row["p_adjusted"] is not None and row["p_adjusted"] < LEVEL
    return row["table"] != "suite_difference" or is_authors(row)


def print_sheet(console: Console, sheet: Sheet) -> None:
    """Print a table, if it has lines, and its notes below it."""
    if not sheet.body:
        return
    sheet, notes = _footnotes(sheet)
    console.print(_fitted(console, sheet))
    for note in filter(None, (sheet.note, *notes)):
        console.print(f"  {note}")


def _fitted(console: Console, sheet: Sheet) -> Table:
    """Return a table for the width of a console: where it is too wide, names fold before numbers do."""
    endless = console.options.update(width=WIDTH)
    table = grid(sheet.title, sheet.heads, sheet.body, sheet.names)
    if console.measure(table, options=endless).maximum <= console.width:
        return table
    for below in ("] ", "]\n"):
        narrow = _narrow(sheet, below)
        table = grid(sheet.title, narrow.heads, narrow.body, sheet.names)
        numbers = table.columns[sheet.names :]
        for column, texts in zip(numbers, list(zip(*narrow.body, strict=True))[sheet.names :], strict=True):
            column.min_width = max(len(part) for text in texts for part in text.split("\n"))
        if console.measure(table, options=endless).minimum <= console.width:
            for column in numbers:
                column.no_wrap = True
            break
    return table  # where nothing fits numbers fold too; nothing is ever cut off


def _footnotes(sheet: Sheet) -> tuple[Sheet, list[str]]:
    """Replace a column of notes by numbers, and return what they stand for."""
    if sheet.heads[-1] != "note":
        return sheet, []
    known = {
        note: str(i) for i, note in enumerate(dict.fromkeys(x[-1] for x in sheet.body if x[-1]), start=1)
    }
    body = [[*x[:-1], known.get(x[-1], "")] for x in sheet.body]
    return sheet._replace(body=body), [f"{number} {note}" for note, number in known.items()]


def _narrow(sheet: Sheet, after: str) -> Sheet:
    """Put intervals below their numbers, and heads into several lines; `after` is what ends an interval."""
    heads = [*sheet.heads[: sheet.names], *(head.replace(" ", "\n") for head in sheet.heads[sheet.names :])]
    body = [[x.replace(" [", "\n[").replace("] ", after) for x in line] for line in sheet.body]
    return sheet._replace(heads=heads, body=body)
