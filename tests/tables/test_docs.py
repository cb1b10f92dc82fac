"""The documents name every measure, every table and every column."""

from __future__ import annotations

import re
from pathlib import Path

from dyad.measure.catalogue import MEASURES
from dyad.tables import COLUMNS
from dyad.tables.sheets import LAYOUTS

DOCS = Path(__file__).parents[2] / "docs"


def named(file: str) -> set[str]:
    """What stands in backticks in the first column of a table of a document."""
    firsts = re.findall(r"^\|([^|]*)\|", (DOCS / file).read_text("utf-8"), re.MULTILINE)
    return {name for first in firsts for name in re.findall(r"`([^`]+)`", first)}


def test_every_measure_is_defined() -> None:
    assert set(MEASURES) <= named("measures.md")


def test_every_table_and_column_is_explained() -> None:
    assert set(LAYOUTS) | set(COLUMNS) <= named("statistics.md")
