"""Kaplan–Meier curves with their bands, medians and numbers at risk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dyad.report.markup import Html, join, tag
from dyad.tables.words import count

STYLES = 8
"""Curves differ in hue and in dash; past eight the styles repeat and the legend's order tells them apart."""
TICK_STEPS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
RESOLUTION = 2.0  # pixels: steps that are closer are drawn as one


class Curve(NamedTuple):
    """One curve: survival after each time in s, its band where there is one, and what the legend says."""

    label: str
    times: Sequence[float]
    survival: Sequence[float]
    low: Sequence[float | None]
    high: Sequence[float | None]
    at_risk: Sequence[tuple[float, float]]
    median: str
    events: float | None
    n: float


class Plot(NamedTuple):
    """The drawing area, in pixels, and the time at its right edge in seconds."""

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


def curves(drawn: Sequence[Curve], end_s: float, label: str) -> Html:
    """Return a step plot with numbers at risk below and a legend."""
    plot = Plot(38, 8, 420, 190, end_s or 1.0)
    height = plot.top + plot.height + 46 + 15 * len(drawn)
    risk = (_at_risk(curve, i, plot) for i, curve in enumerate(drawn))
    unit = tag("text", "seconds · at risk:", x=plot.left, y=plot.top + plot.height + 31, class_="dim")
    content = join(*_axes(plot), unit, *_bands(drawn, plot), *_paths(drawn, plot), *risk)
    svg = tag("svg", content, viewBox=f"0 0 470 {height:.0f}", role="img", aria_label=label)
    return join(svg, _legend(drawn))


def small_curves(drawn: Sequence[Curve], end_s: float, label: str) -> Html:
    """Return the same curves on a small plot, without legend: one of several side by side."""
    plot = Plot(38, 6, 176, 100, end_s or 1.0)
    content = join(*_axes(plot), *_bands(drawn, plot), *_paths(drawn, plot))
    return tag("svg", content, viewBox="0 0 226 130", role="img", aria_label=label)


def _paths(drawn: Sequence[Curve], plot: Plot) -> Iterator[Html]:
    for i, curve in enumerate(drawn):
        yield tag("path", d=step_path(curve, plot), class_=f"curve c{i % STYLES}")


def _bands(drawn: Sequence[Curve], plot: Plot) -> Iterator[Html]:
    for i, curve in enumerate(drawn):
        if path := band_path(curve, plot):
            yield tag("path", d=path, class_=f"band k{i % STYLES}")


def step_path(curve: Curve, plot: Plot) -> str:
    """Return the SVG path of one curve, from 1 at time 0 to the last time that anything is known."""
    steps = "".join(
        f"H{plot.x(curve.times[i]):.1f}V{plot.y(curve.survival[i]):.1f}" for i in _seen(curve.times, plot)
    )
    return f"M{plot.x(0):.1f} {plot.y(1.0):.1f}{steps}H{plot.x(last_known(curve)):.1f}"


def band_path(curve: Curve, plot: Plot) -> str:
    """Return the outline of a band, along its upper edge and back along its lower one; "" without one."""
    known = [
        (plot.x(curve.times[i]), plot.y(low), plot.y(high))
        for i in _seen(curve.times, plot)
        if (low := curve.low[i]) is not None and (high := curve.high[i]) is not None
    ]
    if not known:
        return ""
    ends = [*(x for x, _, _ in known[1:]), max(plot.x(last_known(curve)), known[-1][0])]
    there = "".join(f"V{high:.1f}H{end:.1f}" for (_, _, high), end in zip(known, ends, strict=True))
    back = "".join(
        f"V{low:.1f}H{x:.1f}" for x, low, _ in reversed(known)
    )  # each step's lower edge, back to where it began
    return f"M{known[0][0]:.1f} {known[0][2]:.1f}{there}{back}Z"


def last_known(curve: Curve) -> float:
    """Return the last time at which anything is known of a curve."""
    return max((*(t for t, n in curve.at_risk if n), *curve.times), default=0.0)


def _seen(times: Sequence[float], plot: Plot) -> list[int]:
    """The steps that can be told apart: the last one of each few pixels."""
    places = [int(plot.x(time_s) / RESOLUTION) for time_s in times]
    return [i for i, place in enumerate(places) if i + 1 == len(places) or places[i + 1] != place]


def time_ticks(end_s: float) -> list[float]:
    """Return at most seven round times from 0 to `end_s`."""
    step = next((s for s in TICK_STEPS_S if end_s / s <= 6), end_s / 6)
    return [step * i for i in range(int(end_s / step + 1e-9) + 1)]


def _axes(plot: Plot) -> Iterator[Html]:
    right, bottom = plot.left + plot.width, plot.top + plot.height
    for share in (0, 0.25, 0.5, 0.75, 1):
        y, kind = plot.y(share), "half" if share == 0.5 else "grid"
        yield tag("line", x1=plot.left, x2=right, y1=y, y2=y, class_=kind)
        yield tag("text", f"{share:.2g}", x=plot.left - 6, y=y + 4, text_anchor="end")
    for time_s in time_ticks(plot.end_s):
        yield tag("text", f"{time_s:.4g}", x=f"{plot.x(time_s):.1f}", y=bottom + 15, text_anchor="middle")


def _at_risk(curve: Curve, index: int, plot: Plot) -> Html:
    y = plot.top + plot.height + 46 + 15 * index
    sample = tag("line", x1=0, x2=18, y1=y - 4, y2=y - 4, class_=f"curve c{index % STYLES}")
    counts = (
        tag("text", count(n), x=f"{plot.x(t):.1f}", y=f"{y:.1f}", text_anchor="middle")
        for t, n in curve.at_risk
    )
    return join(sample, *counts)


def _legend(drawn: Sequence[Curve]) -> Html:
    head = tag("tr", *(tag("th", word, scope="col") for word in ("curve", "median s", "events", "runs")))
    rows = (
        tag(
            "tr",
            tag("th", sample(i), curve.label, scope="row"),
            *(tag("td", text) for text in (_median(curve), count(curve.events), count(curve.n))),
        )
        for i, curve in enumerate(drawn)
    )
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="legend")


def sample(index: int) -> Html:
    """Return a piece of the line that a curve is drawn with."""
    line = tag("line", x1=0, x2=24, y1=5, y2=5, class_=f"curve c{index % STYLES}")
    return tag("svg", line, viewBox="0 0 24 10", class_="sample", aria_hidden="true")


def _median(curve: Curve) -> object:
    return tag("abbr", "n.r.", title="not reached") if curve.median == "n.r." else curve.median
