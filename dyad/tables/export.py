"""The tables of a study as files: Parquet and CSV for programs, LaTeX and Markdown for papers.

Parquet and CSV are tidy and complete: every row, the columns that its table uses, numbers as computed.
LaTeX and Markdown hold the same tables as people read them, see `dyad.tables.sheets`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dyad.errors import ConfigError, near
from dyad.store import write_atomic

from .rows import COLUMNS, TEXTS, Row
from .sheets import Sheet, sheets

if TYPE_CHECKING:
    import pandas as pd

FORMATS: Mapping[str, str] = {"parquet": "parquet", "csv": "csv", "latex": "tex", "markdown": "md"}
EMPTY = "Nothing to show."
COUNTS = ("observations", "scenarios", "missing", "better")


class Source(NamedTuple):
    """What the captions of tables name: the study, its definitions, and whose labels it shows."""

    study: str
    mode: str
    judge: str

    def __str__(self) -> str:
        return f"study {self.study}, definitions: {self.mode}, judge: {self.judge}"


def formats_of(text: str) -> tuple[str, ...]:
    """Return the formats that a user names, separated by commas; raise ConfigError for none or another."""
    names = [name.strip() for name in text.strip("[] ").split(",") if name.strip()]
    if not names:
        raise ConfigError(f"format names none; give format={','.join(FORMATS)} or some of them")
    for name in names:
        if name not in FORMATS:
            raise ConfigError(f"no format '{name}'{near(name, FORMATS)}")
    return tuple(dict.fromkeys(names))


def export(rows: Sequence[Row], folder: Path, formats: Sequence[str], source: Source) -> list[Path]:
    """Write one file per table and format into a folder, each whole or not at all; return their paths."""
    written = []
    for table in dict.fromkeys(row["table"] for row in rows):
        own = [row for row in rows if row["table"] == table]
        for name in formats:
            path = folder / f"{table}.{FORMATS[name]}"
            write_atomic(path, content(own, table, name, source))
            written.append(path)
    return written


def content(rows: Sequence[Row], table: str, name: str, source: Source) -> bytes:
    """Return the rows of one table as a file of the named format."""
    if name == "parquet":
        buffer = io.BytesIO()
        tidy(rows).to_parquet(buffer, index=False)
        return buffer.getvalue()
    if name == "csv":
        return tidy(rows).to_csv(index=False, lineterminator="\n").encode()
    made = list(sheets(table, rows))
    return (latex(made, source) if name == "latex" else markdown(made, source)).encode()


def tidy(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the rows as a frame of the columns that some row uses; what cannot be had is null there."""
    import pandas as pd

    used = [name for name in COLUMNS if any(row[name] not in (None, "") for row in rows)]
    frame = pd.DataFrame([[row[name] for name in used] for row in rows], columns=used)
    return frame.astype({name: _kind(name) for name in used})


def _kind(column: str) -> str:
    return "object" if column in (*TEXTS, "table") else "Int64" if column in COUNTS else "float64"


def _words(sheet: Sheet) -> list[bool]:
    """Whether each column holds words, which begin at the left, or numbers."""
    return [i < sheet.names or head == "note" for i, head in enumerate(sheet.heads)]


# -- LaTeX -----------------------------------------------------------------------------------------

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$", "–": "--", "×": r"$\times$", "²": "$^2$",
    "→": r"$\to$", "η": r"$\eta$", "ω": r"$\omega$", "ε": r"$\varepsilon$", "α": r"$\alpha$", "’": "'",
}  # fmt: skip


def latex(made: Sequence[Sheet], source: Source) -> str:
    """Return sheets as LaTeX tables, to be put into a document that uses the package booktabs."""
    head = "% needs \\usepackage{booktabs}\n"
    return head + ("\n".join(_latex(sheet, source) for sheet in made) or f"% {EMPTY}\n")


def escaped(text: str) -> str:
    """Return text with everything escaped that LaTeX would read as a command; lines become one."""
    return "".join(LATEX.get(character, character) for character in " ".join(text.split()))


def _latex(sheet: Sheet, source: Source) -> str:
    caption = escaped(_caption(sheet, source))
    columns = "".join("l" if words else "r" for words in _words(sheet))
    label = re.sub(r"[^A-Za-z0-9-]+", "-", f"{source.study}-{sheet.key}")
    lines = [_line(map(escaped, line)) for line in sheet.body]
    return "\n".join((
        r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _line(map(escaped, sheet.heads)), r"\midrule",
        *lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
    ))  # fmt: skip


def _line(cells: Iterator[str]) -> str:
    return " & ".join(cells) + r" \\"


def _caption(sheet: Sheet, source: Source) -> str:
    return ". ".join(filter(None, (sheet.title, str(source), sheet.note))) + "."


# -- Markdown --------------------------------------------------------------------------------------


def markdown(made: Sequence[Sheet], source: Source) -> str:
    """Return sheets as Markdown tables, each under a heading."""
    return "\n".join(_markdown(sheet, source) for sheet in made) or f"{EMPTY}\n"


def quoted(text: str) -> str:
    """Return text in which no character ends a cell or marks anything up; lines become one."""
    return re.sub(r"([\\`*_\[\]<>|#&~])", r"\\\1", " ".join(text.split()))


def _markdown(sheet: Sheet, source: Source) -> str:
    rule = ["---" if words else "---:" for words in _words(sheet)]
    lines = [
        " | ".join(cells) for cells in (map(quoted, sheet.heads), rule, *(map(quoted, x) for x in sheet.body))
    ]
    about = quoted(". ".join(filter(None, (str(source), sheet.note))))
    return "\n".join(
        (f"## {quoted(sheet.title)}", "", f"{about}.", "", *(f"| {line} |" for line in lines), "")
    )
