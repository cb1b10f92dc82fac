"""Tables as files: complete and unrounded for programs, readable and safe for papers."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.tables.export import (
    FORMATS,
    LATEX,
    Source,
    escaped,
    export,
    formats_of,
    latex,
    markdown,
    quoted,
    tidy,
)
from dyad.tables.rows import COLUMNS, row
from dyad.tables.sheets import Sheet, sheets
from tests.tables.said import study_rows

SOURCE = Source("demo_1", "paper", "mechanical")
ROWS = study_rows()
TABLES = sorted({row["table"] for row in ROWS})
ESCAPED = re.compile(r"\\[{}$&#%_]|\\text\w+\{\}|\$[^$]*\$")  # what LaTeX reads as one character


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tables")
    written = export(ROWS, made, tuple(FORMATS), SOURCE)
    assert {path.name for path in written} == {f"{t}.{ending}" for t in TABLES for ending in FORMATS.values()}
    assert sorted(made.iterdir()) == sorted(written), "nothing else is left there"
    return made


@pytest.mark.parametrize("table", TABLES)
def test_programs_get_every_row_and_number_back(folder: Path, table: str) -> None:
    own = [row for row in ROWS if row["table"] == table]
    for frame in (pd.read_parquet(folder / f"{table}.parquet"), _csv(folder / f"{table}.csv")):
        assert len(frame) == len(own)
        for column in COLUMNS:
            values = [row[column] for row in own]
            if column not in frame:
                assert all(value in (None, "") for value in values)
                continue
            for found, value in zip(frame[column], values, strict=True):
                assert (pd.isna(found) and value in (None, "")) or found == value


def _csv(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, float_precision="round_trip")


def test_a_negative_share_is_kept(folder: Path) -> None:
    frame = pd.read_parquet(folder / "eta_corrected.parquet")
    assert frame["value"].min() == pytest.approx(-0.01)
    assert "p" not in frame  # no row of the table has one
    assert frame["scenarios"].dtype == "Int64"
    assert tidy([row("eta", value=0.1), row("eta")])["value"].isna().tolist() == [False, True]


@pytest.mark.parametrize("table", TABLES)
def test_latex_is_well_formed(folder: Path, table: str) -> None:
    text = (folder / f"{table}.tex").read_text("utf-8")
    assert text.startswith("% needs \\usepackage{booktabs,longtable,pdflscape}\n")
    assert len(re.findall(r"\\begin\{table\}", text)) == len(re.findall(r"\\end\{table\}", text))
    for columns, body in re.findall(r"\\begin\{tabular\}\{([^\n]*)\}\n(.*?)\\end\{tabular\}", text, re.S):
        lines = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len(lines) > 1
        kinds = re.sub(r"p\{[^}]*\}", "p", columns)
        assert set(kinds) <= set("lrp")
        assert {ESCAPED.sub("x", line).count("&") + 1 for line in lines} == {len(kinds)}
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    for caption in re.findall(r"\\caption\{(.*)\}\n", text):
        assert caption.endswith(".")
        for part in ("study demo\\_1", "definitions: paper", "judge: mechanical"):
            assert part in caption


def test_each_score_matrix_is_a_tabular_with_its_n(folder: Path) -> None:
    text = (folder / "matrix.tex").read_text("utf-8")
    assert text.count(r"\begin{tabular}{lrrr}") == 3
    assert r"\label{tab:demo-1-matrix-t4-2-leak}" in text
    assert "n 120, scenarios 20." in text
    assert r"moss & 0.62 [0.54, 0.70] & 0.58 [0.50, 0.66] & 0.70 [0.62, 0.78] \\" in text


@pytest.mark.parametrize("lines", [40, 41])
def test_what_does_not_fit_a_page_goes_over_several_and_repeats_its_head(lines: int) -> None:
    sheet = Sheet("k", "many", ("agent", "value"), tuple((f"a{i}", "0.5") for i in range(lines)), 1)
    text = latex([sheet], SOURCE)
    assert (r"\begin{table}" in text, r"\begin{longtable}{lr}" in text) == (lines <= 40, lines > 40)
    heads = 1 + (lines > 40)
    for part in ("{many. study demo", "agent & value", r"\toprule", r"\midrule"):
        assert text.count(part) == heads
    assert text.count(r"\label") == text.count(r"\bottomrule") == 1
    assert text.count(" & 0.5 ") == lines
    for name in re.findall(r"\\begin\{(\w+)\}", text):
        assert text.count(rf"\end{{{name}}}") == 1


@pytest.mark.parametrize("lines", [1, 41])
@pytest.mark.parametrize(("width", "small", "turned"), [(70, 0, 0), (71, 1, 0), (105, 1, 0), (106, 1, 1)])
def test_what_is_wide_is_small_and_what_is_wider_is_turned(
    width: int, small: int, turned: int, lines: int
) -> None:
    text = latex([Sheet("k", "wide", ("agent", "value"), (("a", "x" * width),) * lines, 1)], SOURCE)
    assert text.count(r"\footnotesize") == text.count(r"\setlength{\tabcolsep}{3pt}") == small
    assert text.count(r"\begin{landscape}") == text.count(r"\end{landscape}") == turned


@pytest.mark.parametrize(
    ("length", "columns"), [(25, "ll"), (26, r"lp{0.2\linewidth}"), (500, r"lp{0.2\linewidth}")]
)
def test_a_long_note_is_broken_and_makes_no_table_wide(length: int, columns: str) -> None:
    text = latex([Sheet("k", "noted", ("agent", "note"), (("a", "x" * length),), 1)], SOURCE)
    assert rf"\begin{{tabular}}{{{columns}}}" in text
    assert "footnotesize" not in text


@given(st.text())
def test_no_text_is_a_command_to_latex(text: str) -> None:
    made = escaped(text)
    left = ESCAPED.sub("", made)
    assert not set(left) & set("\\{}$&#%_^~")
    assert "\n" not in made
    assert escaped("a") == "a"
    assert set(LATEX) >= set("\\{}$&#%_^~")


@given(st.text(), st.text(min_size=1))
def test_no_text_ends_a_cell_of_markdown(title: str, name: str) -> None:
    sheet = Sheet("k", title, ("agent", name), ((name, "0.5"), ("b", name)), 1)
    *_, heads, rule, first, second = markdown([sheet], SOURCE).rstrip("\n").split("\n")
    for line in (heads, rule, first, second):
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3
    assert not re.search(r"(?<!\\)[<>`*]", quoted(name).replace("\\\\", ""))


def test_markdown_reads_as_it_stands() -> None:
    text = markdown(list(sheets("logrank", [row for row in ROWS if row["table"] == "logrank"])), SOURCE)
    assert text.splitlines()[:7] == [
        "## log-rank tests, stratified by scenario",
        "",
        r"study demo\_1, definitions: paper, judge: mechanical.",
        "",
        "| archetype | measure | what | value | p (Holm) |",
        "| --- | --- | --- | ---: | ---: |",
        r"| t1\_1 | entry | agents | 9.00 | 0.004 |",
    ]


def test_no_rows_make_no_files(tmp_path: Path) -> None:
    assert export([], tmp_path / "none", ("csv",), SOURCE) == []
    assert latex([], SOURCE).endswith("% Nothing to show.\n")
    assert markdown([], SOURCE) == "Nothing to show.\n"


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    export(ROWS, tmp_path, ("csv",), SOURCE)
    export([row("matrix", value=0.5)], tmp_path, ("csv",), SOURCE)
    assert (tmp_path / "matrix.csv").read_text() == "table,value,better\nmatrix,0.5,0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [("latx", "did you mean 'latex'"), ("csv,exel", "no format 'exel'"), ("", "names none")],
)
def test_another_format_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        formats_of(text)


def test_formats_come_in_the_order_in_which_they_are_named_and_once() -> None:
    assert formats_of("[csv, latex,csv]") == ("csv", "latex")
