"""The rows of which all tables of a study consist: one number each, with what it rests on.

A number that cannot be had is None, and `note` says why. Which columns a table uses, see docs/statistics.md.
"""

from __future__ import annotations

from typing import Any

from dyad.measure.catalogue import MEASURES

Row = dict[str, Any]

COLUMNS = (
    "condition", "table", "archetype", "measure", "agent", "partner", "term", "at", "value", "sd", "low",
    "high", "interval", "p", "p_adjusted", "mde", "hits", "n", "observations", "scenarios", "missing", "unit",
    "better", "note",
)  # fmt: skip
ONE_SCENARIO = "one scenario: no interval"
ALIKE = "the same in every scenario: no interval"
UNMOVED = "the same in every resample: no interval"
EQUAL = 1e-9  # numbers that vary by less than this share of themselves are all the same
TEXTS = ("condition", "archetype", "measure", "agent", "partner", "term", "interval", "unit", "note")


def row(table: str, /, **content: Any) -> Row:
    """Return a row with every column; texts default to "", numbers to None. KeyError for another column.

    A measure's unit and direction come from the catalogue unless they are given.
    """
    if unknown := content.keys() - set(COLUMNS):
        raise KeyError(f"no column {', '.join(sorted(unknown))}")
    blank = dict.fromkeys(COLUMNS, None) | dict.fromkeys(TEXTS, "") | {"table": table, "better": 0}
    about = MEASURES.get(content.get("measure", ""))
    known = {} if about is None else {"unit": about.unit, "better": about.better}
    return blank | known | content
