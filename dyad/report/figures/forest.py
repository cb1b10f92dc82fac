"""Numbers with intervals on one axis: differences around 0, means of agents, effects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dyad.report.markup import Html, join, tag
from dyad.tables.words import number

LEFT, WIDTH, STEP, TOP = 132, 165, 22, 8  # pixels
LONGEST = 21  # characters of a name that fit on the left; longer ones stand above their line
ABOVE = 15  # pixels that such a name takes
NOTHING = 1e-9  # numbers below are 0 but for rounding
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


class Line(NamedTuple):
    """One number. `clear` ones may be claimed to differ from 0."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    clear: bool = False


class Axis(NamedTuple):
    """The numbers at both ends, and the half width around 0 within which nothing can be seen, or None."""

    low: float
    high: float
    blind: float | None = None

    def x(self, value: float) -> float:
        """Return the horizontal position of a number; what lies outside sits at the end."""
        place = (value - self.low) / (self.high - self.low)
        return LEFT + WIDTH * min(max(place, 0.0), 1.0)


SHARES = Axis(0.0, 1.0)


def around_zero(lines: Sequence[Line], blind: float | None = None) -> Axis:
    """Return an axis with 0 in its middle that holds all lines."""
    ends = [abs(x) for line in lines for x in (line.value, line.low, line.high) if x is not None]
    far = max([*ends, blind or 0.0], default=0.0)
    far = far if far > NOTHING else 1.0
    step = _step(far)
    far = step * math.ceil(far / step - 1e-9)
    return Axis(-far, far, blind)


def forest(lines: Sequence[Line], axis: Axis, label: str) -> Html:
    """Return a drawing with one line per number; the band is what this design cannot see."""
    above = ABOVE if any(len(line.name) > LONGEST for line in lines) else 0
    step = STEP + above
    bottom = TOP + step * len(lines)
    drawn = (_line(line, TOP + step * i + above + STEP / 2, axis, above) for i, line in enumerate(lines))
    return tag(
        "svg",
        join(_band(axis, bottom), *_ticks(axis, bottom), *drawn),
        viewBox=f"0 0 490 {bottom + 20}", role="img", aria_label=label, class_="forest",
    )  # fmt: skip


def _step(far: float) -> float:
    return next((step for step in STEPS if far / step <= 2), far / 2)


def _band(axis: Axis, bottom: float) -> Html:
    if not axis.blind:
        return Html("")
    low, high = axis.x(-axis.blind), axis.x(axis.blind)
    return tag("rect", x=f"{low:.1f}", y=TOP, width=f"{high - low:.1f}", height=bottom - TOP, class_="blind")


def _ticks(axis: Axis, bottom: float) -> list[Html]:
    step = _step(axis.high) if axis.low < 0 else (axis.high - axis.low) / 4
    count = round((axis.high - axis.low) / step)
    return [_tick(axis.low + step * i, axis, bottom) for i in range(count + 1)]


def _tick(value: float, axis: Axis, bottom: float) -> Html:
    x = f"{axis.x(value):.1f}"
    rule = tag(
        "line", x1=x, x2=x, y1=TOP, y2=bottom, class_="zero" if abs(value) < 1e-9 and axis.low < 0 else "grid"
    )
    return join(rule, tag("text", number(value), x=x, y=bottom + 15, text_anchor="middle", class_="dim"))


def _line(line: Line, y: float, axis: Axis, above: float) -> Html:
    place = {"x": 2, "y": y - 9} if above else {"x": LEFT - 10, "y": y + 4, "text_anchor": "end"}
    text = tag("text", line.text, x=LEFT + WIDTH + 12, y=y + 4, class_=None if line.clear else "dim")
    return join(tag("text", line.name, **place), _mark(line, y, axis), text)


def _mark(line: Line, y: float, axis: Axis) -> Html:
    drawn = []
    if line.low is not None and line.high is not None:
        ends = {"x1": f"{axis.x(line.low):.1f}", "x2": f"{axis.x(line.high):.1f}"}
        drawn.append(tag("line", **ends, y1=y, y2=y, class_="reach"))
    if line.value is not None:
        kind = "mark clear" if line.clear else "mark"
        drawn.append(tag("circle", cx=f"{axis.x(line.value):.1f}", cy=y, r=4, class_=kind))
    return join(*drawn)
