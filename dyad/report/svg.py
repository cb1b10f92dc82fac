"""Figures as inline SVG and tinted tables. Colours are CSS classes, so that both colour schemes fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .markup import MISSING, Html, breakable, count, interval, join, number, tag, unit_words

TINTS = 8
CURVE_STYLES = 8
"""Curves differ in hue and in dash; past eight the styles repeat and the legend's order tells them apart."""
TICK_STEPS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
FIXED_SCALES: Mapping[str, tuple[float, float]] = {"share": (0.0, 1.0), "%": (0.0, 100.0)}
BETTER = {1: "higher is better", -1: "lower is better", 0: "neither end is better"}


class Plot(NamedTuple):
    """The drawing area of a time plot, in pixels, and the time at its right edge in seconds."""

    left: float
    top: float
    width: float
    height: float
    end_s: float

    def x(self, time_s: float) -> float:
        """Return the horizontal position of a time."""
        return self.left + self.width * time_s / self.end_s

    def y(self, share: float) -> float:
        """Return the vertical position of a share in [0, 1]."""
        return self.top + self.height * (1 - share)


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


def km(data: Mapping[str, Any]) -> Html:
    """Return a step plot of survival S, or of 1−S where the title says so, with numbers at risk."""
    curves = [curve for curve in data["curves"] if curve["n"]]
    if not curves:
        return tag(
            "figure", _km_title(data), tag("p", "No run is at risk, so there is no curve.", class_="empty")
        )
    falling = not re.search(r"1\s*[-−–]\s*S\b", data["title"])
    plot = Plot(38, 8, 420, 190, _end_s(curves))
    steps = (
        tag("path", d=step_path(curve, plot, falling), class_=f"curve c{i % CURVE_STYLES}")
        for i, curve in enumerate(curves)
    )
    height = plot.top + plot.height + 46 + 15 * len(curves)
    label = f"{data['title']}: share of runs by time in seconds"
    drawing = tag(
        "svg",
        *(_axes(plot), *steps, _at_risk(curves, plot)),
        viewBox=f"0 0 470 {height:.0f}",
        role="img",
        aria_label=label,
    )
    return tag("figure", _km_title(data), drawing, _km_legend(curves))


def _km_title(data: Mapping[str, Any]) -> Html:
    return tag("figcaption", tag("b", data["title"]), tag("small", data["measure"]))


def _end_s(curves: Sequence[Mapping[str, Any]]) -> float:
    return (
        max(max((*curve["times"], *(t for t, _ in curve["at_risk"])), default=0.0) for curve in curves) or 1.0
    )


def step_path(curve: Mapping[str, Any], plot: Plot, falling: bool) -> str:
    """Return the SVG path of one curve, from 1 (or 0) at time 0 to the last time that anything is known."""

    def height(share: float) -> str:
        return f"{plot.y(share if falling else 1 - share):.1f}"

    path = f"M{plot.x(0):.1f} {height(1.0)}"
    for time_s, share in zip(curve["times"], curve["survival"], strict=True):
        path += f"H{plot.x(time_s):.1f}V{height(share)}"
    known_s = max((t for t, n in curve["at_risk"] if n), default=0.0)
    return path + f"H{plot.x(max(known_s, *curve['times'], 0.0)):.1f}"


def time_ticks(end_s: float) -> list[float]:
    """Return at most seven round times from 0 to `end_s`."""
    step = next((s for s in TICK_STEPS_S if end_s / s <= 6), end_s / 6)
    return [step * i for i in range(int(end_s / step + 1e-9) + 1)]


