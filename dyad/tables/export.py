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


LONG = 40  # lines, more than fit a page together with a caption
WIDE, WIDER = 75, 110  # characters, more than fit a line in the usual size, and in small print
NOTE = 25  # characters of a note, after which its line is broken
SMALL = (r"\footnotesize", r"\setlength{\tabcolsep}{3pt}")


def latex(made: Sequence[Sheet], source: Source) -> str:
    """Return sheets as LaTeX tables, to be put into a document that uses the packages of the first line."""
    head = "% needs \\usepackage{booktabs,longtable,pdflscape}\n"
    return head + ("\n".join(_latex(sheet, source) for sheet in made) or f"% {EMPTY}\n")


def escaped(text: str) -> str:
    """Return text with everything escaped that LaTeX would read as a command; lines become one."""
    return "".join(LATEX.get(character, character) for character in " ".join(text.split()))


def _latex(sheet: Sheet, source: Source) -> str:
    """A table: over several pages where it is long, small where it is wide, turned where it is wider."""
    caption = f"{{{escaped(_caption(sheet, source))}}}"
    label = re.sub(r"[^A-Za-z0-9-]+", "-", f"{source.study}-{sheet.key}")
    width = _width(sheet)
    size = SMALL if width > WIDE else ()
    make = _over_pages if len(sheet.body) > LONG else _on_a_page
    table = make(sheet, caption, rf"\label{{tab:{label}}}", size)
    turned = (r"\begin{landscape}", *table, r"\end{landscape}") if width > WIDER else table
    return "\n".join((*turned, ""))


def _on_a_page(sheet: Sheet, caption: str, label: str, size: Sequence[str]) -> tuple[str, ...]:
    heads, lines = _lines(sheet)
    return (
        r"\begin{table}", r"\centering", rf"\caption{caption}", label, *size,
        rf"\begin{{tabular}}{{{_columns(sheet)}}}", *heads, *lines, r"\bottomrule", r"\end{tabular}",
        r"\end{table}",
    )  # fmt: skip


def _over_pages(sheet: Sheet, caption: str, label: str, size: Sequence[str]) -> tuple[str, ...]:
    """Every page has caption and heads; a list of tables has the caption once."""
    heads, lines = _lines(sheet)
    return (
        r"\begingroup", r"\setlength{\LTcapwidth}{\linewidth}", *size,
        rf"\begin{{longtable}}{{{_columns(sheet)}}}", rf"\caption{caption}", rf"{label}\\", *heads,
        r"\endfirsthead", rf"\caption[]{caption}\\", *heads, r"\endhead", r"\bottomrule", r"\endfoot", *lines,
        r"\end{longtable}", r"\endgroup",
    )  # fmt: skip


def _lines(sheet: Sheet) -> tuple[tuple[str, ...], list[str]]:
    """The heads between their rules, and the lines of the body."""
    heads = (r"\toprule", _line(map(escaped, sheet.heads)), r"\midrule")
    return heads, [_line(map(escaped, line)) for line in sheet.body]


def _longest(sheet: Sheet) -> list[int]:
    """The characters of the longest cell of each column."""
    return [max(map(len, column)) for column in zip(sheet.heads, *sheet.body, strict=True)]


def _width(sheet: Sheet) -> int:
    sizes = zip(sheet.heads, _longest(sheet), strict=True)
    return sum(min(longest, NOTE) if head == "note" else longest for head, longest in sizes)


def _columns(sheet: Sheet) -> str:
    return "".join(map(_column, sheet.heads, _words(sheet), _longest(sheet)))


def _column(head: str, words: bool, longest: int) -> str:
    """How a column is set: words at the left, numbers at the right, long notes in several lines."""
    broken = head == "note" and longest > NOTE
    return r"p{0.2\linewidth}" if broken else "l" if words else "r"


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
