"""Score matrices as tables; the stronger a tint, the better (or just the higher)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dyad.report.markup import Html, breakable, tag
from dyad.tables.words import MISSING, count, interval, number, unit_words

TINTS = 8
FIXED_SCALES: Mapping[str, tuple[float, float]] = {"share": (0.0, 1.0), "%": (0.0, 100.0)}
BETTER = {1: "higher is better", -1: "lower is better", 0: "neither end is better"}


def matrix(data: Mapping[str, Any]) -> Html:
    """Return one score matrix as a table; the stronger a tint, the better (or just the higher)."""
    columns = data["cols"]
    head = tag(
        "tr",
        tag("td", tag("div", f"{data['col_word']} →"), tag("div", f"{data['row_word']} ↓"), class_="corner"),
        *(tag("th", breakable(name), scope="col") for name in columns),
    )
    scale = _scale(data)
    rows = (
        tag(
            "tr",
            tag("th", breakable(name), scope="row"),
            *(_cell(cell, scale, data["better"]) for cell in cells),
        )
        for name, cells in zip(data["rows"], data["cells"], strict=True)
    )
    unit = f" ({unit_words(data['unit'])})" if data["unit"] else ""
    note = f"{data['archetype']} · {data['measure']}{unit} · {BETTER[data['better']]}"
    flags = (tag("div", tag("span", flag, class_="chip bad")) for flag in data["flags"])
    caption = tag("caption", tag("b", data["title"]), tag("small", note), *flags)
    kind = "matrix neutral" if data["better"] == 0 else "matrix"
    return tag("table", caption, tag("thead", head), tag("tbody", *rows), class_=kind)


def _scale(data: Mapping[str, Any]) -> tuple[float, float]:
    """Shares keep one scale in all matrices; other units stretch over what the matrix holds."""
    if data["unit"] in FIXED_SCALES:
        return FIXED_SCALES[data["unit"]]
    values = [cell["value"] for row in data["cells"] for cell in row if cell and cell["value"] is not None]
    return (min(values), max(values)) if values else (0.0, 0.0)


def _cell(cell: Mapping[str, Any] | None, scale: tuple[float, float], better: int) -> Html:
    if cell is None or cell["value"] is None:
        return tag("td", MISSING, class_="missing", title="no run gave a value")
    small = " · ".join(filter(None, (interval(cell["lo"], cell["hi"]), f"n {count(cell['n'])}")))
    level = tint(cell["value"], scale, better)
    return tag("td", tag("b", number(cell["value"])), tag("small", small), class_=f"t{level}")


def tint(value: float, scale: tuple[float, float], better: int) -> int:
    """Return the tint from 0 to `TINTS`; 0 everywhere when the scale has no width."""
    low, high = scale
    if high <= low:
        return 0
    place = min(max((value - low) / (high - low), 0.0), 1.0)
    return round(TINTS * (1 - place if better < 0 else place))
