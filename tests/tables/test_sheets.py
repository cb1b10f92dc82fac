"""Tables as people read them: nothing is lost, and nothing is shown that was not there."""

from __future__ import annotations

import pytest

from dyad.tables.rows import Row, row
from dyad.tables.sheets import LAYOUTS, sheets
from dyad.tables.words import estimate
from tests.tables.said import study_rows

ROWS = study_rows()
TABLES = sorted({row["table"] for row in ROWS})


def of(table: str) -> list[Row]:
    return [row for row in ROWS if row["table"] == table]


@pytest.mark.parametrize("table", TABLES)
def test_every_line_has_a_cell_for_every_head(table: str) -> None:
    made = list(sheets(table, of(table)))
    assert made
    assert len({sheet.key for sheet in made}) == len(made)
    for sheet in made:
        assert sheet.body
        assert all(len(line) == len(sheet.heads) for line in sheet.body)
        assert len({line[: sheet.names] for line in sheet.body}) == len(sheet.body), (
            "no two lines of one name"
        )


@pytest.mark.parametrize("table", [name for name in TABLES if LAYOUTS[name].over and name != "incidence"])
def test_every_number_is_in_a_cell(table: str) -> None:
    cells = [
        cell for sheet in sheets(table, of(table)) for line in sheet.body for cell in line[sheet.names :]
    ]
    shown = sorted(cell.partition(", p ")[0] for cell in cells if cell != "–")
    assert shown == sorted(estimate(row) for row in of(table) if LAYOUTS[table].keep(row))


def test_a_matrix_is_a_sheet_of_its_own() -> None:
    first, *_ = sheets("matrix", of("matrix"))
    assert (
        first.title == "score · t1_1 engaging partner: adherence (behaves as its own role, fully or partly)"
    )
    assert first.heads == ("agent", "moss", "pine", "rush")
    assert first.body[0] == ("moss", "0.62 [0.54, 0.70]", "0.58 [0.50, 0.66]", "0.70 [0.62, 0.78]")
    assert first.note == "n 120, scenarios 20"


def test_conditions_are_never_in_one_sheet() -> None:
    rows = [one | {"condition": condition} for condition in ("30 s", "60 s") for one in of("profile")]
    assert [sheet.title for sheet in sheets("profile", rows)] == [
        "mean over partners · 30 s",
        "mean over partners · 60 s",
    ]


def test_a_number_that_cannot_be_had_says_why() -> None:
    terms = [row("eta", archetype="t2", term=term, note="one scenario") for term in ("model", "partner")]
    (sheet,) = sheets("eta", [*terms, row("eta", archetype="t4_2", note="nothing varies")])
    assert sheet.heads == ("archetype", "model", "partner", "note")
    assert sheet.body == (("t2", "–", "–", "–"), ("t4_2", "–", "–", "nothing varies"))
    assert sheet.note == "–: one scenario"


def test_settings_of_a_ranking_stand_side_by_side() -> None:
    rows = [row("rank", agent="x", term="alpha-rank", at=at, value=at / 100) for at in (1.0, 50.0)]
    (sheet,) = sheets("rank", rows)
    assert sheet.heads[sheet.names :] == ("alpha-rank 1", "alpha-rank 50")


def test_units_stand_by_the_measures_that_have_one() -> None:
    rows = [row("contrast", archetype="t1_1", measure="entry", unit="s", value=2.0, n=8.0, hits=1.5)]
    rows.append(row("contrast", measure="backchannels", unit="per_min", value=1.0))
    rows.append(row("contrast", measure="tor_end", unit="share", value=1.0))
    (sheet,) = sheets("contrast", rows)
    assert [line[:2] for line in sheet.body] == [
        ("t1_1", "entry (s)"), ("all", "backchannels (per min)"), ("all", "tor_end"),
    ]  # fmt: skip
    assert sheet.body[0][-2:] == ("1.50", "8")


def test_of_an_incidence_the_end_is_shown() -> None:
    (sheet,) = sheets("incidence", of("incidence"))
    assert sheet.body == (("t4_2", "time_to_leak", "moss", "0.41", "0.41"),)