def _axes(plot: Plot) -> Html:
    right, bottom = plot.left + plot.width, plot.top + plot.height
    shares = join(
        *(
            join(
                tag(
                    "line",
                    x1=plot.left,
                    x2=right,
                    y1=plot.y(s),
                    y2=plot.y(s),
                    class_="half" if s == 0.5 else "grid",
                ),
                tag("text", f"{s:.2g}", x=plot.left - 6, y=plot.y(s) + 4, text_anchor="end"),
            )
            for s in (0, 0.25, 0.5, 0.75, 1)
        )
    )
    times = (
        tag("text", f"{t:.4g}", x=f"{plot.x(t):.1f}", y=bottom + 15, text_anchor="middle")
        for t in time_ticks(plot.end_s)
    )
    unit = tag("text", "seconds · at risk:", x=plot.left, y=bottom + 31, class_="dim")
    return join(shares, *times, unit)


def _at_risk(curves: Sequence[Mapping[str, Any]], plot: Plot) -> Html:
    top = plot.top + plot.height + 46
    return join(*(_at_risk_row(curve, i, top + 15 * i, plot) for i, curve in enumerate(curves)))


def _at_risk_row(curve: Mapping[str, Any], index: int, y: float, plot: Plot) -> Html:
    style = f"curve c{index % CURVE_STYLES}"
    sample = tag("line", x1=2, x2=26, y1=y - 4, y2=y - 4, class_=style)
    counts = (
        tag("text", count(n), x=f"{plot.x(t):.1f}", y=f"{y:.1f}", text_anchor="middle")
        for t, n in curve["at_risk"]
    )
    return join(sample, *counts)


def _km_legend(curves: Sequence[Mapping[str, Any]]) -> Html:
    head = tag("tr", *(tag("th", word, scope="col") for word in ("curve", "median s", "events", "runs")))
    rows = (
        tag(
            "tr",
            tag("th", _sample(i), curve["label"], scope="row"),
            *(tag("td", text) for text in (_median(curve), count(curve["events"]), count(curve["n"]))),
        )
        for i, curve in enumerate(curves)
    )
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="legend")


def _sample(index: int) -> Html:
    line = tag("line", x1=0, x2=24, y1=5, y2=5, class_=f"curve c{index % CURVE_STYLES}")
    return tag("svg", line, viewBox="0 0 24 10", class_="sample", aria_hidden="true")


def _median(curve: Mapping[str, Any]) -> object:
    return tag("abbr", "n.r.", title="not reached") if curve["median"] is None else number(curve["median"])


def eta(data: Mapping[str, Any]) -> Html:
    """Return the share of variance of each term as bars from 0 to 1, with one standard deviation each way."""
    rows = join(*(_bar(term, 6 + 24 * i) for i, term in enumerate(data["terms"])))
    title = tag(
        "figcaption", tag("b", data["measure"]), tag("small", f"share of variance · n {count(data['n'])}")
    )
    box = f"0 0 400 {24 * len(data['terms']) + 6}"
    return tag(
        "figure",
        title,
        tag("svg", rows, viewBox=box, role="img", aria_label=f"Variance of {data['measure']}"),
    )


def _bar(term: Mapping[str, Any], y: float) -> Html:
    left, width = 110, 200
    value, sd = term["value"], term.get("sd")
    name = tag("text", term["name"].replace(" x ", " × "), x=left - 8, y=y + 12, text_anchor="end")
    track = tag("rect", x=left, y=y, width=width, height=15, rx=2, class_="track")
    if value is None:
        return join(name, track, tag("text", MISSING, x=left + width + 10, y=y + 12))
    kind = "bar residual" if term["name"] == "residual" else "bar"
    bar = tag("rect", x=left, y=y, width=f"{width * _unit(value):.1f}", height=15, rx=2, class_=kind)
    text = number(value) if sd is None else f"{number(value)} ± {number(sd)}"
    whisker = (
        None
        if sd is None
        else _whisker(left + width * _unit(value - sd), left + width * _unit(value + sd), y)
    )
    return join(name, track, bar, whisker or "", tag("text", text, x=left + width + 10, y=y + 12))


def _whisker(low: float, high: float, y: float) -> Html:
    return tag("path", d=f"M{low:.1f} {y + 4:.1f}v7m0-3.5H{high:.1f}m0-3.5v7", class_="whisker")


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)
